"""Runs a function over conversations: in this process, or in a pool of processes. A stage never knows which."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Protocol, TypeVar

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Executor(Protocol):
    """What the runner needs: results as they come, in any order."""

    def map(self, function: Callable[[_Job], _Result], jobs: Iterable[_Job]) -> Iterator[_Result]:
        """Apply `function` to every job; yield the results as they are ready."""


class Serial:
    """One after another in this process."""

    def map(self, function: Callable[[_Job], _Result], jobs: Iterable[_Job]) -> Iterator[_Result]:
        """Apply `function` to every job in order."""
        yield from map(function, jobs)


class Local:
    """A pool of processes, each with one thread: two of these beat one with two threads."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, function: Callable[[_Job], _Result], jobs: Iterable[_Job]) -> Iterator[_Result]:
        """Apply `function` in the pool; jobs that have not begun are let go when the caller stops."""
        for name in _ONE_THREAD:
            os.environ.setdefault(name, "1")
        # spawn: a forked child would share the parent's threads and sockets in an unknown state.
        pool = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))
        try:
            for done in as_completed([pool.submit(function, job) for job in jobs]):
                yield done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def executor_for(workers: int) -> Executor:
    """Serial for one worker, a local pool for more."""
    return Serial() if workers == 1 else Local(workers)
