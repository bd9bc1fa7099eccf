"""Settings of the floor's timing: every parameter of stage 2, with the table it comes from in `conf/timing`."""

from typing import Self

import numpy as np
from pydantic import Field, model_validator

from pipeline.records.base import Record
from pipeline.records.script import Follows
from pipeline.records.spec import InteractionType
from pipeline.samples import to_samples


class Uniform(Record):
    """A uniform distribution from `low` to `high` [s]."""

    low: float
    high: float

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.high < self.low:
            raise ValueError(f"a range from {self.low} to {self.high} runs backwards; swap the two")
        return self

    def draw(self, rng: np.random.Generator, rate: int) -> int:
        """One value in samples at `rate`."""
        return to_samples(float(rng.uniform(self.low, self.high)), rate)


class TimingSettings(Record):
    """How long gaps, pauses and overlaps last, and how often claims succeed and turns hold.

    Durations in seconds. Defaults stand in ``conf/timing/paper.yaml``, with their sources.
    """

    lead_in_s: float = Field(ge=0)
    tail_s: float = Field(ge=0)
    gaps: dict[Follows, Uniform]
    """Gap between a yield and the next onset, by the way the turn follows; negative: an overlap."""
    continuation_gap: Uniform
    hold_pause: Uniform
    hold_rate: float = Field(ge=0, le=1)
    """Holds per floor segment."""
    hold_min_segment_s: float = Field(ge=0)
    hold_min_part_s: float = Field(ge=0)
    """Least speech on either side of a hold."""
    contested_share: float = Field(ge=0, le=1)
    """Share of the holds that a failed claim of another speaker falls into."""
    claim_success_rate: dict[InteractionType, float]
    interruption_overlap: Uniform
    """From the interrupter's onset to the cut-off."""
    reaction: Uniform
    """From the last word heard to the onset of a claim or vocalisation."""
    laugh: Uniform
    """Length of a laugh."""
    failed_margin_s: float = Field(ge=0)
    """A failed claim ends at least this long before its holder stops."""
    least_claim_s: float = Field(gt=0)
    """A claim that cannot sound this long isn't made."""
    self_gap_s: float = Field(ge=0)
    """Least silence between two sounds of one speaker."""
    late_vocalisation_s: float = Field(ge=0)
    """How far a vocalisation may run on after the end of the turn it responds to."""
    resume_probability: float = Field(ge=0, le=1)
    """That an interrupted speaker takes up the unspoken words again."""
    guard_s: float = Field(ge=0)
    """Near-silence laid with a segment on either side, so that no soft sound is cut off."""
