"""What runs a function over conversations; a stage never knows which one does."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from pipeline.progress import Note

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")
Notify = Callable[[Note], None]
Work = Callable[[JobT, Notify], ResultT]

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Variables by which numeric libraries are told how many threads to use."""


def one_thread_each() -> None:
    """Have numeric libraries that are imported from now on, here and in children, use one thread."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")


class Executor(Protocol):
    """What the runner needs: results as they come, in any order."""

    def map(self, work: Work[JobT, ResultT], jobs: Iterable[JobT], notify: Notify) -> Iterator[ResultT]:
        """Do `work` on every job; yield the results as they are ready, hand on the notes that it makes.

        Jobs are taken as there are workers for them: where the next is not ready yet, taking it waits.

        Raises
        ------
        WorkerError
            when a worker is lost and its job cannot be done again.

        """
