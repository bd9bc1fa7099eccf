"""Sums of files, taken once: a ledger remembers size, time of change and sum of each verified file."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from pipeline.errors import ModelError
from pipeline.models.catalogue import ModelFile
from pipeline.process import process_name

CHUNK = 1 << 20


def sha256_of(path: Path, report: Callable[[int], None] | None = None) -> str:
    """Hexadecimal SHA-256 of a file; `report` is told the bytes read so far."""
    return _sum(path, hashlib.sha256(), report)


def md5_of(path: Path, report: Callable[[int], None] | None = None) -> str:
    """Hexadecimal MD5 of a file, for what no other sum is published of; `report` is told the bytes read so far."""
    return _sum(path, hashlib.md5(usedforsecurity=False), report)


def _sum(path: Path, digest: "hashlib._Hash", report: Callable[[int], None] | None) -> str:
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if report:
                report(done)
    return digest.hexdigest()


def check(path: Path, file: ModelFile, remedy: str, report: Callable[[int], None] | None = None) -> None:
    """Compare the file at `path` with the catalogue.

    Raises
    ------
    ModelError
        when its size or sum is another.

    """
    size = path.stat().st_size
    if size != file.bytes:
        raise ModelError(f"{path} has {size} bytes, expected {file.bytes}: {remedy}")
    found = sha256_of(path, report)
    if found != file.sha256:
        raise ModelError(f"{path} has SHA-256 {found}, expected {file.sha256}: {remedy}")


class Ledger:
    """What was verified in a folder: `{file name: [size, mtime in ns, sum]}` in one small JSON file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def knows(self, path: Path, file: ModelFile) -> bool:
        """Whether the file at `path` is the one that was verified, told by size, time of change and sum."""
        return self._read().get(file.name) == _mark(path, file)

    def add(self, path: Path, file: ModelFile) -> None:
        """Remember that the file at `path` was verified."""
        entries = self._read() | {file.name: _mark(path, file)}
        temporary = self.path.with_name(f".{self.path.name}.{process_name()}")
        temporary.write_text(json.dumps(entries, indent=1, sort_keys=True), encoding="utf-8")
        temporary.replace(self.path)

    def _read(self) -> dict[str, list[int | str]]:
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # no ledger, or a damaged one: the files are verified again
        return entries if isinstance(entries, dict) else {}


def _mark(path: Path, file: ModelFile) -> list[int | str]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, file.sha256]
