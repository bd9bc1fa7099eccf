"""Gold for detectors, derived from the events alone: positives, hard negatives, excluded intervals.

======  =====================  ==================================  ===================================
task    positive               hard negative                       excluded
======  =====================  ==================================  ===================================
EOT     offset of turn_yield   turn_hold (the pause)               0.25 s on either side of a cut-off
INT     onset of interruption  backchannel, laughter (the whole)   non_floor_taking (the whole)
======  =====================  ==================================  ===================================

Source: tables 2, 11 and 13 of the MultiPartyTurnBench paper (`events:` in the paper's tables).
"""

from collections.abc import Iterator
from typing import Literal

from pipeline.records import Anchor, Event, EventKind, Gold, GoldSpan, Segment, Span, Timeline, Track
from pipeline.samples import to_samples, to_seconds

Holds = Literal["planned", "all"]
CUT_OFF_EXCLUSION_S = 0.25
"""Half the neighbourhood of a cut-off that is neither rewarded nor penalised [s]."""
PAUSE_S = 0.2
"""The shortest pause that counts with ``holds="all"`` [s] (TurnBench, and table 23 of the paper)."""


def gold(timeline: Timeline, holds: Holds = "planned") -> Gold:
    """What a detector is scored against in this conversation.

    Parameters
    ----------
    timeline
        A timeline with its events; measured bounds count where they are known.
    holds
        ``planned``: EOT hard negatives are the planned holds, as in the paper. ``all``: every pause of
        0.2 s and more inside a turn as well, as in TurnBench; such a span is named after its segment
        (``SEGMENT.p0`` for its first inner pause, ``SEGMENT.next`` for the gap before the holder goes on).

    Returns
    -------
    Gold
        Each list in order of time, then of speaker. Times are samples and seconds on the speaker's channel.

    """
    return Gold(
        conversation_id=timeline.conversation_id,
        rate=timeline.rate,
        duration_s=to_seconds(timeline.n_samples, timeline.rate),
        holds=holds,
        eot=_eot(timeline, holds),
        interruption=_interruption(timeline),
    )


def _eot(timeline: Timeline, holds: Holds) -> Track:
    negatives = [_extent(e, timeline.rate) for e in _of_kind(timeline, "turn_hold")]
    if holds == "all":
        negatives += _unplanned_pauses(timeline)
    return Track(
        positives=_anchors(_anchor(e, e.offset, timeline.rate) for e in _of_kind(timeline, "turn_yield")),
        negatives=_spans(negatives),
        excluded=_spans(_around_cut_off(e, timeline) for e in _of_kind(timeline, "turn_interrupted")),
    )


def _interruption(timeline: Timeline) -> Track:
    rate = timeline.rate
    return Track(
        positives=_anchors(_anchor(e, e.onset, rate) for e in _of_kind(timeline, "interruption")),
        negatives=_spans(_extent(e, rate) for e in _of_kind(timeline, "backchannel", "laughter")),
        excluded=_spans(_extent(e, rate) for e in _of_kind(timeline, "non_floor_taking")),
    )


def _of_kind(timeline: Timeline, *kinds: EventKind) -> Iterator[Event]:
    return (event for event in timeline.events if event.kind in kinds)


def _anchor(event: Event, sample: int, rate: int) -> Anchor:
    return Anchor(speaker=event.speaker, sample=sample, time_s=to_seconds(sample, rate), event_id=event.id)


def _span(speaker: str, span: Span, rate: int, event_id: str) -> GoldSpan:
    return GoldSpan(
        speaker=speaker,
        start=span.start,
        end=span.end,
        start_s=to_seconds(span.start, rate),
        end_s=to_seconds(span.end, rate),
        event_id=event_id,
    )


def _extent(event: Event, rate: int) -> GoldSpan:
    return _span(event.speaker, Span(start=event.onset, end=event.offset), rate, event.id)


def _around_cut_off(event: Event, timeline: Timeline) -> GoldSpan:
    half = to_samples(CUT_OFF_EXCLUSION_S, timeline.rate)
    around = Span(start=max(0, event.offset - half), end=min(timeline.n_samples, event.offset + half))
    return _span(event.speaker, around, timeline.rate, event.id)


def _unplanned_pauses(timeline: Timeline) -> Iterator[GoldSpan]:
    shortest = to_samples(PAUSE_S, timeline.rate)
    for segment in timeline.segments:
        for name, pause in _pauses_after_and_in(segment, timeline):
            if pause.length >= shortest:
                yield _span(segment.speaker, pause, timeline.rate, f"{segment.id}.{name}")


def _pauses_after_and_in(segment: Segment, timeline: Timeline) -> Iterator[tuple[str, Span]]:
    if segment.turn_id is None:
        return
    for number, pause in enumerate(segment.pauses):
        yield f"p{number}", pause.measured or pause.planned
    if segment.ending == "continues":
        order = timeline.turn(segment.turn_id).segments
        after = timeline.segment(order[order.index(segment.id) + 1])
        yield "next", Span(start=segment.bounds.end, end=max(segment.bounds.end, after.bounds.start))


def _anchors(anchors: Iterator[Anchor]) -> tuple[Anchor, ...]:
    return tuple(sorted(anchors, key=lambda anchor: (anchor.sample, anchor.speaker)))


def _spans(spans: Iterator[GoldSpan] | list[GoldSpan]) -> tuple[GoldSpan, ...]:
    return tuple(sorted(spans, key=lambda span: (span.start, span.end, span.speaker)))
