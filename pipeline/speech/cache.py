"""A cache of arrays by key: what was clocked or rendered once is found again, whole or not at all."""

import hashlib
import io
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pipeline.errors import OutputError
from pipeline.models.place import cache_dir

DIGEST = 32
"""Bytes of the sum before the arrays in each file."""
Arrays = Mapping[str, npt.NDArray[np.generic]]


def key_of(*parts: str | float) -> str:
    """Name an entry by all that decides its content.

    >>> key_of("a", "bc") == key_of("ab", "c")
    False
    """
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


class ArrayCache:
    """Files of named arrays under a folder; by default `speech` in the cache folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def get(self, key: str) -> dict[str, npt.NDArray[np.generic]] | None:
        """Return the arrays of `key`; None when there are none, or the file is damaged (it is then removed)."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        body = content[DIGEST:]
        if hashlib.sha256(body).digest() != content[:DIGEST]:
            path.unlink(missing_ok=True)
            return None
        path.touch()  # what was used last is pruned last
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
        path = self._path(key)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(hashlib.sha256(body.getvalue()).digest() + body.getvalue())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise OutputError(
                f"speech cache {path.parent} cannot be written ({error.strerror}): make room or set TURNFLOOR_CACHE"
            ) from error

    def prune(self, limit: int) -> int:
        """Remove the entries used longest ago until the rest has at most `limit` bytes; return the bytes removed."""
        entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self._root().glob("??/*.npz"))
        excess = sum(size for _, size, _ in entries) - limit
        removed = 0
        for _, size, path in entries:
            if removed >= excess:
                break
            path.unlink(missing_ok=True)
            removed += size
        return removed

    def _root(self) -> Path:
        return self.folder or cache_dir() / "speech"

    def _path(self, key: str) -> Path:
        return self._root() / key[:2] / f"{key}.npz"
