"""A pool of processes on this machine."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from pipeline.errors import WorkerError
from pipeline.executors.base import JobT, Notify, ResultT, Work, one_thread_each
from pipeline.executors.notes import Listener


class Local:
    """A pool of processes, each with one thread: two of these beat one with two threads."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, work: Work[JobT, ResultT], jobs: Iterable[JobT], notify: Notify) -> Iterator[ResultT]:
        """Do `work` in the pool; jobs that have not begun are let go when the caller stops."""
        one_thread_each()
        # spawn: a forked child would share the parent's threads and sockets in an unknown state.
        context = multiprocessing.get_context("spawn")
        notes = context.SimpleQueue()
        listener = Listener(notes.get, notify)
        listener.start()
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin, initargs=(notes,))
        try:
            rest = iter(jobs)
            # One more than there are workers, so that none waits for the next job to be handed over.
            under_way = {pool.submit(_call, work, job) for job in islice(rest, self.workers + 1)}
            while under_way:
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                listener.check()
                for one in done:
                    under_way |= {pool.submit(_call, work, job) for job in islice(rest, 1)}
                    yield one.result()
        except BaseException as error:
            # Whoever stops the run does not want to wait for conversations in hand: they are made again anyway.
            # A worker that is stopped in the middle of a note leaves the queue locked, so it is let go as it is.
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(error, BrokenProcessPool):
                raise self._lost() from None
            raise
        pool.shutdown()
        notes.put(None)
        listener.join()
        listener.check()

    def _lost(self) -> WorkerError:
        return WorkerError(
            f"workers={self.workers}: the system killed a worker, most likely for want of memory; what was "
            "finished is kept: run the same command again with fewer workers="
        )


_NOTES: Any = None
"""The queue back to the parent; set once in each worker, which has no other way to be given one."""


def _begin(notes: Any) -> None:
    global _NOTES
    _NOTES = notes
    threading.Thread(target=_die_with_parent, daemon=True).start()
    # The terminal sends an interrupt to all processes; only the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _die_with_parent() -> None:
    """End this worker when the run is gone, however it ended: nobody would take its results."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(work: Work[JobT, ResultT], job: JobT) -> ResultT:
    return work(job, _NOTES.put)
