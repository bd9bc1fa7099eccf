"""What one participant decides: when to start, whether to pause, how hard to press a claim.

A participant asks nothing else of its policy, so that replacing one needs no other change.
"""

from dataclasses import dataclass
from typing import Protocol

from pipeline.records import ClaimAct, Script, TurnAct, Utterance, VocalisationAct
from pipeline.samples import RATE
from pipeline.simulation.performance import Hold, Performance
from pipeline.simulation.quotas import Draw, Quotas
from pipeline.timing import TimingSettings
from pipeline.timing.distributions import WHOLE


@dataclass(frozen=True)
class Attempt:
    """How a participant means to claim the floor; durations in samples."""

    presses: bool
    """True: speak on until the floor is taken; False: give up and let the holder keep it."""
    reaction: int
    """From the landing words to the onset."""
    overlap: int
    """From the onset to the cut-off, when pressing."""
    strength: float
    """Decides between two claimants at once; the higher takes the floor."""
    into_hold: bool = False
    """Set in during the holder's pause."""


class Policy(Protocol):
    """The decisions of one participant. All durations are samples."""

    def gap(self, act: TurnAct) -> int:
        """From the offset of the turn before to the onset of `act`; negative: before it ends."""

    def continuation_gap(self, act: TurnAct) -> int:
        """Between two utterances of the same holder."""

    def holds(self, act: TurnAct, utterance: Utterance) -> tuple[Hold, ...]:
        """Which pauses of the utterance to lengthen, and to what."""

    def attempt(self, act: ClaimAct) -> Attempt | None:
        """How to make this claim; None: let it be."""

    def reaction(self, act: VocalisationAct) -> int | None:
        """From the landing words to the onset of this vocalisation; None: let it be."""

    def yields(self, to: Attempt) -> bool:
        """Whether to stop for a claimant that presses."""

    def resumes(self, cut: Performance) -> bool:
        """Whether to take up the unspoken words of a turn that was cut off."""


@dataclass(frozen=True)
class QuotaPolicy:
    """Draws the timing from distributions and keeps to the conversation's quotas."""

    timing: TimingSettings
    quotas: Quotas
    draw: Draw
    rate: int = RATE

    def gap(self, act: TurnAct) -> int:
        """From the distribution of the way in which `act` follows, or from its part of the one for all."""
        between = self.quotas.ranks.get(act.follows, WHOLE)
        return self.timing.draw_gap(act.follows, self.draw("gap", act.id), self.rate, between)

    def continuation_gap(self, act: TurnAct) -> int:
        """From the distribution of same-holder continuations."""
        return self.timing.continuation_gap.draw(self.draw("continuation", act.id), self.rate)

    def holds(self, act: TurnAct, utterance: Utterance) -> tuple[Hold, ...]:
        """The hold that the quota gives this turn, if any; never shorter than the pause it lengthens."""
        pause = self.quotas.holds.get(act.id)
        if pause is None:
            return ()
        length = self.timing.hold_pause.draw(self.draw("hold pause", act.id), self.rate)
        return (Hold(pause, max(length, pause.end - pause.start)),)

    def attempt(self, act: ClaimAct) -> Attempt:
        """Press where the quota says the claim succeeds."""
        rng = self.draw("claim", act.id)
        presses = act.id in self.quotas.won
        return Attempt(
            presses=presses,
            reaction=self.timing.reaction.draw(rng, self.rate),
            overlap=self.timing.interruption_overlap.draw(rng, self.rate),
            strength=float(rng.random()) + presses,
            into_hold=act.id in self.quotas.contesting,
        )

    def reaction(self, act: VocalisationAct) -> int:
        """From the reaction distribution."""
        return self.timing.reaction.draw(self.draw("vocalisation", act.id), self.rate)

    def yields(self, to: Attempt) -> bool:
        """Stop for whoever presses."""
        return to.presses

    def resumes(self, cut: Performance) -> bool:
        """With the configured probability."""
        return float(self.draw("resume", cut.act.id).random()) < self.timing.resume_probability


def policies_for(script: Script, policy: Policy, others: dict[str, Policy] | None = None) -> dict[str, Policy]:
    """One policy a speaker of `script`: `policy`, save for those in `others`."""
    speakers = sorted({act.speaker for act in script.acts})
    return {speaker: (others or {}).get(speaker, policy) for speaker in speakers}
