"""A place at a URL: files by key, each there whole or not at all."""

import importlib.util
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, PipelineError, StorageError
from pipeline.workspace import replacing

WHOLE_AT_ONCE = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "r2")
"""Schemes whose writes are seen when they are complete; elsewhere a file is written under another name first."""
EXTRAS = {"s3": ("s3fs", "storage"), "s3a": ("s3fs", "storage"), "gs": ("gcsfs", "gcs"), "gcs": ("gcsfs", "gcs")}
"""What must be installed for a scheme, and the extra that brings it."""
SINGLE_PUT = 2**30
"""S3: files up to twice this size go up in one request, so that no upload of many parts is left behind [bytes]."""
UNFINISHED = ".unfinished"
"""Folder of what is being written under another name."""
LONG_AGO_S = 86_400.0
"""Nothing takes this long to write."""


@dataclass(frozen=True)
class Found:
    """A file as the store lists it."""

    bytes: int
    tag: str
    """What changes with its content: the ETag or MD5 of the store; empty where it has none."""


class Store:
    """The files below a URL, by their path from there.

    Raises
    ------
    ConfigError
        when what the URL's scheme needs is not installed.
    StorageError
        in one line, from every method, when the store cannot be reached, refuses, or fails.

    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._scheme = url.partition("://")[0]

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        name, extra = EXTRAS.get(self._scheme, ("fsspec", "storage"))
        for package in ("fsspec", name):
            if importlib.util.find_spec(package) is None:
                raise ConfigError(f"{self.url}: needs {package}: pip install 'turnfloor[{extra}]'")
        import fsspec

        options = {"auto_mkdir": True} if self._scheme in ("file", "local") else {"use_listings_cache": False}
        with self._told("opened"):
            filesystem, place = fsspec.url_to_fs(self.url, **options)
        return filesystem, place.rstrip("/")

    def read(self, key: str) -> bytes | None:
        """The content of a file; None when there is none."""
        return self.read_all([key]).get(key)

    def read_all(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The contents of those files that are there."""
        filesystem, _ = self._opened
        paths = {self._path(key): key for key in keys}
        if not paths:
            return {}
        with self._told("read"):
            found = filesystem.cat(list(paths), on_error="return")
            for said in found.values():
                if isinstance(said, Exception) and not isinstance(said, FileNotFoundError):
                    raise said
        return {paths[path]: said for path, said in found.items() if isinstance(said, bytes)}

    def write(self, key: str, content: bytes) -> None:
        """Write a file in one step."""
        filesystem, _ = self._opened
        with self._told("written"), self._in_one_step(key) as path:
            filesystem.pipe_file(path, content)

    def upload(self, files: Mapping[str, Path]) -> None:
        """Write files of this machine, by their keys, each in one step."""
        filesystem, _ = self._opened
        with self._told("written"):
            if self._scheme in WHOLE_AT_ONCE and files:
                options = {"chunksize": SINGLE_PUT} if self._scheme in ("s3", "s3a") else {}
                filesystem.put([str(path) for path in files.values()], [self._path(key) for key in files], **options)
                return
            for key, source in files.items():
                with self._in_one_step(key) as path:
                    filesystem.put_file(str(source), path)

    def download(self, key: str, target: Path) -> None:
        """Bring a file to this machine, in one step; OutputError when it cannot be written here."""
        filesystem, _ = self._opened
        with (
            replacing(target) as temporary,
            self._told("read"),
            filesystem.open(self._path(key), "rb") as source,
            temporary.open("wb") as file,
        ):
            shutil.copyfileobj(source, file, 2**20)

    def listing(self, below: str = "") -> dict[str, Found]:
        """All files below a folder, by their keys."""
        filesystem, place = self._opened
        with self._told("listed"):
            _forget(filesystem)
            try:
                found = filesystem.find(self._path(below), detail=True)
            except FileNotFoundError:
                return {}
        return {path[len(place) + 1 :]: _found(info) for path, info in found.items() if path.startswith(place + "/")}

    def age(self, key: str, now: str) -> float | None:
        """Seconds from the last writing of `key` to that of `now`, by the store's own clock; None when one is gone."""
        filesystem, _ = self._opened
        with self._told("listed"):
            _forget(filesystem)
            try:
                then, this = (filesystem.modified(self._path(one)) for one in (key, now))
            except FileNotFoundError:
                return None
        return float((this - then).total_seconds())

    def remove(self, keys: Iterable[str]) -> None:
        """Remove files; those that are not there are removed already."""
        filesystem, _ = self._opened
        for key in keys:
            with self._told("removed"):
                try:
                    filesystem.rm_file(self._path(key))
                except FileNotFoundError:
                    continue

    def sweep(self, alone: bool = False) -> None:
        """Remove what killed writings left: those of a day ago or, when nobody else writes here, all."""
        if self._scheme not in WHOLE_AT_ONCE:
            self.remove([key for key in self.listing(UNFINISHED) if alone or _age_s(key) > LONG_AGO_S])

    def _path(self, key: str) -> str:
        place = self._opened[1]
        return f"{place}/{key}" if key else place

    @contextmanager
    def _in_one_step(self, key: str) -> Iterator[str]:
        filesystem, _ = self._opened
        if self._scheme in WHOLE_AT_ONCE:
            yield self._path(key)
            return
        temporary = self._path(f"{UNFINISHED}/{time.time():.0f}-{uuid.uuid4().hex[:12]}")
        try:
            yield temporary
            filesystem.mv(temporary, self._path(key))
        except BaseException:
            with suppress(Exception):  # what went wrong is told, and the next sweep may have more luck
                filesystem.rm_file(temporary)
            raise

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Each scheme's library has errors of its own kinds; they are told as one."""
        try:
            yield
        except PipelineError:
            raise
        except Exception as error:
            said = " ".join(str(error).split())[:160] or type(error).__name__
            raise StorageError(
                f"{self.url}: cannot be {what} ({type(error).__name__}: {said}); check the address and the credentials "
                "in the environment, then run the same command again"
            ) from None


def _forget(filesystem: Any) -> None:
    """Ask the store itself, not what the library remembers of it."""
    filesystem.invalidate_cache()


def _age_s(unfinished: str) -> float:
    """Seconds since the writing was begun, by the clock of the machine that began it."""
    begun = unfinished.rpartition("/")[2].partition("-")[0]
    return time.time() - int(begun) if begun.isdecimal() else 0.0


def _found(info: Mapping[str, Any]) -> Found:
    tag = info.get("ETag") or info.get("md5Hash") or info.get("etag") or ""
    return Found(int(info["size"]), str(tag).strip('"'))


_STORES: dict[tuple[int, str], Store] = {}
"""Those that this process has opened; a forked child must not use its parent's connections."""


def store_at(url: str) -> Store:
    """The store at `url`, opened once a process."""
    return _STORES.setdefault((os.getpid(), url), Store(url))
