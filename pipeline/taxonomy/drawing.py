"""A picture of one event: the floor around it, who speaks what, and what detectors are scored against there."""

from dataclasses import dataclass
from typing import Literal

from pipeline.gold import gold
from pipeline.output.page import templates
from pipeline.output.picture import KINDS, STRIP, strip
from pipeline.records import Event, Timeline
from pipeline.records.gold import GoldSpan, Track
from pipeline.samples import to_seconds

AROUND_S = 1.3
"""Shown before and after the event [s]."""
LONGEST_S = 7.0
"""Most of an event that is shown [s]; of a longer one, the end with its anchor."""
ROW = 18
"""Height of a row of gold [px]."""
LABELS = 74
"""Width of the names beside the picture [px]."""

Meaning = Literal["positive", "negative", "excluded"]
WORDS: dict[Meaning, str] = {"positive": "positive", "negative": "hard negative", "excluded": "excluded"}


@dataclass(frozen=True)
class Scored:
    """A stretch of one speaker's gold, in pixels; a positive has no width."""

    x: float
    width: float
    y: float
    meaning: Meaning
    text: str


def first_of_each(timeline: Timeline) -> dict[str, Event]:
    """The first event of each kind that there is, in the order of the kinds."""
    found: dict[str, Event] = {}
    for event in timeline.events:
        found.setdefault(event.kind, event)
    return {kind: found[kind] for kind in KINDS if kind in found}


def drawn(event: Event, timeline: Timeline) -> str:
    """The picture of an event, as an SVG file.

    Parameters
    ----------
    event
        One of the timeline's.
    timeline
        As measured, or as planned.

    """
    picture = strip(timeline)
    start_s, end_s = _window(event, timeline)
    left, right = start_s * STRIP.per_second, end_s * STRIP.per_second
    rows = [(name, picture.height + 8 + number * ROW) for number, name in enumerate(("EOT", "INT"))]
    return templates().get_template("event.svg.j2").render(
        picture=picture,
        title=KINDS[event.kind],
        left=round(left, 2),
        width=round(right - left, 2),
        height=picture.height + 8 + 2 * ROW + 4,
        labels=LABELS,
        row=ROW,
        rows=rows,
        names=[(speaker.name, picture.sizes.bar_top(n)) for n, speaker in enumerate(timeline.speakers)],
        event=(_x(event.onset, timeline), _x(event.offset, timeline)),
        lane=picture.sizes.lane_top([speaker.id for speaker in timeline.speakers].index(event.speaker)),
        scored=_scored(event, timeline, dict(rows)),
    )  # fmt: skip


def _window(event: Event, timeline: Timeline) -> tuple[float, float]:
    """First and last second that are shown."""
    onset, offset = (to_seconds(sample, timeline.rate) for sample in (event.onset, event.offset))
    at_end = event.kind in ("turn_yield", "turn_interrupted")
    if offset - onset > LONGEST_S - 2 * AROUND_S:
        onset, offset = (offset - 2.0, offset) if at_end else (onset, onset + 2.0)
    return max(0.0, onset - AROUND_S), min(to_seconds(timeline.n_samples, timeline.rate), offset + AROUND_S)


def _x(sample: int, timeline: Timeline) -> float:
    return round(sample / timeline.rate * STRIP.per_second, 2)


def _scored(event: Event, timeline: Timeline, rows: dict[str, float]) -> list[Scored]:
    """What both tasks make of the event."""
    found = gold(timeline)
    return [
        *_of_track(event, timeline, found.eot, rows["EOT"]),
        *_of_track(event, timeline, found.interruption, rows["INT"]),
    ]


def _of_track(event: Event, timeline: Timeline, track: Track, y: float) -> list[Scored]:
    points = [
        Scored(_x(anchor.sample, timeline), 0.0, y, "positive", WORDS["positive"])
        for anchor in track.positives
        if anchor.event_id == event.id
    ]
    negatives = [_stretch(one, timeline, y, "negative") for one in track.negatives if one.event_id == event.id]
    excluded = [_stretch(one, timeline, y, "excluded") for one in track.excluded if one.event_id == event.id]
    return [*points, *negatives, *excluded]


def _stretch(span: GoldSpan, timeline: Timeline, y: float, meaning: Meaning) -> Scored:
    start, end = _x(span.start, timeline), _x(span.end, timeline)
    return Scored(start, round(end - start, 2), y, meaning, WORDS[meaning])
