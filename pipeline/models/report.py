"""Progress of a fetch, and the one exception by which a source says that it cannot deliver here."""

import re
from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being done."""


class SourceError(Exception):
    """A source cannot deliver on this machine; the message says why, without credentials."""

    def __init__(self, reason: str) -> None:
        super().__init__(re.sub(r"//[^/@\s]+@", "//", " ".join(reason.split())))


@dataclass
class Report:
    """Counts bytes over all files of a model and passes them on."""

    total: int
    label: str
    progress: Progress | None = None
    before: int = 0

    def __call__(self, done: int, doing: str = "fetching") -> None:
        """Tell that `done` bytes of the current file (or of all, when no file was finished) are there."""
        if self.progress:
            self.progress(min(self.before + done, self.total), self.total, f"{doing} {self.label}")

    def finish(self, size: int) -> None:
        """Count a finished file of `size` bytes."""
        self.before += size
        self(0)
