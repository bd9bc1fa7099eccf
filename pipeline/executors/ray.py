"""Actors on a Ray cluster: one started on this machine for the run, or one that is there.

An actor keeps what it has loaded from one conversation to the next. Where its process or its node is lost, Ray starts
it again elsewhere and it does the conversation in hand once more: finished stages are found on the disk.
"""

import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from pipeline.errors import ConfigError, WorkerError
from pipeline.executors.base import ONE_THREAD, JobT, Notify, ResultT, Work
from pipeline.executors.notes import Listener
from pipeline.executors.settings import ExecutorSettings
from pipeline.progress import Note

HANDED_ON = ("TURNFLOOR_CACHE", "TURNFLOOR_CACHE_GB", "TURNFLOOR_MODELS", "TURNFLOOR_SHARED_CACHE")
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
            with _heard(ray, notify) as (notes, listener):
                for result in self._spread(ray, work, iter(jobs), notes):
                    listener.check()
                    yield result
            listener.check()
        except ray.exceptions.RayTaskError:
            raise  # what a job raised is its own
        except ray.exceptions.RayActorError:
            raise _stopped(f"a worker was lost more than executor.retries={self.settings.retries} times") from None
        except ray.exceptions.RayError as error:
            raise _stopped(" ".join(str(error).split())[:200] or type(error).__name__) from None
        finally:
            if started:
                ray.shutdown()

    def _spread(self, ray: Any, work: Work[JobT, ResultT], jobs: Iterator[JobT], notes: Any) -> Iterator[ResultT]:
        worker = ray.remote(
            num_cpus=self.settings.cpus,
            num_gpus=self.settings.gpus,
            max_restarts=self.settings.retries,
            # As often as it takes to reach an actor that is being started elsewhere; restarts are what is counted.
            max_task_retries=-1,
        )(_Worker)
        busy: dict[Any, Any] = {}

        def hand_over(most: int, actor: Any = None) -> None:
            """Give the next jobs to `actor`, or to new ones; one that nothing refers to lets go of its CPUs."""
            for job in islice(jobs, most):
                taker = actor or worker.remote(os.getcwd())
                busy[taker.do.remote(work, job, notes)] = taker

        hand_over(self._most(ray))
        while busy:
            (ready,), _ = ray.wait(list(busy), num_returns=1)
            result: ResultT = ray.get(ready)
            hand_over(1, busy.pop(ready))
            yield result

    def _most(self, ray: Any) -> int:
        """Workers that the cluster holds at once."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        fitting = sum(self._on(node) for node in nodes)
        if fitting < 1:
            most = " and ".join(
                f"{max((node.get(kind, 0) for node in nodes), default=0):g} {kind}s" for kind in ("CPU", "GPU")
            )
            raise ConfigError(
                f"executor.cpus={self.settings.cpus:g} executor.gpus={self.settings.gpus:g}: a machine of the cluster "
                f"has at most {most}, too few for one worker; ask for less"
            )
        return min(fitting, self.workers or fitting)

    def _on(self, node: Mapping[str, float]) -> int:
        """Workers that one machine of the cluster holds."""
        fitting = int(node.get("CPU", 0) // self.settings.cpus)
        return min(fitting, int(node.get("GPU", 0) // self.settings.gpus)) if self.settings.gpus else fitting


class _Worker:
    """What runs in an actor; relative paths are what they are where the run was started."""

    def __init__(self, folder: str) -> None:
        with suppress(OSError):  # a machine that lacks it is given whole paths, or a URL
            os.chdir(folder)

    def do(self, work: Work[JobT, ResultT], job: JobT, notes: Any) -> ResultT:
        """One job; its notes go to the run, unless their queue is lost: then it is done in silence."""
        from ray.exceptions import RayError

        def notify(note: Note) -> None:
            with suppress(RayError):
                notes.put(note)

        return work(job, notify)


def _stopped(why: str) -> WorkerError:
    return WorkerError(f"executor=ray: {why}; what was finished is kept: run the same command again")


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
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:  # RuntimeError: another version of Ray
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
def _heard(ray: Any, notify: Notify) -> Iterator[tuple[Any, Listener]]:
    """A queue whose notes are handed on as they come; it lives where the run does, and is lost only with it."""
    from ray.util.queue import Queue
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    notes = Queue(actor_options={"num_cpus": 0, "scheduling_strategy": here})
    listener = Listener(notes.get, notify)
    listener.start()
    try:
        yield notes, listener
    finally:
        with suppress(ray.exceptions.RayError):
            notes.put(None)
            listener.join()
