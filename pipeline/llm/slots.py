"""The embedded server's one slot: what a conversation is asked never depends on the one before it."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.llm.client import Client


class Slots:
    """The slot of the server behind `client`, saved and restored through files in `folder`.

    A prompt that shares its start with the one before reuses what the slot holds, which changes the text
    in its last bits; so each conversation begins from the saved state of its own few-shot prefix.
    """

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._folder = folder

    @classmethod
    def of(cls, client: Client) -> "Slots | None":
        """The slot of an embedded server; None for other endpoints."""
        folder = client.settings.slot_folder
        return cls(client, folder) if folder else None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the slot to oneself, among all threads and processes of this machine."""
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def restore(self, prefix: str) -> None:
        """Make the slot hold `prefix` and nothing else, always from the same saved state."""
        name = hashlib.sha256(prefix.encode()).hexdigest()[:16] + ".slot"
        if not prefix:
            self._act("erase", {})
            return
        if not (self._folder / name).exists():
            self._act("erase", {})
            self._client.post("/completion", {"prompt": prefix, "n_predict": 0, "cache_prompt": True, "id_slot": 0})
            self._act("save", {"filename": name})
        self._act("restore", {"filename": name})

    def _act(self, action: str, body: dict[str, str]) -> None:
        self._client.post(f"/slots/0?action={action}", body)
