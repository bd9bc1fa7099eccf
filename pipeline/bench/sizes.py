"""How much each part of the benchmark does."""

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from pipeline.records import Record

Part = Literal["stages", "renoise", "plan", "workers", "memory", "peer"]
PARTS: tuple[Part, ...] = get_args(Part)
"""In the order in which they are run; `peer` is run only where a peer is named."""


class Sizes(Record):
    """Numbers of conversations of each part."""

    stages: int = Field(ge=1, default=12)
    """Shipped scripts of dev, each by the length of its text; also those of `renoise` and `plan`."""
    seconds: float | None = Field(gt=0, default=None)
    """Length of each, from the template writer instead; None: the shipped scripts."""
    workers: int = Field(ge=2, default=8)
    """So many of them are made and spoken bare, by one worker and by two."""
    memory: int = Field(ge=2, default=500)
    """Conversations of 5 s."""
    dialogues: int = Field(ge=1, default=4)
    """Dialogues of two, for the peer."""
    turns: int | None = Field(ge=2, default=None)
    """The first turns of each alone."""
    seed: int = Field(ge=0, default=77)

    @model_validator(mode="after")
    def _workers_make_some_of_them(self) -> Self:
        if self.workers > self.stages:
            raise ValueError(
                f"workers={self.workers} conversations are some of the stages={self.stages}: ask for fewer"
            )
        return self


SMALL = Sizes(stages=2, seconds=12, workers=2, memory=4, dialogues=1, turns=2)
"""To see that it runs: its figures say nothing."""
