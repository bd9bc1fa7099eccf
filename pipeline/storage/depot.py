"""A corpus at a URL, worked on in a scratch folder: what is there comes down, what is made goes up.

A conversation's files go up first and their record last, so that what a reader finds recorded is whole; what an
interrupted upload left is in no record, and the next run writes over it or removes it. Sound is kept in the scratch
folder only as long as it is being worked on.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pipeline.errors import InputError, OutputError
from pipeline.output.files import remove, write_bytes
from pipeline.output.manifest import MANIFEST
from pipeline.settings import Settings
from pipeline.storage.hold import LOCKS, check
from pipeline.storage.store import UNFINISHED, Found, Store, store_at
from pipeline.storage.stored import NAME, PARTS, REQUEST, Kept, Stored, place_of, stored_of
from pipeline.storage.vouched import Vouched
from pipeline.workspace import sha256_of, write_text

AT_ONCE = 200
"""Small files that are asked for together."""
MANY = 20
"""More conversations than this are listed with all others at once."""


def depot_of(settings: Settings, hold: str | None = None) -> "Depot | None":
    """Where the corpus of `settings` is kept, if that is a URL; what is to be written needs the run's `hold` of it."""
    return Depot(store_at(settings.store), settings.root, hold) if settings.store else None


class Depot:
    """A store and the scratch folder `root` of one corpus.

    Every method raises StorageError when the store cannot be reached, and OutputError when the scratch folder cannot
    be written or, on sending, another run has taken over the lock `hold`.
    """

    def __init__(self, store: Store, root: Path, hold: str | None = None) -> None:
        self.store, self.root, self.hold = store, root, hold

    def bring_request(self) -> None:
        """Have the `corpus.yaml` that stands in the store, or none.

        Raises
        ------
        OutputError
            when something stands there that is not a corpus.

        """
        here = self.root / REQUEST
        there = self.store.read(REQUEST)
        if there is not None:
            write_text(here, there.decode("utf-8", "replace"))
            return
        remove(here)
        strange = [key for key in self.store.listing() if key.split("/")[0] not in (*PARTS, LOCKS, UNFINISHED)]
        if strange:
            raise OutputError(
                f"out={self.store.url}: holds something that is not a corpus ({strange[0]}); choose another with out="
            )

    def send_request(self) -> None:
        """Put `corpus.yaml` into the store."""
        check(self.store, self.hold)
        self.store.upload({REQUEST: self.root / REQUEST})

    def bring(self, idents: Sequence[str], sound: bool = False) -> None:
        """Have here what the store holds unharmed of these conversations; FLAC files only where `sound` is asked for.

        What was made here since the two last agreed, and a stage vouches for, is kept.
        """
        good = self._good(idents)
        lacking: dict[str, Kept] = {}
        for ident, (record, files) in good.items():
            before = stored_of(self.root, ident).files
            missing = dict(Vouched(self.root, ident, record).lacking(files, before))
            for name in missing:
                remove(self.root / name)
            # Before it is fetched: what a kill leaves half brought must not pass for made here.
            _note(self.root, ident, Stored(files=files))
            lacking |= missing
        for ident in set(idents) - good.keys():
            remove(place_of(self.root, ident))
        asked = {name: kept for name, kept in lacking.items() if sound or not name.endswith(".flac")}
        harmed = set(self._fetched(asked))
        for ident, (_, files) in good.items():
            if harmed & files.keys():
                unharmed = {name: kept for name, kept in files.items() if name not in harmed}
                _note(self.root, ident, Stored(files=unharmed))

    def _good(self, idents: Sequence[str]) -> dict[str, tuple[Stored, dict[str, Kept]]]:
        """The record of each conversation that has one, and which of its files stand in the store as recorded."""
        records, listed = self._records(idents), self._listing(idents)
        return {
            ident: (record, {name: kept for name, kept in record.files.items() if _unharmed(kept, listed.get(name))})
            for ident, record in records.items()
        }

    def _fetched(self, files: Mapping[str, Kept]) -> Iterator[str]:
        """Bring files, many small ones at once; yields those that turn out not to be what was recorded."""
        small = [name for name in files if not name.endswith(".flac")]
        for first in range(0, len(small), AT_ONCE):
            names = small[first : first + AT_ONCE]
            found = self.store.read_all(names)
            for name in names:
                if hashlib.sha256(found.get(name, b"")).hexdigest() == files[name].sha256:
                    write_bytes(self.root / name, found.get(name, b""))
                else:
                    yield name
        for name in files.keys() - set(small):
            self.store.download(name, self.root / name)
            if sha256_of(self.root / name) != files[name].sha256:
                remove(self.root / name)
                yield name

    def send(self, idents: Sequence[str]) -> None:
        """Put into the store what has been made here of these conversations, each with its record last."""
        for ident in idents:
            self._send(ident)

    def _send(self, ident: str) -> None:
        before = stored_of(self.root, ident).files
        vouched = Vouched(self.root, ident, Stored(files=before)).sums
        here = {path.relative_to(self.root).as_posix(): path for path in self._files(ident)}
        sums = {name: (path.stat().st_size, sha256_of(path) or "") for name, path in here.items()}
        new = [name for name in here if name not in before or before[name].sha256 != sums[name][1]]
        apart = {name: kept for name, kept in before.items() if name not in here and vouched.get(name) == kept.sha256}
        if not new and len(apart) + len(here) == len(before):
            self._forget_sound(here)
            return
        check(self.store, self.hold)
        if any(name in before for name in new):
            # A reader must not find the record of files that are being replaced; the others are as they were.
            stay = (here.keys() | apart.keys()) - set(new)
            self._record(ident, {name: kept for name, kept in before.items() if name in stay})
        self.store.upload({name: here[name] for name in new})
        listed = self._listing([ident])
        self.store.remove([key for key in listed if key not in here and key not in apart and not key.endswith(NAME)])
        made = {name: Kept(bytes=size, sha256=known, tag=_tag(listed, name)) for name, (size, known) in sums.items()}
        self._record(ident, dict(sorted({**apart, **made}.items())))
        self._forget_sound(here)

    def _record(self, ident: str, files: dict[str, Kept]) -> None:
        record = Stored(files=files)
        if files:
            self.store.write(self._record_key(ident), record.to_json().encode())
        else:
            self.store.remove([self._record_key(ident)])
        _note(self.root, ident, record)

    def sweep(self, idents: Sequence[str], alone: bool = False) -> None:
        """Remove from the store what an earlier run was killed over: files of these conversations in no record.

        When no other share is being made (`alone`), whatever is half written goes as well.
        """
        self.store.sweep(alone)
        asked = set(idents)
        records, listed = self._records(idents), self._listing(idents)
        known = {name for record in records.values() for name in record.files}
        known |= {self._record_key(ident) for ident in records}
        self.store.remove([key for key in listed if key not in known and _ident(key) in asked])

    def send_corpus(self) -> None:
        """Put into the store what the corpus says of itself, the manifest last."""
        check(self.store, self.hold)
        paths = sorted(path for path in self.root.rglob("*") if path.is_file())
        keys = {path.relative_to(self.root).as_posix(): path for path in paths}
        told = {key: path for key, path in keys.items() if key.split("/")[0] not in PARTS and not _hidden(key)}
        last = {key: told.pop(key) for key in (MANIFEST,) if key in told}
        self.store.upload(told)
        self.store.upload(last)

    def _files(self, ident: str) -> Iterator[Path]:
        for part in PARTS:
            for path in (self.root / part / ident).rglob("*"):
                if path.is_file() and path.name not in (NAME, "error.txt") and not path.name.startswith("."):
                    yield path

    def _forget_sound(self, here: Iterable[str]) -> None:
        for name in here:
            if name.endswith(".flac"):
                remove(self.root / name)

    def _records(self, idents: Sequence[str]) -> dict[str, Stored]:
        found = self.store.read_all([self._record_key(ident) for ident in idents])
        records = {}
        for key, content in found.items():
            try:
                records[_ident(key)] = Stored.from_json(content, f"{self.store.url}/{key}")
            except InputError:
                continue  # damaged: what it told of is made or sent again
        return records

    def _listing(self, idents: Sequence[str]) -> dict[str, Found]:
        if len(idents) > MANY:
            return {key: found for part in PARTS for key, found in self.store.listing(part).items()}
        return {
            key: found
            for ident in idents
            for part in PARTS
            for key, found in self.store.listing(f"{part}/{ident}").items()
        }

    def _record_key(self, ident: str) -> str:
        return f"work/{ident}/{NAME}"


def _note(root: Path, ident: str, record: Stored) -> None:
    write_text(place_of(root, ident), record.to_json())


def _unharmed(kept: Kept, found: Found | None) -> bool:
    return found is not None and (found.bytes, found.tag) == (kept.bytes, kept.tag)


def _tag(listed: dict[str, Found], name: str) -> str:
    return listed[name].tag if name in listed else ""


def _ident(key: str) -> str:
    parts = key.split("/")
    return parts[1] if len(parts) > 2 else ""


def _hidden(key: str) -> bool:
    return any(part.startswith(".") for part in key.split("/")) or key.startswith("slurm/")
