"""Hands the notes that workers make on to the run."""

import threading
from collections.abc import Callable

from pipeline.executors.base import Notify
from pipeline.progress import Note


class Listener(threading.Thread):
    """Hands notes on as they come, until there is None.

    After one that cannot be handed on (a closed terminal) the others are taken in all the same: workers that nobody
    listens to would wait for ever.

    Parameters
    ----------
    take
        Gives the next note, as soon as there is one.
    notify
        Where notes go.

    """

    def __init__(self, take: Callable[[], Note | None], notify: Notify) -> None:
        super().__init__(daemon=True)
        self._take, self._notify = take, notify
        self._error: BaseException | None = None

    def run(self) -> None:
        """Take in all notes."""
        while (note := self._take()) is not None:
            if self._error is None:
                try:
                    self._notify(note)
                except BaseException as error:  # whatever it is, it is the run's, not this thread's
                    self._error = error

    def check(self) -> None:
        """Raise what handing on raised, if anything."""
        if self._error is not None:
            raise self._error
