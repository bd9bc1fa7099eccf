"""How the conversations of a run are spread over processes and machines."""

import os
import shlex
from typing import Any, Literal

from pydantic import Field, field_validator

from pipeline.records import Record


class ExecutorSettings(Record):
    """The group ``conf/executor``."""

    kind: Literal["serial", "local", "ray", "slurm"] = "local"
    """Who makes the conversations; one of `executor=`."""
    address: str | None = None
    """Ray: the cluster to join, such as `auto` or `ray://head:10001`; None: one started on this machine for the run."""
    cpus: float = Field(default=1.0, gt=0)
    """Ray: CPUs that each worker holds."""
    gpus: float = Field(default=0.0, ge=0)
    """Ray: GPUs that each worker holds."""
    retries: int = Field(default=3, ge=0)
    """Ray: how often a lost worker is started again, and the conversation that it had."""
    shards: int = Field(default=8, ge=1)
    """Slurm: tasks of the array."""
    options: tuple[str, ...] = ()
    """Slurm: further lines for `#SBATCH`, such as `--partition=cpu`."""
    submit: bool = True
    """Slurm: hand the array in with `sbatch`; false: write the scripts and say how."""

    @field_validator("options", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """A list, or text such as `--partition=cpu --time=08:00:00`."""
        return tuple(shlex.split(value)) if isinstance(value, str) else value


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))
