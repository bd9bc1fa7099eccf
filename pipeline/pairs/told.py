"""A policy that is told what to do at single moments, and else does as usual."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.records import ClaimAct, TurnAct, Utterance, VocalisationAct
from pipeline.simulation.performance import Hold
from pipeline.simulation.policy import Attempt, QuotaPolicy


@dataclass(frozen=True)
class Told(QuotaPolicy):
    """The usual policy but for the acts, by their ids, that it is told about. Durations are samples."""

    attempts: Mapping[str, Attempt] = field(default_factory=dict)
    withstands: bool = False
    """Whether holders keep the floor against the attempts told."""
    pauses: Mapping[str, Hold] = field(default_factory=dict)
    told_gaps: Mapping[str, int] = field(default_factory=dict)
    """Before a turn, whoever spoke before it."""
    reactions: Mapping[str, int] = field(default_factory=dict)

    def gap(self, act: TurnAct) -> int:
        """The one told, else the usual one."""
        return self.told_gaps[act.id] if act.id in self.told_gaps else super().gap(act)

    def continuation_gap(self, act: TurnAct) -> int:
        """The one told, else the usual one."""
        return self.told_gaps[act.id] if act.id in self.told_gaps else super().continuation_gap(act)

    def holds(self, act: TurnAct, utterance: Utterance) -> tuple[Hold, ...]:
        """The one told and no other, else the usual ones."""
        return (self.pauses[act.id],) if act.id in self.pauses else super().holds(act, utterance)

    def attempt(self, act: ClaimAct) -> Attempt:
        """The one told, else the usual one."""
        return self.attempts[act.id] if act.id in self.attempts else super().attempt(act)

    def reaction(self, act: VocalisationAct) -> int:
        """The one told, else the usual one."""
        return self.reactions[act.id] if act.id in self.reactions else super().reaction(act)

    def yields(self, to: Attempt) -> bool:
        """As usual, but for the attempts told where they are to be withstood."""
        return super().yields(to) and not (self.withstands and to in self.attempts.values())
