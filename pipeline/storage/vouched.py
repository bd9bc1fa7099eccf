"""Which files of a conversation are on this machine as a stage made them, whatever its store holds."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from pipeline.errors import InputError
from pipeline.storage.stored import Kept, Stored
from pipeline.workspace import Marker, sha256_of


class Vouched:
    """The artefacts of a conversation that stages have marked as done here."""

    def __init__(self, root: Path, ident: str, record: Stored) -> None:
        self._root, self._record = root, record
        markers = {path: _marker(path) for path in sorted((root / "work" / ident).glob("*.done.json"))}
        listed = {path: self._listed(marker, ident) for path, marker in markers.items() if marker}
        self.sums = {name: known for files in listed.values() for name, known in files.items()}
        """By path in the corpus."""
        self.sums |= {
            path.relative_to(root).as_posix(): sha256_of(path) or ""
            for path, files in listed.items()
            if all(self._stands(name, known) for name, known in files.items())
        }

    @cached_property
    def _known(self) -> dict[str, str]:
        return {name: kept.sha256 for name, kept in self._record.files.items()}

    def lacking(self, files: Mapping[str, Kept], before: Mapping[str, Kept]) -> Iterator[tuple[str, Kept]]:
        """Those files of which there is neither the store's version on this machine nor a newer one.

        What is as it was when machine and store last agreed (`before`) is no newer one, though a stage vouches for it.
        """
        for name, kept in files.items():
            found = sha256_of(self._root / name)
            newer = found is not None and found == self.sums.get(name) and found != _sum(before, name)
            if found != kept.sha256 and not newer:
                yield name, kept

    def _listed(self, marker: Marker, ident: str) -> dict[str, str]:
        return {
            name if name.startswith("conversations/") else f"work/{ident}/{name}": known
            for name, known in marker.files.items()
        }

    def _stands(self, name: str, known: str) -> bool:
        return (sha256_of(self._root / name) or self._known.get(name)) == known


def _sum(files: Mapping[str, Kept], name: str) -> str | None:
    return files[name].sha256 if name in files else None


def _marker(path: Path) -> Marker | None:
    try:
        return Marker.read(path)
    except InputError:
        return None
