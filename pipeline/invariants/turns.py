"""How turns begin, go on and end."""

import itertools
from collections.abc import Iterator

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, extent_of, first_of, last_of, name_of, possession, when, with_role
from pipeline.records import Timeline, Turn
from pipeline.samples import to_samples


def turn_segments(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Turns list their floor segments in order; only the last one of a turn gives the floor up."""
    owner = {ident: turn.id for turn in timeline.turns for ident in turn.segments}
    if len(owner) < sum(len(turn.segments) for turn in timeline.turns):
        yield FloorError("turn-segments", "a segment is listed twice among the turns")
    for segment in timeline.segments:
        if owner.get(segment.id) != segment.turn_id:
            yield FloorError(
                "turn-segments",
                f"{name_of(segment, timeline)} says turn {segment.turn_id} but is listed in {owner.get(segment.id)}",
            )
    if not timeline.turns:
        yield FloorError("turn-segments", "the timeline has no turn")
    for turn in timeline.turns:
        yield from _turn_faults(timeline, turn)
    for before, turn in itertools.pairwise(timeline.turns):
        if first_of(timeline, turn).bounds.start <= first_of(timeline, before).bounds.start:
            yield FloorError("turn-segments", f"turn {turn.id} starts before turn {before.id}, which it follows")


def _turn_faults(timeline: Timeline, turn: Turn) -> Iterator[FloorError]:
    segments = [timeline.segment(ident) for ident in turn.segments]
    for segment in segments:
        if segment.speaker != turn.speaker:
            yield FloorError(
                "turn-segments", f"{name_of(segment, timeline)} stands in turn {turn.id} of {turn.speaker}"
            )
    for segment in segments[:-1]:
        if segment.ending not in ("hold", "continues"):
            yield FloorError(
                "turn-segments", f"{name_of(segment, timeline)} ends in {segment.ending} but turn {turn.id} goes on"
            )
    if segments[-1].ending not in ("yield", "interrupted"):
        yield FloorError(
            "turn-segments", f"turn {turn.id} ends with {name_of(segments[-1], timeline)}: {segments[-1].ending}"
        )
    for one, other in itertools.pairwise(segments):
        if other.bounds.start < one.bounds.end:
            yield FloorError("turn-segments", f"{name_of(other, timeline)} of turn {turn.id} is not after {one.id}")


def turn_entry(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The first turn opens, no other; a turn enters by interruption when, and only when, the one before is cut."""
    for before, turn in zip((None, *timeline.turns[:-1]), timeline.turns, strict=True):
        cut = before is not None and last_of(timeline, before).ending == "interrupted"
        due = "opening" if before is None else "interruption" if cut else "handover"
        if turn.entry != due:
            yield FloorError("turn-entry", f"turn {turn.id} enters by {turn.entry} where {due} is due")
        target = before.id if before is not None and cut else None
        if turn.interrupts != target:
            yield FloorError("turn-entry", f"turn {turn.id} interrupts {turn.interrupts}; the turn it cuts is {target}")


def hold_same_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A hold is a pause inside one synthesis."""
    for turn in timeline.turns:
        for one, other in itertools.pairwise(timeline.segment(ident) for ident in turn.segments):
            if one.ending != "hold":
                continue
            if one.utterance_id != other.utterance_id or other.source.start < one.source.end:
                yield FloorError(
                    "hold-same-utterance",
                    f"{name_of(one, timeline)} holds, but {name_of(other, timeline)} does not go on with its utterance",
                )
            if other.bounds.start <= one.bounds.end or other.planned.start <= one.planned.end:
                yield FloorError("hold-same-utterance", f"{name_of(one, timeline)} holds without a pause after it")


def yield_goes_elsewhere(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Whoever gives the floor up is followed by somebody else, and the conversation ends in a yield."""
    for before, turn in itertools.pairwise(timeline.turns):
        if before.speaker == turn.speaker:
            yield FloorError(
                "yield-goes-elsewhere",
                f"turn {before.id} of {before.speaker} gives the floor up at "
                f"{when(timeline, extent_of(timeline, before).end)}, but turn {turn.id} of the same speaker follows",
            )
    last = last_of(timeline, timeline.turns[-1])
    if last.ending != "yield":
        yield FloorError(
            "yield-goes-elsewhere", f"{name_of(last, timeline)} is the last on the floor and does not yield"
        )


def handover_after_turn(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """A turn that is handed over does not start long before the former holder stops."""
    latch = to_samples(rules.latch_s, timeline.rate)
    for before, turn in itertools.pairwise(timeline.turns):
        onset, stop = extent_of(timeline, turn).start, extent_of(timeline, before).end
        if turn.entry == "handover" and onset < stop - latch:
            yield FloorError(
                "handover-after-turn",
                f"turn {turn.id} is handed over at {when(timeline, onset)}, but {before.id} sounds until "
                f"{when(timeline, stop)}",
            )


def turn_has_floor(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No turn is over before it takes the floor, or loses it at once."""
    for ident, span in possession(timeline).items():
        if not span.length:
            extent = extent_of(timeline, timeline.turn(ident))
            yield FloorError(
                "turn-has-floor", f"turn {ident} ({when(timeline, extent.start, extent.end)}) never has the floor"
            )


def success_overlap(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A successful claim sounds before and at the cut-off, inside the turn that it cuts."""
    for before, turn in itertools.pairwise(timeline.turns):
        if turn.entry != "interruption":
            continue
        claim, cut = first_of(timeline, turn).bounds, extent_of(timeline, before).end
        if not claim.start < cut < claim.end:
            yield FloorError(
                "success-overlap",
                f"{name_of(first_of(timeline, turn), timeline)} interrupts {before.id} but does not sound before "
                f"and after the cut-off at {when(timeline, cut)}",
            )


def cut_off_inside_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Words stay unspoken where a segment is cut off."""
    for segment in with_role(timeline, "floor"):
        speech = timeline.utterance(segment.utterance_id).speech
        if segment.ending == "interrupted" and segment.source.end >= speech.end:
            yield FloorError(
                "cut-off-inside-utterance", f"{name_of(segment, timeline)} is cut off after its last sound"
            )
