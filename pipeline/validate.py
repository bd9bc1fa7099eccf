"""The invariants of the floor, stated in one place and checked without any of the code that makes timelines.

``python -m pipeline.validate CORPUS`` checks every conversation of a corpus folder, records and sound; the names
under which files are refused stand in :mod:`pipeline.output.audit`.

Each invariant has a name; a timeline that breaks it is refused under that name:

=========================  ==================================================================================
ids-unique                 no two utterances, segments, turns or events share an id
links-resolve              every id refers to something that is there and of the right kind
known-speaker              every speaker is a participant, on that participant's channel
word-in-utterance          words, speech and pauses lie in order inside their utterance
segment-in-utterance       a segment, and what is laid with it, lies inside its utterance
inside-conversation        all sound lies between the first and the last sample
pause-in-segment           inner pauses lie in order inside their segment
no-self-overlap            no speaker sounds twice at once
turn-segments              turns and floor segments belong to each other, in order of time
turn-entry                 the first turn opens; an interrupting turn, and no other, follows one that is cut off
hold-same-utterance        a hold lies between two segments of one utterance, and its pause is positive
yield-goes-elsewhere       every yield but the last hands over to another speaker; the last segment yields
handover-after-turn        a hand-over starts at most `latch_s` before its former holder stops
success-overlap            an interruption starts before the cut-off and still sounds at it
cut-off-inside-utterance   a segment that is cut off ends inside its utterance
failed-claim-ends-first    a failed claim lies within its holder's possession and ends before the holder stops
vocalisation-by-listener   a backchannel or laugh sounds in the turn of another, not while its speaker holds
backchannel-words          a backchannel has at most `max_words` words
turn-has-floor             every turn has the floor for a while
one-holder                 the ownership track is contiguous over all samples, one holder or none
ownership-rule             the floor passes at the cut-off, at the new onset, and is nobody's in a gap
change-has-event           everything that happens to the floor has its event
event-has-effect           every event has its effect, once
event-matches-segment      an event's times, speaker, turn and links are those of its segment
tail                       at least `tail_s` follow the last offset
=========================  ==================================================================================
"""

import argparse
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.errors import FloorError, InputError, PipelineError
from pipeline.output.audit import audit, manifest_faults
from pipeline.output.manifest import MANIFEST, conversation_folders, read_manifest
from pipeline.records import Event, EventKind, Links, Record, Segment, Span, Timeline, Turn
from pipeline.samples import to_samples, to_seconds


class Rules(Record):
    """What a corpus may configure of the invariants."""

    max_words: int = 3
    """Most words of a backchannel (table 2 of the paper)."""
    tail_s: float = 3.0
    """Least silence after the last offset [s], so that a final yield can be found in its window."""
    latch_s: float = 0.25
    """Most overlap of a hand-over that is no interruption [s]: 0.12 planned (table 17), and measuring."""


DEFAULT = Rules()
Check = Callable[[Timeline, Rules], Iterator[FloorError]]


def validate(timeline: Timeline, rules: Rules = DEFAULT) -> None:
    """Refuse a timeline that breaks an invariant.

    Raises
    ------
    FloorError
        the first fault: its `invariant` is the name, its message gives ids and times.

    """
    for fault in _faults(timeline, rules):
        raise fault


def faults(timeline: Timeline, rules: Rules = DEFAULT) -> list[FloorError]:
    """All faults; those of a kind that rests on a broken one are left out (order of :data:`GROUPS`)."""
    return list(_faults(timeline, rules))


