"""The timeline as a picture: where each bar, word and mark stands, in pixels, for the page's template."""

from dataclasses import dataclass

from pipeline import label
from pipeline.output import wordflow
from pipeline.records import Event, Segment, Timeline
from pipeline.samples import to_seconds

KINDS = {
    "turn_yield": "Yield: the holder gives the floor up",
    "turn_hold": "Hold: a pause, the floor is kept",
    "turn_interrupted": "Interrupted: cut off by another",
    "interruption": "Interruption: takes the floor",
    "non_floor_taking": "Failed claim: does not get the floor",
    "backchannel": "Backchannel",
    "laughter": "Laughter",
}
"""What each kind of event is called in the legend."""
ROLES = {"floor": "holds the floor", "claim": "failed claim", "backchannel": "backchannel", "laughter": "laughter"}
ENDINGS = {
    "yield": ", ends in a yield",
    "hold": ", ends in a hold",
    "interrupted": ", is cut off",
    "continues": ", goes on",
}


@dataclass(frozen=True)
class Sizes:
    """Heights [px] and scale of one picture."""

    per_second: float
    lane: int
    bar: int
    mark: int
    ribbon: int
    axis: int
    tick_s: int

    def lane_top(self, number: int) -> int:
        """Upper edge of lane `number`."""
        return self.axis + self.ribbon + 6 + number * self.lane

    def bar_top(self, number: int) -> int:
        """Upper edge of the bars in lane `number`."""
        return self.lane_top(number) + self.lane - self.bar - 4

    def mark_y(self, number: int) -> float:
        """Centre of the marks in lane `number`, above its bars."""
        return self.bar_top(number) - self.mark - 1.5


@dataclass(frozen=True)
class Bar:
    """A rectangle: a stretch of speech or of possession."""

    x: float
    width: float
    y: float
    height: float
    speaker: int
    style: str
    title: str
    start_s: float
    label: str = ""


@dataclass(frozen=True)
class WordAt:
    """A written word; `squeezed`: the width that it is pressed into, where it would not fit."""

    x: float
    y: float
    text: str
    squeezed: float | None


@dataclass(frozen=True)
class Mark:
    """The sign of an event at its anchor; `end` is the other side of a hold's pause."""

    kind: str
    x: float
    y: float
    size: float
    foot: float
    title: str
    start_s: float
    end: float


@dataclass(frozen=True)
class Picture:
    """Everything that the template draws."""

    width: float
    height: int
    sizes: Sizes
    ticks: list[tuple[float, str]]
    ribbon: list[Bar]
    bars: list[Bar]
    words: list[WordAt]
    marks: list[Mark]

    def middle(self, top: float, height: float) -> float:
        """The middle of something `height` high at `top`, in percent of the picture's height."""
        return round(100 * (top + height / 2) / self.height, 2)


STRIP = Sizes(per_second=150, lane=52, bar=26, mark=6, ribbon=20, axis=20, tick_s=1)
OVERVIEW_WIDTH = 1200


def strip(timeline: Timeline) -> Picture:
    """The picture to read along, at a fixed scale."""
    return _picture(timeline, STRIP, words=True)


def overview(timeline: Timeline) -> Picture:
    """The whole conversation across one page width."""
    duration = to_seconds(timeline.n_samples, timeline.rate)
    tick_s = next(step for step in (1, 2, 5, 10, 20, 30, 60, 300, 3600) if duration / step <= 20 or step == 3600)
    sizes = Sizes(OVERVIEW_WIDTH / duration, lane=27, bar=11, mark=4, ribbon=12, axis=18, tick_s=tick_s)
    return _picture(timeline, sizes, words=False)


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(65.4)
    '1:05'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def length(seconds: float) -> str:
    """A duration in words.

    >>> length(145.2), length(14.5)
    ('2 min 25 s', '15 s')
    """
    whole = int(seconds + 0.5)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def _picture(timeline: Timeline, sizes: Sizes, words: bool) -> Picture:
    duration = to_seconds(timeline.n_samples, timeline.rate)
    ticks = [(t * sizes.per_second, clock(t)) for t in range(0, int(duration) + 1, sizes.tick_s)]
    return Picture(
        width=round(duration * sizes.per_second, 1),
        height=sizes.lane_top(len(timeline.speakers)) + 4,
        sizes=sizes,
        ticks=ticks,
        ribbon=_ribbon(timeline, sizes),
        bars=[_bar(segment, timeline, sizes) for segment in timeline.segments],
        words=[word for segment in timeline.segments for word in _words(segment, timeline, sizes)] if words else [],
        marks=[_mark(event, timeline, sizes) for event in timeline.events],
    )


