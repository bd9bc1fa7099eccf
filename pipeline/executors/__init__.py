"""Executors: the same work in this process, in a pool of processes, or on a Ray cluster."""

from pipeline.executors.base import Executor, Notify, Work
from pipeline.executors.local import Local
from pipeline.executors.ray import OnRay
from pipeline.executors.serial import Serial
from pipeline.executors.settings import ExecutorSettings, cores

__all__ = ["Executor", "Local", "Notify", "OnRay", "Serial", "Work", "executor_for"]


def executor_for(settings: ExecutorSettings, workers: int | None, jobs: int) -> Executor:
    """The executor asked for, with no more workers than there are jobs; a pool of one is no pool."""
    if settings.kind == "ray":
        return OnRay(settings, workers)
    wanted = 1 if settings.kind == "serial" else max(1, min(workers or cores(), jobs))
    return Serial() if wanted == 1 else Local(wanted)