def _faults(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    for group in GROUPS:
        found = False
        for check in group:
            for fault in check(timeline, rules):
                found = True
                yield fault
        if found:
            return


# Reading helpers -------------------------------------------------------------------------------------------


def _at(timeline: Timeline, *samples: int) -> str:
    """Times for a message: '2.800 s' or '2.800 to 3.600 s'."""
    return " to ".join(f"{to_seconds(sample, timeline.rate):.3f}" for sample in samples) + " s"


def _name(segment: Segment, timeline: Timeline) -> str:
    return f"segment {segment.id} of {segment.speaker} ({_at(timeline, segment.bounds.start, segment.bounds.end)})"


def _first(timeline: Timeline, turn: Turn) -> Segment:
    return timeline.segment(turn.segments[0])


def _last(timeline: Timeline, turn: Turn) -> Segment:
    return timeline.segment(turn.segments[-1])


def _extent(timeline: Timeline, turn: Turn) -> Span:
    return Span(start=_first(timeline, turn).bounds.start, end=_last(timeline, turn).bounds.end)


def _with_role(timeline: Timeline, *roles: str) -> Iterator[Segment]:
    return (segment for segment in timeline.segments if segment.role in roles)


def _possession(timeline: Timeline) -> dict[str, Span]:
    """When each turn holds the floor, worked out from sound and entries alone, in order of the turns.

    A turn takes the floor at the cut-off of the turn that it interrupts, else at its own onset; it has it
    until its own offset or until the next turn takes it.
    """
    taken: list[int] = []
    cut = 0
    for turn in timeline.turns:
        extent = _extent(timeline, turn)
        taken.append(cut if turn.entry == "interruption" else extent.start)
        cut = extent.end
    held = {}
    for turn, start, following in zip(timeline.turns, taken, [*taken[1:], None], strict=True):
        stop = _extent(timeline, turn).end
        end = stop if following is None else min(stop, following)
        held[turn.id] = Span(start=start, end=max(start, end))
    return held


# Identity and reference ------------------------------------------------------------------------------------


def ids_unique(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No two records of a kind share an id."""
    kinds: dict[str, list[str]] = {
        "speaker": [item.id for item in timeline.speakers],
        "utterance": [item.id for item in timeline.utterances],
        "segment": [item.id for item in timeline.segments],
        "turn": [item.id for item in timeline.turns],
        "event": [item.id for item in timeline.events],
    }
    for kind, ids in kinds.items():
        for ident, count in Counter(ids).items():
            if count > 1:
                yield FloorError("ids-unique", f"{kind} {ident} occurs {count} times; give each its own id")


def links_resolve(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every reference leads to a record of the right kind."""
    ids = {
        "utterance": {item.id for item in timeline.utterances},
        "segment": {item.id for item in timeline.segments},
        "turn": {item.id for item in timeline.turns},
    }
    for owner, kind, ident in _references(timeline):
        if ident is not None and ident not in ids[kind]:
            yield FloorError("links-resolve", f"{owner} refers to {kind} {ident}, which is not in the timeline")


def _references(timeline: Timeline) -> Iterator[tuple[str, str, str | None]]:
    for segment in timeline.segments:
        yield f"segment {segment.id}", "utterance", segment.utterance_id
        yield f"segment {segment.id}", "turn", segment.turn_id
        yield f"segment {segment.id} (during)", "turn", segment.during
    for turn in timeline.turns:
        yield from ((f"turn {turn.id}", "segment", ident) for ident in turn.segments)
        yield f"turn {turn.id} (interrupts)", "turn", turn.interrupts
        yield f"turn {turn.id} (resumes)", "turn", turn.resumes
    for event in timeline.events:
        yield f"event {event.id}", "segment", event.segment_id
        yield f"event {event.id}", "turn", event.turn_id
        for name in Links.model_fields:
            yield f"event {event.id} ({name})", "turn", getattr(event.links, name)


def resumed_turn(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A turn resumes an earlier one of its own speaker."""
    for number, turn in enumerate(timeline.turns):
        if turn.resumes is None:
            continue
        if not any(t.id == turn.resumes and t.speaker == turn.speaker for t in timeline.turns[:number]):
            yield FloorError(
                "links-resolve", f"turn {turn.id} resumes {turn.resumes}, which is no earlier turn of {turn.speaker}"
            )


def known_speaker(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every speaker is a participant, and sounds on that participant's channel, with an utterance of their own."""
    channels = {speaker.id: speaker.channel for speaker in timeline.speakers}
    for what, speaker in _spoken_by(timeline):
        if speaker not in channels:
            yield FloorError("known-speaker", f"{what} is {speaker}'s, who takes no part")
    for segment in timeline.segments:
        channel = channels.get(segment.speaker, segment.channel)
        if segment.channel != channel:
            yield FloorError(
                "known-speaker",
                f"segment {segment.id} is on channel {segment.channel}; {segment.speaker} is recorded on {channel}",
            )
        if timeline.utterance(segment.utterance_id).speaker != segment.speaker:
            yield FloorError(
                "known-speaker",
                f"segment {segment.id} of {segment.speaker} is cut from utterance {segment.utterance_id} of another",
            )


def _spoken_by(timeline: Timeline) -> Iterator[tuple[str, str]]:
    yield from ((f"utterance {item.id}", item.speaker) for item in timeline.utterances)
    yield from ((f"segment {item.id}", item.speaker) for item in timeline.segments)
    yield from ((f"turn {item.id}", item.speaker) for item in timeline.turns)
    yield from ((f"event {item.id}", item.speaker) for item in timeline.events)
    yield from ((f"the floor at {_at(timeline, h.start)}", h.holder) for h in timeline.ownership if h.holder)


# Inside what it belongs to ---------------------------------------------------------------------------------


def word_in_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Words, speech and pauses of an utterance lie inside it, words and pauses in order."""
    for utterance in timeline.utterances:
        for what, ranges in {
            "word": [(word.start, word.end) for word in utterance.words],
            "pause": [(pause.start, pause.end) for pause in utterance.pauses],
            "speech": [(utterance.speech.start, utterance.speech.end)],
        }.items():
            if not _in_order(ranges, 0, utterance.n_samples):
                yield FloorError(
                    "word-in-utterance",
                    f"utterance {utterance.id} of {utterance.n_samples} samples: its {what} ranges are out of order "
                    f"or outside it",
                )


def _in_order(ranges: Sequence[tuple[int, int]], low: int, high: int) -> bool:
    edges = [low, *itertools.chain.from_iterable(ranges), high]
    return all(a <= b for a, b in itertools.pairwise(edges))


def segment_in_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """What is laid of an utterance exists in it, and a segment has a length."""
    for segment in timeline.segments:
        utterance = timeline.utterance(segment.utterance_id)
        if not (segment.lay.start >= 0 and segment.lay.end <= utterance.n_samples):
            yield FloorError(
                "segment-in-utterance",
                f"segment {segment.id} lays samples {segment.lay.start} to {segment.lay.end} of {utterance.id}, "
                f"which has {utterance.n_samples}",
            )
        if segment.bounds.length <= 0 or segment.source.length <= 0:
            yield FloorError("segment-in-utterance", f"{_name(segment, timeline)} is empty")


def inside_conversation(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Nothing sounds before the first sample or after the last."""
    for segment in timeline.segments:
        laid = segment.lay.shifted(segment.origin)
        spans = (segment.planned, segment.bounds, laid)
        if min(span.start for span in spans) < 0 or max(span.end for span in spans) > timeline.n_samples:
            yield FloorError(
                "inside-conversation",
                f"{_name(segment, timeline)} leaves the conversation, which lasts {_at(timeline, timeline.n_samples)}",
            )


def pause_in_segment(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Inner pauses lie in order inside their segment, as planned and as measured."""
    for segment in timeline.segments:
        planned = [(p.planned.start, p.planned.end) for p in segment.pauses]
        measured = [(p.measured.start, p.measured.end) for p in segment.pauses if p.measured]
        if not (
            _in_order(planned, segment.planned.start, segment.planned.end)
            and _in_order(measured, segment.bounds.start, segment.bounds.end)
        ):
            yield FloorError("pause-in-segment", f"{_name(segment, timeline)} has an inner pause outside it")


def no_self_overlap(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No speaker sounds twice at once."""
    for speaker in timeline.speakers:
        own = sorted(
            (s for s in timeline.segments if s.speaker == speaker.id), key=lambda s: (s.bounds.start, s.bounds.end)
        )
        for one, other in itertools.pairwise(own):
            if other.bounds.start < one.bounds.end:
                yield FloorError("no-self-overlap", f"{_name(other, timeline)} overlaps {_name(one, timeline)}")


# Turns -----------------------------------------------------------------------------------------------------


def turn_segments(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Turns list their floor segments in order; only the last one of a turn gives the floor up."""
    owner = {ident: turn.id for turn in timeline.turns for ident in turn.segments}
    if len(owner) < sum(len(turn.segments) for turn in timeline.turns):
        yield FloorError("turn-segments", "a segment is listed twice among the turns")
    for segment in timeline.segments:
        if owner.get(segment.id) != segment.turn_id:
            yield FloorError(
                "turn-segments",
                f"{_name(segment, timeline)} says turn {segment.turn_id} but is listed in {owner.get(segment.id)}",
            )
    if not timeline.turns:
        yield FloorError("turn-segments", "the timeline has no turn")
    for turn in timeline.turns:
        yield from _turn_faults(timeline, turn)
    for before, turn in itertools.pairwise(timeline.turns):
        if _first(timeline, turn).bounds.start <= _first(timeline, before).bounds.start:
            yield FloorError("turn-segments", f"turn {turn.id} starts before turn {before.id}, which it follows")


def _turn_faults(timeline: Timeline, turn: Turn) -> Iterator[FloorError]:
    segments = [timeline.segment(ident) for ident in turn.segments]
    for segment in segments:
        if segment.speaker != turn.speaker:
            yield FloorError("turn-segments", f"{_name(segment, timeline)} stands in turn {turn.id} of {turn.speaker}")
    for segment in segments[:-1]:
        if segment.ending not in ("hold", "continues"):
            yield FloorError(
                "turn-segments", f"{_name(segment, timeline)} ends in {segment.ending} but turn {turn.id} goes on"
            )
    if segments[-1].ending not in ("yield", "interrupted"):
        yield FloorError(
            "turn-segments", f"turn {turn.id} ends with {_name(segments[-1], timeline)}: {segments[-1].ending}"
        )
    for one, other in itertools.pairwise(segments):
        if other.bounds.start < one.bounds.end:
            yield FloorError("turn-segments", f"{_name(other, timeline)} of turn {turn.id} is not after {one.id}")


def turn_entry(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The first turn opens, no other; a turn enters by interruption when, and only when, the one before is cut."""
    for before, turn in zip((None, *timeline.turns[:-1]), timeline.turns, strict=True):
        cut = before is not None and _last(timeline, before).ending == "interrupted"
        due = "opening" if before is None else "interruption" if cut else "handover"
        if turn.entry != due:
            yield FloorError("turn-entry", f"turn {turn.id} enters by {turn.entry} where it is an {due}")
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
                    f"{_name(one, timeline)} holds, but {_name(other, timeline)} does not go on with its utterance",
                )
            if other.bounds.start <= one.bounds.end:
                yield FloorError("hold-same-utterance", f"{_name(one, timeline)} holds without a pause after it")


def yield_goes_elsewhere(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Whoever gives the floor up is followed by somebody else, and the conversation ends in a yield."""
    for before, turn in itertools.pairwise(timeline.turns):
        if before.speaker == turn.speaker:
            yield FloorError(
                "yield-goes-elsewhere",
                f"turn {before.id} of {before.speaker} gives the floor up at "
                f"{_at(timeline, _extent(timeline, before).end)}, but turn {turn.id} of the same speaker follows",
            )
    last = _last(timeline, timeline.turns[-1])
    if last.ending != "yield":
        yield FloorError("yield-goes-elsewhere", f"{_name(last, timeline)} is the last on the floor and does not yield")


def handover_after_turn(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """A turn that is handed over does not start long before the former holder stops."""
    latch = to_samples(rules.latch_s, timeline.rate)
    for before, turn in itertools.pairwise(timeline.turns):
        onset, stop = _extent(timeline, turn).start, _extent(timeline, before).end
        if turn.entry == "handover" and onset < stop - latch:
            yield FloorError(
                "handover-after-turn",
                f"turn {turn.id} is handed over at {_at(timeline, onset)}, but {before.id} sounds until "
                f"{_at(timeline, stop)}",
            )


def turn_has_floor(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No turn is over before it takes the floor, or loses it at once."""
    for ident, span in _possession(timeline).items():
        if not span.length:
            extent = _extent(timeline, timeline.turn(ident))
            yield FloorError(
                "turn-has-floor", f"turn {ident} ({_at(timeline, extent.start, extent.end)}) never has the floor"
            )


def success_overlap(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A successful claim sounds before and at the cut-off, inside the turn that it cuts."""
    for before, turn in itertools.pairwise(timeline.turns):
        if turn.entry != "interruption":
            continue
        claim, cut = _first(timeline, turn).bounds, _extent(timeline, before).end
        if not claim.start < cut < claim.end:
            yield FloorError(
                "success-overlap",
                f"{_name(_first(timeline, turn), timeline)} interrupts {before.id} but does not sound on both sides "
                f"of the cut-off at {_at(timeline, cut)}",
            )


def cut_off_inside_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Words stay unspoken where a segment is cut off."""
    for segment in _with_role(timeline, "floor"):
        speech = timeline.utterance(segment.utterance_id).speech
        if segment.ending == "interrupted" and segment.source.end >= speech.end:
            yield FloorError("cut-off-inside-utterance", f"{_name(segment, timeline)} is cut off after its last sound")


def failed_claim_ends_first(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A failed claim starts and ends while the turn it contests has the floor, before its holder stops."""
    held = _possession(timeline)
    for claim in _with_role(timeline, "claim"):
        turn = timeline.turn(claim.during) if claim.during else None
        if turn is None or turn.speaker == claim.speaker:
            yield FloorError("failed-claim-ends-first", f"{_name(claim, timeline)} contests no turn of another")
            continue
        have, stop = held[turn.id], _extent(timeline, turn).end
        if not (have.start <= claim.bounds.start and claim.bounds.end <= have.end and claim.bounds.end < stop):
            yield FloorError(
                "failed-claim-ends-first",
                f"{_name(claim, timeline)} does not lie inside turn {turn.id}, which has the floor "
                f"{_at(timeline, have.start, have.end)} and sounds until {_at(timeline, stop)}",
            )


def vocalisation_by_listener(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Backchannels and laughter come from those who do not hold the floor, in a turn that they hear."""
    held = _possession(timeline)
    for segment in _with_role(timeline, "backchannel", "laughter"):
        turn = timeline.turn(segment.during) if segment.during else None
        if turn is None or turn.speaker == segment.speaker:
            yield FloorError("vocalisation-by-listener", f"{_name(segment, timeline)} responds to no turn of another")
            continue
        if not segment.bounds.overlap(_extent(timeline, turn)):
            yield FloorError("vocalisation-by-listener", f"{_name(segment, timeline)} does not sound in turn {turn.id}")
        for own in timeline.turns:
            if own.speaker == segment.speaker and held[own.id].overlap(segment.bounds):
                yield FloorError(
                    "vocalisation-by-listener",
                    f"{_name(segment, timeline)} sounds while {own.speaker} has the floor with turn {own.id}",
                )


def backchannel_words(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """A backchannel has at most `max_words` words, and some."""
    for segment in _with_role(timeline, "backchannel"):
        written = timeline.utterance(segment.utterance_id).written
        if not 0 < len(written.split()) <= rules.max_words:
            yield FloorError(
                "backchannel-words", f"{_name(segment, timeline)} says {written!r}: 1 to {rules.max_words} words"
            )


# Ownership -------------------------------------------------------------------------------------------------


def one_holder(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The track covers every sample once; neighbours differ."""
    at: int = 0
    for holding in timeline.ownership:
        if holding.start != at or holding.end <= holding.start:
            yield FloorError(
                "one-holder",
                f"the interval of {holding.holder or 'nobody'} is {_at(timeline, holding.start, holding.end)}; "
                f"the one before ends at {_at(timeline, at)}",
            )
        at = holding.end
    if at != timeline.n_samples:
        yield FloorError(
            "one-holder",
            f"ownership ends at {_at(timeline, at)}, the conversation at {_at(timeline, timeline.n_samples)}",
        )
    for one, other in itertools.pairwise(timeline.ownership):
        if one.holder == other.holder:
            yield FloorError("one-holder", f"{one.holder or 'nobody'} holds twice in a row at {_at(timeline, one.end)}")


def ownership_rule(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The track is the one that turns and sound imply."""
    stated = [(h.holder, h.start, h.end) for h in timeline.ownership]
    for due, found in itertools.zip_longest(_implied(timeline), stated):
        if due != found:
            yield FloorError(
                "ownership-rule",
                f"the track says {_interval(timeline, found)} where the turns give {_interval(timeline, due)}",
            )
            return


def _implied(timeline: Timeline) -> Iterator[tuple[str | None, int, int]]:
    at = 0
    for ident, span in _possession(timeline).items():
        if span.start > at:
            yield None, at, span.start
        yield timeline.turn(ident).speaker, span.start, span.end
        at = span.end
    if at < timeline.n_samples:
        yield None, at, timeline.n_samples


def _interval(timeline: Timeline, item: tuple[str | None, int, int] | None) -> str:
    return "nothing" if item is None else f"{item[0] or 'nobody'} {_at(timeline, *item[1:])}"


# Events ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Due:
    """The event that a segment calls for."""

    kind: EventKind
    segment: Segment
    span: Span
    planned: Span
    turn_id: str | None = None
    links: dict[str, str | None] = field(default_factory=dict)


_ENDINGS: dict[str, EventKind] = {"yield": "turn_yield", "hold": "turn_hold", "interrupted": "turn_interrupted"}


def _due_events(timeline: Timeline) -> Iterator[_Due]:
    for turn in timeline.turns:
        segments = [timeline.segment(ident) for ident in turn.segments]
        if turn.entry == "interruption":
            yield _due("interruption", segments[0], turn.id, interrupts=turn.interrupts)
        for segment, following in itertools.zip_longest(segments, segments[1:]):
            kind = _ENDINGS.get(segment.ending or "")
            if kind == "turn_hold":
                yield _Due(
                    kind=kind,
                    segment=segment,
                    span=Span(start=segment.bounds.end, end=following.bounds.start),
                    planned=Span(start=segment.planned.end, end=following.planned.start),
                    turn_id=turn.id,
                )
            elif kind:
                yield _due(kind, segment, turn.id)
    for segment in _with_role(timeline, "claim"):
        yield _due("non_floor_taking", segment, contests=segment.during)
    for segment in _with_role(timeline, "backchannel", "laughter"):
        kind = "backchannel" if segment.role == "backchannel" else "laughter"
        yield _due(kind, segment, responds_to=segment.during)


def _due(kind: EventKind, segment: Segment, turn_id: str | None = None, **links: str | None) -> _Due:
    return _Due(kind=kind, segment=segment, span=segment.bounds, planned=segment.planned, turn_id=turn_id, links=links)


def change_has_event(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every ending, interruption, failed claim and vocalisation is in the log."""
    logged = {(event.kind, event.segment_id) for event in timeline.events}
    for due in _due_events(timeline):
        if (due.kind, due.segment.id) not in logged:
            yield FloorError("change-has-event", f"{_name(due.segment, timeline)} has no {due.kind} event")


def event_has_effect(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every event in the log happens, once."""
    due = {(d.kind, d.segment.id) for d in _due_events(timeline)}
    seen: set[tuple[str, str]] = set()
    for event in timeline.events:
        key = (event.kind, event.segment_id)
        if key not in due or key in seen:
            why = "is logged a second time" if key in seen else "does not happen there"
            yield FloorError(
                "event-has-effect",
                f"event {event.id}: {event.kind} on segment {event.segment_id} at "
                f"{_at(timeline, event.onset, event.offset)} {why}",
            )
        seen.add(key)


def event_matches_segment(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """An event states the times, speaker, turn and links of what it labels."""
    dues = {(d.kind, d.segment.id): d for d in _due_events(timeline)}
    for event in timeline.events:
        due = dues.get((event.kind, event.segment_id))
        for what, stated, true in _statements(event, due) if due else ():
            if stated != true:
                yield FloorError(
                    "event-matches-segment",
                    f"event {event.id} ({event.kind}, segment {event.segment_id}) states {what} {stated}, "
                    f"the segment {true}",
                )


def _statements(event: Event, due: _Due) -> Iterator[tuple[str, object, object]]:
    yield "speaker", event.speaker, due.segment.speaker
    yield "onset", event.onset, due.span.start
    yield "offset", event.offset, due.span.end
    yield "planned onset", event.planned.start, due.planned.start
    yield "planned offset", event.planned.end, due.planned.end
    if due.turn_id is not None:
        yield "turn", event.turn_id, due.turn_id
    for name, ident in due.links.items():
        yield f"link {name}", getattr(event.links, name), ident


def tail(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """Silence follows the last offset."""
    last = max(segment.bounds.end for segment in timeline.segments)
    if timeline.n_samples - last < to_samples(rules.tail_s, timeline.rate):
        yield FloorError(
            "tail",
            f"the last sound ends at {_at(timeline, last)}, the conversation at {_at(timeline, timeline.n_samples)}: "
            f"less than {rules.tail_s} s",
        )


GROUPS: tuple[tuple[Check, ...], ...] = (
    (ids_unique,),
    (links_resolve,),
    (known_speaker, resumed_turn),
    (word_in_utterance, segment_in_utterance, inside_conversation, pause_in_segment),
    (no_self_overlap, turn_segments),
    (turn_entry,),
    (hold_same_utterance, yield_goes_elsewhere, handover_after_turn, success_overlap),
    (turn_has_floor, cut_off_inside_utterance, failed_claim_ends_first, vocalisation_by_listener, backchannel_words),
    (one_holder, change_has_event, event_has_effect, event_matches_segment, tail),
    (ownership_rule,),
)
"""The checks in the order they rest on one another: what follows a group that failed is not asked."""


# The command -----------------------------------------------------------------------------------------------


def corpus_faults(corpus: Path, rules: Rules = DEFAULT) -> Iterator[tuple[str, list[FloorError], list[float]]]:
    """For each conversation: its id, its faults, and how far each bound was measured from where it was planned [s].

    Raises
    ------
    InputError
        when `corpus` is not a corpus.

    """
    folders = conversation_folders(corpus)
    if not folders:
        raise InputError(f"{corpus}: holds no conversation; make some, or give another folder")
    manifest = read_manifest(corpus) if (corpus / MANIFEST).exists() else None
    for folder in folders:
        found, away = _conversation_faults(folder, rules)
        if manifest is None:
            found.append(FloorError("manifest-sums", f"{MANIFEST} is not there; make the corpus again to finish it"))
        else:
            found += manifest_faults(folder, corpus, manifest)
        yield folder.name, found, away


def _conversation_faults(folder: Path, rules: Rules) -> tuple[list[FloorError], list[float]]:
    path = folder / "timeline.json"
    if not path.is_file():
        return [FloorError("file-missing", f"{folder.name}/timeline.json is not there")], []
    try:
        timeline = Timeline.read(path)
    except InputError as error:
        return [FloorError("file-unreadable", str(error))], []
    found = faults(timeline, rules)
    if timeline.conversation_id != folder.name:
        found.append(
            FloorError("links-resolve", f"the timeline in {folder.name} is that of {timeline.conversation_id}")
        )
    return found + audit(folder, timeline), _deviations(timeline)


def _deviations(timeline: Timeline) -> list[float]:
    pairs = [(s.measured, s.planned) for s in timeline.segments if s.measured]
    return [abs(d) / timeline.rate for m, p in pairs for d in (m.start - p.start, m.end - p.end)]


def main(argv: Sequence[str] | None = None) -> int:
    """Check the corpus that the command line names; 0: no fault, 1: faults, 2: not a corpus."""
    arguments = _parser().parse_args(argv)
    rules = Rules(max_words=arguments.max_words, tail_s=arguments.tail, latch_s=arguments.latch)
    try:
        report = _report(arguments.corpus, rules, arguments.near / 1000, quiet=arguments.json)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    print(json.dumps(report, indent=1, ensure_ascii=False) if arguments.json else _total(report))
    return 1 if report["faults"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pipeline.validate",
        description="Check every conversation of a corpus: the floor's invariants, and that its files agree.",
        epilog="Exit status: 0 without fault, 1 with faults, 2 when it is not a corpus.",
    )
    parser.add_argument("corpus", type=Path, help="folder that holds 'conversations'")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    parser.add_argument(
        "--max-words", type=int, default=DEFAULT.max_words, help="most words of a backchannel (%(default)s)"
    )
    parser.add_argument("--tail", type=float, default=DEFAULT.tail_s, help="least silence at the end [s] (%(default)s)")
    parser.add_argument(
        "--latch", type=float, default=DEFAULT.latch_s, help="most overlap of a hand-over [s] (%(default)s)"
    )
    parser.add_argument(
        "--near", type=float, default=40.0, help="planned counts as near measured within this [ms] (%(default)s)"
    )
    return parser


def _report(corpus: Path, rules: Rules, near_s: float, quiet: bool) -> dict[str, Any]:
    conversations: dict[str, list[dict[str, str]]] = {}
    away: list[float] = []
    for ident, found, deviations in corpus_faults(corpus, rules):
        away += deviations
        conversations[ident] = [{"invariant": fault.invariant, "message": str(fault)} for fault in found]
        if not quiet:
            print("\n".join(f"{ident}  {fault}" for fault in found) or f"{ident}  ok", flush=True)
    names = Counter(fault["invariant"] for found in conversations.values() for fault in found)
    return {
        "corpus": str(corpus),
        "conversations": len(conversations),
        "faulty": sum(map(bool, conversations.values())),
        "faults": names.total(),
        "by_invariant": dict(sorted(names.items())),
        "planned_near_measured": {
            "bounds": len(away),
            "within_ms": 1000 * near_s,
            "share": round(sum(d <= near_s for d in away) / len(away), 4) if away else None,
        },
        "found": conversations,
    }


def _total(report: dict[str, Any]) -> str:
    near = report["planned_near_measured"]
    share = "" if near["share"] is None else f"; {100 * near['share']:.1f} % of {near['bounds']} bounds "
    within = share and f"measured within {near['within_ms']:g} ms of the plan"
    return (
        f"{report['conversations']} conversations, {report['faulty']} faulty, {report['faults']} faults{share}{within}"
    )


if __name__ == "__main__":
    sys.exit(main())
