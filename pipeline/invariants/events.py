"""The log says what happens to the floor: all of it, once, and with the right times."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, name_of, when, with_role
from pipeline.records import Event, EventKind, Segment, Span, Timeline


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
    for segment in with_role(timeline, "claim"):
        yield _due("non_floor_taking", segment, contests=segment.during)
    for segment in with_role(timeline, "backchannel", "laughter"):
        kind = "backchannel" if segment.role == "backchannel" else "laughter"
        yield _due(kind, segment, responds_to=segment.during)


def _due(kind: EventKind, segment: Segment, turn_id: str | None = None, **links: str | None) -> _Due:
    return _Due(kind=kind, segment=segment, span=segment.bounds, planned=segment.planned, turn_id=turn_id, links=links)


def change_has_event(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every ending, interruption, failed claim and vocalisation is in the log."""
    logged = {(event.kind, event.segment_id) for event in timeline.events}
    for due in _due_events(timeline):
        if (due.kind, due.segment.id) not in logged:
            yield FloorError("change-has-event", f"{name_of(due.segment, timeline)} has no {due.kind} event")


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
                f"{when(timeline, event.onset, event.offset)} {why}",
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
