"""A finished corpus as a sequence of its conversations."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from pipeline.errors import InputError
from pipeline.loader.conversation import Conversation
from pipeline.output.manifest import MANIFEST, conversation_folders, read_manifest
from pipeline.storage.address import is_url
from pipeline.storage.mirror import Mirror


class Corpus(Sequence[Conversation]):
    """The conversations of a corpus, by id or by place in the order of ids."""

    def __init__(self, path: Path, ids: Sequence[str], bring: Callable[[str], None] | None = None) -> None:
        self.path = path
        self.ids = tuple(ids)
        self._bring = bring

    def __repr__(self) -> str:
        return f"Corpus({str(self.path)!r}, {len(self)} conversations)"

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Conversation]:
        """Each conversation, made anew, so that one is forgotten when the next is read."""
        return (self._one(ident) for ident in self.ids)

    @overload
    def __getitem__(self, key: int | str) -> Conversation: ...
    @overload
    def __getitem__(self, key: slice) -> "Corpus": ...
    def __getitem__(self, key: int | str | slice) -> "Conversation | Corpus":
        """One conversation, or a slice of the corpus; InputError for an id that there is not."""
        if isinstance(key, slice):
            return Corpus(self.path, self.ids[key], self._bring)
        if isinstance(key, int):
            return self._one(self.ids[key])
        if key not in self.ids:
            raise InputError(f"{self.path}: no conversation {key!r}; there are {_few(self.ids)}")
        return self._one(key)

    def _one(self, ident: str) -> Conversation:
        if self._bring:
            self._bring(ident)
        return Conversation(self.path / "conversations" / ident)


def load_corpus(path: str | Path) -> Corpus:
    """The corpus in the folder `path`: the conversations of its manifest, or before there is one, the finished ones.

    At a URL, such as ``s3://bucket/corpora/mine``, each conversation is brought into the cache when it is asked for.

    Raises
    ------
    InputError
        when that is no corpus, or has no finished conversation.
    ConfigError, StorageError
        when a URL cannot be used, or its store not be reached.

    """
    if is_url(path):
        mirror = Mirror(str(path))
        return Corpus(mirror.folder, mirror.ids, mirror.bring)
    path = Path(path)
    folders = {folder.name: folder for folder in conversation_folders(path) if (folder / "meta.json").exists()}
    ids = [str(line.get("id")) for line in read_manifest(path)] if (path / MANIFEST).exists() else list(folders)
    missing = [ident for ident in ids if ident not in folders]
    if missing:
        raise InputError(f"{path}: conversation {missing[0]!r} of {MANIFEST} is not there whole; make the corpus again")
    if not ids:
        raise InputError(f"{path}: has no finished conversation; make the corpus first")
    return Corpus(path, sorted(ids))


def _few(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
