"""What the store holds of a conversation, as recorded there when all of it was written."""

from functools import lru_cache
from pathlib import Path

from pipeline.errors import InputError
from pipeline.records.base import Record

NAME = "stored.json"
REQUEST = "corpus.yaml"
PARTS = ("work", "conversations")
"""The folders of a corpus that hold one for each conversation."""


class Kept(Record):
    """A file in the store."""

    bytes: int
    sha256: str
    tag: str = ""
    """What the store said of its content; empty where it says nothing."""


class Stored(Record):
    """The files of one conversation, by their path in the corpus. What it does not name is not there."""

    schema_version: int = 1
    files: dict[str, Kept]


def place_of(root: Path, ident: str) -> Path:
    """The copy of the record on this machine."""
    return root / "work" / ident / NAME


def stored_of(root: Path, ident: str) -> Stored:
    """What is known here of the store; nothing where the corpus is in a folder."""
    path = place_of(root, ident)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, InputError):
        return Stored(files={})


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int) -> Stored:
    return Stored.read(path)
