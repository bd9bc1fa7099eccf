"""What was measured and the model is fed with: what conversations took by stage, and runs to check it against."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from pipeline.records import Record
from pipeline.stages import Stage

SHIPPED = Path(__file__).with_name("measured.json")
"""What `make bench` measured, as it is shipped."""

Asking = Literal["whole", "lines"]
"""Writers that ask a language model."""


class Asked(Record):
    """What the script of a conversation asks of a language model, as `pipeline.estimate` reckons it."""

    requests: float = Field(ge=0)
    prompt_tokens: float = Field(ge=0)
    completion_tokens: float = Field(ge=0)


class Took(Record):
    """What one conversation took on one core that nobody else used."""

    audio_s: float = Field(gt=0)
    cpu_s: dict[Stage, float]
    """CPU seconds by stage; of the script, those of the run's own process."""
    bytes: int = Field(ge=0)
    asked: dict[Asking, Asked] = Field(default_factory=dict)


class MeasuredRun(Record):
    """A run of the first conversations of a :class:`Measured`, on one machine."""

    workers: int = Field(ge=1)
    conversations: int = Field(ge=1)
    wall_s: float = Field(gt=0)
    """From the first conversation's beginning to the last one's end."""
    cpu_s: float = Field(gt=0)
    """Of all workers together."""
    drift: float = Field(default=1.0, gt=0)
    """CPU seconds of bare synthesis beside this run over those of the same conversations when their stages were
    measured: a shared machine is not as fast at one hour as at another."""

    @property
    def quiet(self) -> bool:
        """Whether its workers had the cores to themselves: else its wall time says nothing."""
        return self.cpu_s > 0.85 * self.wall_s * self.workers


class Measured(Record):
    """One bench run on one machine; all of it is in seconds."""

    machine: str
    """Processor and number of cores."""
    conversations: tuple[Took, ...] = Field(min_length=1)
    start_s: float = Field(ge=0)
    """From a worker's start to the moment when it can take a conversation."""
    plan_s: float = Field(ge=0)
    """For each conversation, before the first one begins: planning it, in the run's own process."""
    finish_s: float = Field(ge=0)
    """For each conversation, after the last one ends: manifest, statistics and report, in the run's own process."""
    check_s: float = Field(ge=0)
    """For each conversation that stands: finding that it does, by the sums of its files."""
    crowding: dict[int, float] = Field(default_factory=lambda: {1: 1.0})
    """CPU seconds of bare synthesis where so many workers speak on one machine, over those of one alone."""
    runs: tuple[MeasuredRun, ...] = ()
    """What a prediction can be checked against; nothing else here was taken from them."""

    def slower(self, workers: int) -> float:
        """The factor on CPU seconds with so many workers a machine; beyond what was measured it stays as it is."""
        return self.crowding[max(known for known in self.crowding if known <= max(workers, min(self.crowding)))]

    def seconds(self, stage: Stage) -> float:
        """CPU seconds that a second of audio takes in a stage, over all conversations."""
        return sum(one.cpu_s.get(stage, 0.0) for one in self.conversations) / self.audio_s

    @property
    def audio_s(self) -> float:
        """Of all conversations."""
        return sum(one.audio_s for one in self.conversations)


def stage_shares(cpu_s: Mapping[Stage, float]) -> tuple[float, ...]:
    """CPU seconds of the stages that a worker does, in their order."""
    return tuple(seconds for stage, seconds in cpu_s.items() if stage != "script")
