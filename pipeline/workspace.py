"""Where the artefacts of a corpus stand, how they are written, and how a finished stage is known.

Every file is written under a temporary name and renamed, so that a reader never meets half of one. A stage is
done when its artefacts exist with their recorded sums and its recorded fingerprint equals that of what is asked.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, OutputError
from pipeline.process import process_name
from pipeline.records import Record
from pipeline.storage.stored import stored_of


class Marker(Record):
    """What is recorded beside the artefacts of a finished stage."""

    stage: str
    fingerprint: str
    files: dict[str, str]
    """SHA-256 of each artefact, by its name in the work folder."""


@dataclass(frozen=True)
class Workspace:
    """The folders of one conversation inside the corpus `root`."""

    root: Path
    ident: str

    @property
    def work(self) -> Path:
        """Artefacts of the stages, kept so that a later run resumes."""
        return self.root / "work" / self.ident

    @property
    def published(self) -> Path:
        """What users read."""
        return self.root / "conversations" / self.ident

    def path(self, name: str) -> Path:
        """A file of the work folder."""
        return self.work / name

    def is_done(self, stage: str, fingerprint: str) -> bool:
        """Whether `stage` has been finished for just this fingerprint, with its artefacts unharmed."""
        marker = self._marker(stage)
        return (
            marker is not None
            and marker.fingerprint == fingerprint
            and all(self.sum_of(name) == known for name, known in marker.files.items())
        )

    def mark_done(self, stage: str, fingerprint: str, names: Sequence[str]) -> None:
        """Record that `stage` has made the artefacts `names` for this fingerprint."""
        files = {name: sha256_of(self._artefact(name)) or "" for name in names}
        marker = Marker(stage=stage, fingerprint=fingerprint, files=files)
        write_text(self.path(f"{stage}.done.json"), marker.to_json())

    def sum_of(self, name: str) -> str:
        """SHA-256 of an artefact, here or in the corpus's store; empty when it does not exist."""
        path = self._artefact(name)
        return sha256_of(path) or self._stored_sum(path)

    def _stored_sum(self, path: Path) -> str:
        kept = stored_of(self.root, self.ident).files.get(path.relative_to(self.root).as_posix())
        return kept.sha256 if kept else ""

    def _artefact(self, name: str) -> Path:
        return self.root / name if name.startswith("conversations/") else self.path(name)

    def _marker(self, stage: str) -> Marker | None:
        try:
            return Marker.read(self.path(f"{stage}.done.json"))
        except InputError:
            return None  # there is none, or it is damaged and vouches for nothing


def fingerprint(**parts: Any) -> str:
    """SHA-256 over what a stage's output depends on; records count by their JSON."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=_plain).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} cannot be part of a fingerprint")


def sha256_of(path: Path) -> str | None:
    """SHA-256 of a file; None when it does not exist."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise.

    Raises
    ------
    OutputError
        when the disk is full or the folder cannot be written; whatever stood at `path` stays.

    """
    temporary = path.with_name(f".{path.name}.{process_name()}.part{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written ({error.strerror or error}); free some space or choose another folder with out="
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def sweep(root: Path) -> None:
    """Remove what an earlier run was killed over: temporary files and folders, at any depth of a corpus."""
    for left in [*root.rglob(".*.part*")] if root.is_dir() else []:
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
