"""Actors on a Ray cluster: one started on this machine for the run, or one that is there.

An actor keeps what it has loaded from one conversation to the next. Where its process or its node is lost, Ray starts
it again elsewhere and it does the conversation in hand once more: finished stages are found on the disk.
"""

import os
import re
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from pipeline.errors import ConfigError, WorkerError
from pipeline.executors.base import ONE_THREAD, JobT, Notify, ResultT, Work
from pipeline.executors.settings import ExecutorSettings

HANDED_ON = ("TURNFLOOR_CACHE", "TURNFLOOR_MODELS", "TURNFLOOR_SHARED_CACHE")
"""Variables of the environment that workers get as they are here."""

CONNECT_S = 5.0
"""Longest wait for a cluster's port."""


class OnRay:
    """Speaks in `workers` actors, by default as many as the cluster has CPUs for.

    Parameters
    ----------
    settings
        Address, CPUs and GPUs of each actor, and how often a lost one is started again.
    workers
        Actors at most; None: as many as the cluster holds.

    """

    def __init__(self, settings: ExecutorSettings, workers: int | None = None) -> None:
        self.settings = settings
        self.workers = workers

    def ready(self) -> None:
        """Join the cluster, which then is held until this process ends.

        Raises
        ------
        ConfigError
            when Ray is not installed, no cluster answers, or it cannot hold a single worker.

        """
        ray = _imported()
        started = _joined(ray, self.settings.address)
        try:
            self._most(ray)
        except ConfigError:
            if started:
                ray.shutdown()
            raise

    def map(self, work: Work[JobT, ResultT], jobs: Iterable[JobT], notify: Notify) -> Iterator[ResultT]:
        """Do `work` on every job; each actor has one job at a time.

        Raises
        ------
        ConfigError
            when Ray is not installed, no cluster answers, or it cannot hold a single worker.
        WorkerError
            when a worker is lost more often than `retries`.

        """
        ray = _imported()
        started = _joined(ray, self.settings.address)
        try:
            with _heard(ray, notify) as notes:
                yield from self._spread(ray, work, iter(jobs), notes)
        except ray.exceptions.RayActorError:
            raise WorkerError(
                f"executor=ray: a worker was lost more than executor.retries={self.settings.retries} times; what was "
                "finished is kept: run the same command again"
            ) from None
        finally:
            if started:
                ray.shutdown()

    def _spread(self, ray: Any, work: Work[JobT, ResultT], jobs: Iterator[JobT], notes: Any) -> Iterator[ResultT]:
        worker = ray.remote(
            num_cpus=self.settings.cpus,
            num_gpus=self.settings.gpus,
            max_restarts=self.settings.retries,
            max_task_retries=self.settings.retries,
        )(_Worker)
        busy: dict[Any, Any] = {}
        for job in islice(jobs, self._most(ray)):
            actor = worker.remote()
            busy[actor.do.remote(work, job, notes)] = actor
        while busy:
            (ready,), _ = ray.wait(list(busy), num_returns=1)
            actor = busy.pop(ready)
            result: ResultT = ray.get(ready)
            for job in islice(jobs, 1):
                busy[actor.do.remote(work, job, notes)] = actor
            yield result

    def _most(self, ray: Any) -> int:
        """Workers that the cluster holds at once."""
        there = ray.cluster_resources()
        fitting = int(there.get("CPU", 0) // self.settings.cpus)
        if self.settings.gpus:
            fitting = min(fitting, int(there.get("GPU", 0) // self.settings.gpus))
        if fitting < 1:
            raise ConfigError(
                f"executor.cpus={self.settings.cpus:g} executor.gpus={self.settings.gpus:g}: the cluster has "
                f"{there.get('CPU', 0):g} CPUs and {there.get('GPU', 0):g} GPUs, too few for one worker; ask for less"
            )
        return min(fitting, self.workers or fitting)


class _Worker:
    """What runs in an actor."""

    def do(self, work: Work[JobT, ResultT], job: JobT, notes: Any) -> ResultT:
        """One job; its notes go to the run."""
        return work(job, notes.put)


def _imported() -> Any:
    try:
        import ray
    except ImportError:
        raise ConfigError("executor=ray needs Ray: pip install 'turnfloor[ray]'") from None
    return ray


def _joined(ray: Any, address: str | None) -> bool:
    """Connect, and start a cluster on this machine where no address is given; True where this run did it."""
    if ray.is_initialized():
        return False
    if address and not _answers(address):
        raise _nobody(address, "no connection")
    handed = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    environment = {"env_vars": {**dict.fromkeys(ONE_THREAD, "1"), **handed}}
    here = {} if address else {"include_dashboard": False}
    try:
        ray.init(address=address, runtime_env=environment, log_to_driver=False, logging_level="ERROR", **here)
    except (ConnectionError, OSError, ValueError) as error:
        raise _nobody(address, str(error)[:120]) from None
    return True


def _answers(address: str) -> bool:
    """Whether something listens at `host:port`, which Ray takes minutes to deny; other forms are Ray's to try."""
    found = re.fullmatch(r"(?:ray://)?\[?([^\[\]/]+?)\]?:(\d+)", address)
    if not found:
        return True
    try:
        socket.create_connection((found[1], int(found[2])), timeout=CONNECT_S).close()
    except (OSError, OverflowError):
        return False
    return True


def _nobody(address: str | None, why: str) -> ConfigError:
    return ConfigError(
        f"executor.address={address}: no Ray cluster answers there ({why}); start one with `ray start --head`, or "
        "leave executor.address out"
    )


@contextmanager
def _heard(ray: Any, notify: Notify) -> Iterator[Any]:
    """A queue whose notes are handed on as they come."""
    from ray.util.queue import Queue

    notes = Queue(actor_options={"num_cpus": 0})
    listener = threading.Thread(target=_listen, args=(notes, notify), daemon=True)
    listener.start()
    try:
        yield notes
    finally:
        with suppress(ray.exceptions.RayError):
            notes.put(None)
            listener.join()


def _listen(notes: Any, notify: Notify) -> None:
    while (note := notes.get()) is not None:
        notify(note)
