"""How far a run is: a bar on a terminal, plain lines elsewhere."""

import os
import sys
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@dataclass(frozen=True)
class Note:
    """Something a conversation tells about itself; `stage` "done" and "failed" end it."""

    ident: str
    stage: str
    audio_s: float = 0.0
    text: str = ""


@dataclass
class Display:
    """Shows notes as they come; a context manager."""

    total: int
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    ended: int = 0
    audio_s: float = 0.0
    _started: float = field(default_factory=time.monotonic)
    _bar: Progress | None = None
    _task: Any = None

    def __enter__(self) -> Self:
        if self.stream.isatty() and os.environ.get("TERM") != "dumb":
            console = Console(file=self.stream)
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]}"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]}"),
                console=console,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("starting", total=self.total, speed="", left="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, note: Note) -> None:
        """Take in one note."""
        if note.stage in ("done", "failed"):
            self.ended += 1
            self.audio_s += note.audio_s
            self._line(f"{note.ident} {note.stage}{': ' + note.text if note.text else ''}")
        elif self._bar is None:
            self._line(f"{note.ident} {note.stage}{' ' + note.text if note.text else ''}")
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=self.ended,
                description=f"{note.ident} {note.stage}",
                speed=self._speed(),
                left=self._left(),
            )

    def say(self, text: str) -> None:
        """One line that belongs to no conversation."""
        self._line(text)

    def _line(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            counted = f" [{self.ended}/{self.total}{', ' + self._speed() if self.audio_s else ''}]"
            print(text + counted, file=self.stream, flush=True)

    def _speed(self) -> str:
        spent = time.monotonic() - self._started
        if not self.audio_s or not spent:
            return ""
        return f"{self.audio_s / 60:.1f} min of audio, {self.audio_s / spent:.1f} x real time"

    def _left(self) -> str:
        if not self.ended:
            return ""
        seconds = (time.monotonic() - self._started) / self.ended * (self.total - self.ended)
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"
