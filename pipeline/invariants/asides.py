"""What sounds beside the floor: failed claims, backchannels, laughter."""

from collections.abc import Iterator

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, extent_of, name_of, possession, when, with_role
from pipeline.records import Timeline


def failed_claim_ends_first(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A failed claim starts and ends while the turn it contests has the floor, before its holder stops."""
    held = possession(timeline)
    for claim in with_role(timeline, "claim"):
        turn = timeline.turn(claim.during) if claim.during else None
        if turn is None or turn.speaker == claim.speaker:
            yield FloorError("failed-claim-ends-first", f"{name_of(claim, timeline)} contests no turn of another")
            continue
        have, stop = held[turn.id], extent_of(timeline, turn).end
        if not (have.start <= claim.bounds.start and claim.bounds.end <= have.end and claim.bounds.end < stop):
            yield FloorError(
                "failed-claim-ends-first",
                f"{name_of(claim, timeline)} does not lie inside turn {turn.id}, which has the floor "
                f"{when(timeline, have.start, have.end)} and sounds until {when(timeline, stop)}",
            )


def vocalisation_by_listener(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Backchannels and laughter come from those who do not hold the floor, in a turn that they hear."""
    held = possession(timeline)
    for segment in with_role(timeline, "backchannel", "laughter"):
        turn = timeline.turn(segment.during) if segment.during else None
        if turn is None or turn.speaker == segment.speaker:
            yield FloorError("vocalisation-by-listener", f"{name_of(segment, timeline)} responds to no turn of another")
            continue
        if not segment.bounds.overlap(extent_of(timeline, turn)):
            yield FloorError(
                "vocalisation-by-listener", f"{name_of(segment, timeline)} does not sound in turn {turn.id}"
            )
        for own in timeline.turns:
            if own.speaker == segment.speaker and held[own.id].overlap(segment.bounds):
                yield FloorError(
                    "vocalisation-by-listener",
                    f"{name_of(segment, timeline)} sounds while {own.speaker} has the floor with turn {own.id}",
                )


def backchannel_words(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """A backchannel has at most `max_words` words, and some."""
    for segment in with_role(timeline, "backchannel"):
        written = timeline.utterance(segment.utterance_id).written
        if not 0 < len(written.split()) <= rules.max_words:
            yield FloorError(
                "backchannel-words", f"{name_of(segment, timeline)} says {written!r}: 1 to {rules.max_words} words"
            )
