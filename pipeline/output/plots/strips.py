"""Who speaks when: a lane a speaker, the holder of the floor on top, the events marked."""

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path as Shape

from pipeline.output.plots.drawing import GRID, INK, LANES, SOFT, canvas
from pipeline.records import Event, Segment, Timeline

ROW_S = 40.0
"""Seconds in a row."""
BAR = 0.42
"""Height of speech in a lane of height 1."""
_HOLD = Shape([(-0.5, -1), (-0.5, 1), (0.5, 1), (0.5, -1)], [Shape.MOVETO, Shape.LINETO, Shape.MOVETO, Shape.LINETO])
_LAUGH = Shape([(-1, -0.6), (-0.5, 0.6), (0, -0.6), (0.5, 0.6), (1, -0.6)])
MARKS: dict[str, tuple[str | Shape, str, bool, str]] = {
    "turn_yield": (">", "#15795b", True, "yield"),
    "turn_hold": (_HOLD, "#946200", False, "hold"),
    "turn_interrupted": ("x", "#c22f3a", False, "cut off"),
    "interruption": ("D", "#c22f3a", True, "interruption"),
    "non_floor_taking": ("D", "#8a3f91", False, "failed claim"),
    "backchannel": ("o", "#0f6d86", True, "backchannel"),
    "laughter": (_LAUGH, "#9a5a00", False, "laughter"),
}
"""Shape, colour, whether it is filled, and name of each kind of event; shapes differ, so that colour need not."""


def floor_strip(timeline: Timeline, title: str) -> Figure:
    """The conversation in rows of 40 s."""
    length_s = timeline.n_samples / timeline.rate
    rows = max(1, int(-(-length_s // ROW_S)))
    lanes = len(timeline.speakers)
    figure = canvas(16, 1.1 + rows * (0.42 * (lanes + 1) + 0.45))
    figure.suptitle(title, x=0.01, ha="left", fontsize=15, fontweight="bold")
    for row, axis in enumerate(figure.subplots(rows, 1, squeeze=False)[:, 0]):
        _row(axis, timeline, row * ROW_S)
    figure.legend(handles=list(_legend()), loc="outside lower left", ncols=10, fontsize=12, handletextpad=0.4,
                  columnspacing=1.2)  # fmt: skip
    return figure


def _row(axis: Axes, timeline: Timeline, start: float) -> None:
    lanes = {speaker.id: len(timeline.speakers) - n for n, speaker in enumerate(timeline.speakers, 1)}
    colours = {speaker.id: LANES[n % len(LANES)] for n, speaker in enumerate(timeline.speakers)}
    top = len(lanes)
    first, last = int(start * timeline.rate), int((start + ROW_S) * timeline.rate)
    for holding in timeline.ownership:
        if holding.holder and holding.start < last and first < holding.end:
            _owned(axis, timeline, holding.holder, holding.start, holding.end, top, colours[holding.holder], start)
    for segment in timeline.segments:
        if segment.bounds.start < last and first < segment.bounds.end:
            _bar(axis, segment, timeline.rate, lanes[segment.speaker], colours[segment.speaker])
    for kind in MARKS:
        found = [(_anchor(event), lanes[event.speaker]) for event in timeline.events if event.kind == kind]
        _marks(axis, kind, [(at / timeline.rate, lane) for at, lane in found if first <= at < last])
    axis.set_xlim(start, start + ROW_S)
    axis.set_ylim(-0.5, top + 0.5)
    axis.set_yticks([top, *lanes.values()], ["floor", *(_named(timeline, ident) for ident in lanes)])
    axis.set_xticks([start + at for at in range(0, int(ROW_S) + 1, 5)])
    axis.xaxis.set_major_formatter(lambda at, _: f"{int(at) // 60}:{int(at) % 60:02d}")
    axis.tick_params(axis="y", length=0, labelsize=12)
    axis.tick_params(axis="x", length=3, labelsize=11)
    axis.spines["left"].set_visible(False)
    axis.grid(axis="x", color=GRID, linewidth=1)
    axis.set_axisbelow(True)
    for y in range(top):
        axis.axhline(y + 0.5, color=SOFT if y == top - 1 else GRID, linewidth=0.8)


def _named(timeline: Timeline, ident: str) -> str:
    speaker = next(speaker for speaker in timeline.speakers if speaker.id == ident)
    return f"{speaker.name} ({speaker.stance})" if speaker.stance else speaker.name


def _owned(
    axis: Axes, timeline: Timeline, holder: str, first: int, last: int, y: float, colour: str, start: float
) -> None:
    """The holder's possession, with the name where there is room."""
    begin, end = first / timeline.rate, last / timeline.rate
    axis.barh(y, end - begin, 0.6, begin, color=colour, edgecolor="white", linewidth=1)
    left, right = max(begin, start), min(end, start + ROW_S)
    name = next(speaker.name for speaker in timeline.speakers if speaker.id == holder)
    if right - left > 0.26 * len(name) + 0.3:
        axis.text((left + right) / 2, y, name, ha="center", va="center", color="white", fontsize=11, clip_on=True)


def _bar(axis: Axes, segment: Segment, rate: int, lane: int, colour: str) -> None:
    begin, length = segment.bounds.start / rate, segment.bounds.length / rate
    look: dict[str, Any]
    if segment.role == "floor":
        look = {"color": colour}
    elif segment.role == "claim":
        look = {"facecolor": "white", "edgecolor": colour, "hatch": "////"}
    else:
        look = {"facecolor": "white", "edgecolor": colour}
    axis.barh(lane - 0.2, length, BAR, begin, linewidth=1.2, **look)


def _anchor(event: Event) -> float:
    """Where an event is marked: at its end, in the middle of a pause, or at its onset [samples]."""
    if event.kind in ("turn_yield", "turn_interrupted"):
        return event.offset
    return (event.onset + event.offset) / 2 if event.kind == "turn_hold" else event.onset


def _marks(axis: Axes, kind: str, places: Sequence[tuple[float, int]]) -> None:
    """The signs of one kind of event, each over its lane."""
    if not places:
        return
    shape, colour, filled, _ = MARKS[kind]
    axis.plot(
        [at for at, _ in places], [lane + 0.26 for _, lane in places], marker=shape, color=colour, markersize=7.5,
        markeredgewidth=1.7, markerfacecolor=colour if filled else "none", linestyle="", clip_on=True,
    )  # fmt: skip


def _legend() -> Iterator[Patch | Line2D]:
    yield Patch(facecolor=INK, label="has the floor")
    yield Patch(facecolor="white", edgecolor=INK, hatch="////", label="failed claim")
    yield Patch(facecolor="white", edgecolor=INK, label="backchannel, laughter")
    for shape, colour, filled, name in MARKS.values():
        yield Line2D(
            [], [], marker=shape, color=colour, markersize=8, markeredgewidth=1.7, linestyle="",
            markerfacecolor=colour if filled else "none", label=name,
        )  # fmt: skip
