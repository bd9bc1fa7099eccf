"""A cache of arrays by key: what was clocked or rendered once is found again, whole or not at all.

Behind the folder on this machine there may be a store that several machines share (TURNFLOOR_SHARED_CACHE).
"""

import hashlib
import io
import os
import platform
import re
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pipeline.errors import OutputError
from pipeline.models.place import cache_dir, cache_limit
from pipeline.process import process_name
from pipeline.storage.shared import key_for, shared_cache

DIGEST = 32
"""Bytes of the sum before the arrays in each file."""
UNFINISHED = ".unfinished"
"""Folder of entries that are being written."""
LONG_AGO_S = 86_400.0
PUTS = 1000
"""After so many new entries a process looks whether the cache has grown over its limit."""
Arrays = Mapping[str, npt.NDArray[np.generic]]


def key_of(*parts: str | float) -> str:
    """Name an entry by all that decides its content.

    >>> key_of("a", "bc") == key_of("ab", "c")
    False
    """
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


class ArrayCache:
    """Files of named arrays under a folder; by default `speech` in the cache folder.

    Parameters
    ----------
    folder
        Where they are.
    lasting
        Whether all are kept, since they cannot be made again for nothing; others are held to TURNFLOOR_CACHE_GB.

    """

    def __init__(self, folder: Path | None = None, lasting: bool = False) -> None:
        self.folder, self.lasting = folder, lasting

    def get(self, key: str) -> dict[str, npt.NDArray[np.generic]] | None:
        """Return the arrays of `key`; None when there are none, or the file is damaged (it is then removed)."""
        path = self._path(key)
        body = _intact(_content(path))
        if body is None:
            _remove(path)
            body = self._fetched(path)
        else:
            with suppress(OSError):  # a cache that is only read has nothing pruned
                os.utime(path)  # what was used last is pruned last
        if body is None:
            return None
        with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def put(self, key: str, arrays: Arrays) -> None:
        """Store `arrays` under `key`, in one step.

        Raises
        ------
        OutputError
            when the disk takes no more.

        """
        body = io.BytesIO()
        np.savez(body, **arrays)  # type: ignore[arg-type]  # the stub takes the names for its own options
        content = hashlib.sha256(body.getvalue()).digest() + body.getvalue()
        path = self._path(key)
        self._keep(path, content)
        shared, name = shared_cache(), key_for(path)
        if shared and name:
            shared.write(name, content)

    def _fetched(self, path: Path) -> bytes | None:
        """The arrays as the shared cache has them, kept here from now on."""
        shared, name = shared_cache(), key_for(path)
        content = shared.read(name) if shared and name else None
        body = _intact(content)
        if content is not None and body is not None:
            self._keep(path, content)
        return body

    def _keep(self, path: Path, content: bytes) -> None:
        temporary = self._root() / UNFINISHED / f"{path.name}.{process_name()}"
        try:
            for folder in (path.parent, temporary.parent):
                folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise OutputError(
                f"speech cache {path.parent} cannot be written ({error.strerror}): make room or set TURNFLOOR_CACHE"
            ) from error
        _PUTS[self._root()] += 1
        if not self.lasting and _PUTS[self._root()] % PUTS == 0:
            self.prune(cache_limit())

    def sweep(self) -> None:
        """Remove entries that a process was killed over: one of this machine that is gone, or any of a day ago."""
        for path in (self._root() / UNFINISHED).glob("*"):
            if not _is_being_written(path):
                _remove(path)

    def prune(self, limit: float) -> int:
        """Remove the entries used longest ago until the rest has at most `limit` bytes; return the bytes removed."""
        found = ((_stat(path), path) for path in self._root().glob("??/*.npz"))
        entries = sorted((said.st_mtime, said.st_size, path) for said, path in found if said)
        excess = sum(size for _, size, _ in entries) - limit
        removed = 0
        for _, size, path in entries:
            if removed >= excess:
                break
            _remove(path)
            removed += size
        return removed

    def _root(self) -> Path:
        return self.folder or cache_dir() / "speech"

    def _path(self, key: str) -> Path:
        return self._root() / key[:2] / f"{key}.npz"


def _is_being_written(path: Path) -> bool:
    written = re.fullmatch(r".+\.npz\.(.+)\.(\d{1,9})", path.name)
    if written and written[1] == platform.node():
        return _runs(int(written[2]))
    found = _stat(path)
    return found is not None and time.time() - found.st_mtime < LONG_AGO_S


def _stat(path: Path) -> os.stat_result | None:
    """None when another process has removed or renamed it."""
    try:
        return path.stat()
    except OSError:
        return None


def _remove(path: Path) -> None:
    with suppress(OSError):  # it is gone already, or others may write here and this process may not
        path.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _intact(content: bytes | None) -> bytes | None:
    """The arrays of an entry, if their sum is the one before them."""
    if content is None or hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
        return None
    return content[DIGEST:]


_PUTS: Counter[Path] = Counter()
"""New entries of this process, by the folder of the cache."""


def sweep_caches() -> None:
    """Clear the caches of what killed processes left, and those of this machine of what is over the limit.

    Raises
    ------
    ConfigError
        when TURNFLOOR_CACHE_GB holds no size, or TURNFLOOR_SHARED_CACHE no URL.
    StorageError
        when the shared cache cannot be reached.

    """
    limit = cache_limit()
    for name in ("speech", "said", "rooms"):
        ArrayCache(cache_dir() / name).sweep()
    for name in ("speech", "rooms"):
        ArrayCache(cache_dir() / name).prune(limit)
    if shared := shared_cache():
        shared.sweep()
