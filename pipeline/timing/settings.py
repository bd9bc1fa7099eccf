"""Settings of the floor's timing: every parameter of stage 2, with the table it comes from in `conf/timing`."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from pipeline.by_speakers import BySpeakers
from pipeline.records.base import Record
from pipeline.records.script import Follows
from pipeline.records.spec import InteractionType
from pipeline.timing.distributions import WHOLE, Distribution, Quantiles, is_quantiles

HoldAfter = Literal["clause", "question"]
Gaps = Annotated[
    Annotated[dict[Follows, Distribution], Tag("by way")] | Annotated[Quantiles, Tag("quantiles")],
    Discriminator(lambda data: "quantiles" if is_quantiles(data) else "by way"),
]
"""Gaps by the way a turn follows, or one distribution of them all."""


class TimingSettings(Record):
    """How long gaps, pauses and overlaps last, and how often claims succeed and turns hold.

    Durations in seconds. Defaults stand in ``conf/timing/paper.yaml``, with their sources.
    """

    lead_in_s: float = Field(ge=0)
    tail_s: float = Field(ge=0)
    gaps: Gaps
    """Floor-transfer offset of a yield: from its offset to the next onset; negative: an overlap.

    Either a distribution for each way in which a turn follows, or one for all: then a way stands for its rank, see
    :meth:`draw_gap`.
    """
    continuation_gap: Distribution
    hold_pause: Distribution
    hold_rate: BySpeakers
    """Holds per floor segment, at most 1."""
    hold_min_segment_s: float = Field(ge=0)
    hold_min_part_s: float = Field(ge=0)
    """Least speech on either side of a hold."""
    hold_after: HoldAfter = "clause"
    """Where a turn may hold: at any clause boundary, or only after a question that its speaker goes on from."""
    contested_share: float = Field(ge=0, le=1)
    """Share of the holds that a failed claim of another speaker falls into."""
    claim_success_rate: dict[InteractionType, float]
    interruption_overlap: Distribution
    """From the interrupter's onset to the cut-off."""
    reaction: Distribution
    """From the last word heard to the onset of a claim or vocalisation."""
    laugh: Distribution
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

    def draw_gap(
        self, follows: Follows, rng: np.random.Generator, rate: int, between: tuple[float, float] = WHOLE
    ) -> int:
        """The gap [samples at `rate`] before a turn that follows in the way `follows`.

        Where all ways share one distribution, the gap comes from its part `between` two probabilities: the script
        says which of its turns follow sooner and which later, the distribution how soon and how late.
        """
        if isinstance(self.gaps, Mapping):
            return self.gaps[follows].draw(rng, rate)
        return self.gaps.draw(rng, rate, between)
