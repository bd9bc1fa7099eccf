"""Whether two timelines are the pair that was meant, and what of them the log points at."""

from dataclasses import dataclass

from pipeline.invariants.reading import Rules
from pipeline.pairs.fork import CUT_FADE_S, fork_of, sounds_at
from pipeline.pairs.proposals import Proposal
from pipeline.records import Event, Segment, Timeline
from pipeline.samples import to_samples
from pipeline.validate import faults

LEAST_HEARD_S = 0.2
"""Whoever sounds at the fork has done so this long: its level before the fork tells where its speech begins."""
LEAST_BEFORE_S = 4.0
"""Least speech of all speakers before the fork, by which the level of the noise and of the whole are set."""


@dataclass(frozen=True)
class Outcome:
    """What happens at the moment in question in one member."""

    segment: Segment
    event: Event


@dataclass(frozen=True)
class Parting:
    """Where the members of a pair part, and how."""

    fork: int
    a: Outcome
    b: Outcome


def parting(proposal: Proposal, a: Timeline, b: Timeline, rules: Rules) -> Parting | None:
    """How the members part, if they are what was proposed: the same up to the decision, and another outcome after."""
    found = _FINDERS[proposal.kind](proposal, a, b)
    if found is None or found.fork != fork_of(a, b) or faults(a, rules) or faults(b, rules):
        return None
    return found if _is_heard(a, found.fork) and _is_heard(b, found.fork) else None


def _is_heard(timeline: Timeline, fork: int) -> bool:
    """Whether there is enough speech before the fork: of all, and of each that sounds at it."""
    before = sum(max(0, min(s.planned.end, fork) - s.planned.start) for s in timeline.segments)
    if before < to_samples(LEAST_BEFORE_S, timeline.rate):
        return False
    least = to_samples(LEAST_HEARD_S, timeline.rate)
    return all(fork - s.planned.start >= least for s in timeline.segments if sounds_at(s, fork))


def _claim(proposal: Proposal, a: Timeline, b: Timeline) -> Parting | None:
    """It fails (a) or takes the floor (b); they part shortly before the holder is cut off."""
    failed, taking = _spoken(a, proposal.act_id), _spoken(b, proposal.act_id)
    if not failed or not taking or failed[0].role != "claim" or taking[0].role != "floor":
        return None
    labels = _event(a, failed[0], "non_floor_taking"), _event(b, taking[0], "interruption")
    turn = b.turn(taking[0].turn_id or "")
    if labels[0] is None or labels[1] is None or turn.interrupts is None:
        return None
    cut = b.segment(b.turn(turn.interrupts).segments[-1])
    if b.utterance(cut.utterance_id).act_id != proposal.turn_id:
        return None
    fork = cut.planned.end - to_samples(CUT_FADE_S, b.rate)
    return Parting(fork, Outcome(failed[0], labels[0]), Outcome(taking[0], labels[1]))


def _pause(proposal: Proposal, a: Timeline, b: Timeline) -> Parting | None:
    """It is a hold (a) or a yield (b); they part where the holder goes on, or another begins."""
    before = _given_up(proposal, a, b)
    if before is None:
        return None
    hold, given = before
    return Parting(min(_after(a, hold.segment), _after(b, given.segment)), hold, given)


def _words(proposal: Proposal, a: Timeline, b: Timeline) -> Parting | None:
    """They are a backchannel (a) or begin a turn (b); they part where the holder, or their speaker, goes on."""
    heard, begun = _spoken(a, proposal.act_id), _spoken(b, proposal.act_id)
    before = _given_up(proposal, a, b)
    if before is None or len(heard) != 1 or len(begun) != 1:
        return None
    backchannel = _event(a, heard[0], "backchannel")
    if backchannel is None or begun[0].ending != "continues" or heard[0].planned != begun[0].planned:
        return None
    fork = min(_after(a, before[0].segment), _after(b, begun[0]))
    return Parting(fork, Outcome(heard[0], backchannel), Outcome(begun[0], before[1].event))


def _given_up(proposal: Proposal, a: Timeline, b: Timeline) -> tuple[Outcome, Outcome] | None:
    """The speech before the pause: it ends in a hold (a) and in a yield (b)."""
    held, given = _spoken(a, proposal.turn_id), _spoken(b, proposal.turn_id)
    if len(held) != 2 or len(given) != 1 or held[0].planned != given[0].planned:
        return None
    labels = _event(a, held[0], "turn_hold"), _event(b, given[0], "turn_yield")
    if labels[0] is None or labels[1] is None:
        return None
    return Outcome(held[0], labels[0]), Outcome(given[0], labels[1])


def _after(timeline: Timeline, segment: Segment) -> int:
    """First sample laid of what comes on the floor after `segment`; the end of all where nothing does."""
    floor = [s for s in timeline.segments if s.role == "floor" and s.planned.start >= segment.planned.end]
    return min((s.origin + s.lay.start for s in floor), default=timeline.n_samples)


def _spoken(timeline: Timeline, act_id: str) -> list[Segment]:
    return [s for s in timeline.segments if timeline.utterance(s.utterance_id).act_id == act_id]


def _event(timeline: Timeline, segment: Segment, kind: str) -> Event | None:
    return next((e for e in timeline.events if e.segment_id == segment.id and e.kind == kind), None)


_FINDERS = {"claim": _claim, "pause": _pause, "words": _words}