def _x(sample: int, timeline: Timeline, sizes: Sizes) -> float:
    return round(sample / timeline.rate * sizes.per_second, 2)


def _lane(speaker: str, timeline: Timeline) -> int:
    return next(number for number, party in enumerate(timeline.speakers) if party.id == speaker)


def _range(start: int, end: int, timeline: Timeline) -> str:
    return f"{to_seconds(start, timeline.rate):.2f} to {to_seconds(end, timeline.rate):.2f} s"


def _ribbon(timeline: Timeline, sizes: Sizes) -> list[Bar]:
    names = {speaker.id: speaker.name for speaker in timeline.speakers}
    found = []
    for holding in timeline.ownership:
        if holding.holder is None:
            continue
        x, end = _x(holding.start, timeline, sizes), _x(holding.end, timeline, sizes)
        name = names[holding.holder]
        found.append(
            Bar(
                x=x,
                width=round(end - x, 2),
                y=sizes.axis,
                height=sizes.ribbon,
                speaker=_lane(holding.holder, timeline),
                style="owner",
                title=f"{name} has the floor, {_range(holding.start, holding.end, timeline)}",
                start_s=to_seconds(holding.start, timeline.rate),
                label=next((label for label in (name, holding.holder) if end - x > 8 * len(label) + 4), ""),
            )
        )
    return found


def _bar(segment: Segment, timeline: Timeline, sizes: Sizes) -> Bar:
    lane = _lane(segment.speaker, timeline)
    bounds = segment.bounds
    x = _x(bounds.start, timeline, sizes)
    what = ROLES[segment.role] + ENDINGS.get(segment.ending or "", "")
    planned = _range(segment.planned.start, segment.planned.end, timeline)
    return Bar(
        x=x,
        width=max(1.5, round(_x(bounds.end, timeline, sizes) - x, 2)),
        y=sizes.bar_top(lane),
        height=sizes.bar,
        speaker=lane,
        style=segment.role,
        title=f"{timeline.speakers[lane].name}: {what}\n{_range(bounds.start, bounds.end, timeline)} "
        f"(planned {planned})\n{text_of(segment, timeline)}",
        start_s=to_seconds(bounds.start, timeline.rate),
    )


def text_of(segment: Segment, timeline: Timeline) -> str:
    """The words that a segment speaks, with their punctuation."""
    return label.text_of(segment, {utterance.id: utterance for utterance in timeline.utterances})


def _words(segment: Segment, timeline: Timeline, sizes: Sizes) -> list[WordAt]:
    utterance = timeline.utterance(segment.utterance_id)
    spoken = [(w.start + segment.origin, w.text) for w in utterance.words if segment.source.holds(w.start)]
    if not utterance.words:
        spoken = [(segment.bounds.start, utterance.written)]
    onsets = [_x(sample, timeline, sizes) for sample, _ in spoken]
    start, end = (_x(sample, timeline, sizes) for sample in (segment.bounds.start, segment.bounds.end))
    placed = wordflow.placed([text for _, text in spoken], onsets, start, end)
    y = sizes.bar_top(_lane(segment.speaker, timeline)) + sizes.bar / 2 + 4
    return [WordAt(x, y, text, squeezed) for (x, squeezed), (_, text) in zip(placed, spoken, strict=True)]


def _mark(event: Event, timeline: Timeline, sizes: Sizes) -> Mark:
    lane = _lane(event.speaker, timeline)
    at_end = event.kind in ("turn_yield", "turn_interrupted")
    anchor = event.offset if at_end else event.onset
    end = _x(event.offset, timeline, sizes)
    name = timeline.speakers[lane].name
    return Mark(
        kind=event.kind,
        x=_x(anchor, timeline, sizes),
        y=sizes.mark_y(lane),
        size=sizes.mark,
        foot=sizes.bar_top(lane) + sizes.bar,
        title=f"{event.id} · {KINDS[event.kind]}\n{name}, {_range(event.onset, event.offset, timeline)}",
        start_s=to_seconds(anchor, timeline.rate),
        end=end,
    )
