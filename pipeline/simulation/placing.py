"""Where a claim or a vocalisation goes in the turn that it lands in; what does not fit is moved."""

from dataclasses import dataclass

from pipeline.records import Span
from pipeline.samples import RATE, to_samples
from pipeline.simulation.performance import Performance
from pipeline.simulation.policy import Attempt
from pipeline.timing import TimingSettings

CUT_MARGIN_S = 0.06
"""How deep in speech a cut-off lies at least, so that it can be heard where it is."""
LEAST_UNSPOKEN_S = 0.25
"""What an interruption leaves unspoken at least; less would sound like a turn that had ended."""
FIRST_CHANCE_S = 0.3
"""Nobody speaks into a turn earlier than this after its onset."""


LAST_CHANCE_S = 0.2
"""Nor does anybody respond to a turn that has less than this left to go."""


@dataclass(frozen=True)
class Placement:
    """Where a listener's sound goes; samples on the channel."""

    onset: int
    length: int
    cut: int | None = None
    """When the holder is to be cut off; None for a sound that leaves the floor where it is."""


def press(
    turn: Performance, attempt: Attempt, length: int, wanted: int, earliest: int, timing: TimingSettings
) -> Placement | None:
    """Place a claim that presses: it starts at least its overlap before the natural end; None: no room."""
    overlap = min(attempt.overlap, length - to_samples(CUT_MARGIN_S, RATE))
    first, last = earliest, turn.end - to_samples(LEAST_UNSPOKEN_S, RATE) - overlap
    if last < first or overlap < to_samples(timing.least_claim_s, RATE) // 2:
        return None
    onset = min(max(wanted, first), last)
    for cut in turn.cut_places(onset + overlap, to_samples(CUT_MARGIN_S, RATE)):
        if first <= cut - overlap <= last:
            return Placement(cut - overlap, length, cut)
    return None


def give_up(
    turn: Performance, length: int, wanted: int, earliest: int, last_end: int, timing: TimingSettings
) -> Placement | None:
    """Place a claim that fails: it ends before `last_end`, earlier or shorter if it must; None: no room."""
    onset = max(min(wanted, last_end - length), earliest)
    kept = min(length, last_end - onset)
    return Placement(onset, kept) if kept >= to_samples(timing.least_claim_s, RATE) else None


def into_hold(turn: Performance, reaction: int) -> int | None:
    """Onset of a claim that contests the first hold of the turn: inside its first half."""
    spans: list[Span] = turn.hold_spans
    return spans[0].start + min(reaction, spans[0].length // 2) if spans else None


def vocalise(turn: Performance, length: int, wanted: int, earliest: int, last_end: int) -> Placement | None:
    """Place a vocalisation inside the turn, ending by `last_end`; None: no room."""
    last = turn.end - to_samples(LAST_CHANCE_S, RATE)
    onset = max(min(wanted, last_end - length, last), earliest)
    return Placement(onset, length) if onset + length <= last_end and onset <= last else None
