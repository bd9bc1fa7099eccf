"""A finished corpus at a URL as a folder on this machine, for those who read it: brought once, checked by its sums."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.output.manifest import MANIFEST, read_manifest
from pipeline.storage.address import checked, is_url, scratch
from pipeline.storage.store import Store, store_at
from pipeline.storage.stored import PARTS, REQUEST
from pipeline.workspace import sha256_of

Say = Callable[[str], None]


class Mirror:
    """The corpus at `url`, in `folder` as far as it has been asked for.

    Raises
    ------
    ConfigError
        for a URL that cannot be one of a corpus.
    InputError
        when no finished corpus stands there.
    StorageError
        when the store cannot be reached.

    """

    def __init__(self, url: str, folder: Path | None = None) -> None:
        try:
            self.store: Store = store_at(checked(url))
        except ValueError as error:
            raise ConfigError(f"{url.partition('://')[0]}://…: {error}") from None
        self.folder = folder or _home(self.store.url)
        if self.store.read(MANIFEST) is None:
            raise InputError(
                f"{self.store.url}: no finished corpus, it has no {MANIFEST}; give the URL that out= named"
            )
        self.store.download(MANIFEST, self.folder / MANIFEST)
        if self.store.read(REQUEST) is not None:
            self.store.download(REQUEST, self.folder / REQUEST)
        self._lines = {str(line.get("id")): line for line in read_manifest(self.folder)}

    @property
    def ids(self) -> list[str]:
        """The conversations."""
        return sorted(self._lines)

    def bring(self, ident: str) -> None:
        """Have all files of a conversation here, with the sums that the manifest states."""
        for entry in self._lines[ident]["files"]:
            self._bring(entry)

    def bring_all(self, say: Say = lambda text: None) -> None:
        """Have the whole corpus here, with its pages and report; what the manifest does not name is not of it."""
        for key in self.store.listing():
            if key.split("/")[0] not in PARTS and not key.startswith((".", MANIFEST)):
                self.store.download(key, self.folder / key)
        for number, ident in enumerate(self.ids, 1):
            say(f"{ident} [{number}/{len(self._lines)}]")
            self.bring(ident)

    def _bring(self, entry: dict[str, Any]) -> None:
        path = self.folder / entry["path"]
        if sha256_of(path) == entry["sha256"]:
            return
        self.store.download(entry["path"], path)
        if sha256_of(path) != entry["sha256"]:
            path.unlink()
            raise InputError(
                f"{self.store.url}/{entry['path']}: is not the file that the manifest has the sum of; run the request "
                "again to mend it"
            )


def folder_of(corpus: Path | str) -> Path:
    """A corpus folder as it is; a corpus at a URL, brought to this machine whole."""
    if not is_url(corpus):
        return Path(corpus)
    mirror = Mirror(str(corpus))
    mirror.bring_all()
    return mirror.folder


def _home(url: str) -> Path:
    at = scratch(url)
    return at.parent / "read" / at.name
