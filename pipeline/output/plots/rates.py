"""Rates as bars: realised beside target, for all conversations, each type and each number of speakers."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pipeline.output.comparison import Comparison
from pipeline.output.plots.drawing import INK, MISSED, REALISED, SOFT, TARGET, across, canvas
from pipeline.output.targets import Target, Targets, realised

PANELS = (
    "turns", "switches", "backchannels_and_laughter", "interruptions", "failed_claims", "holds",
    "overlap_share", "mean_turn_s",
)  # fmt: skip
SHORT = {
    "argumentative": "argumen-\ntative", "collaborative": "collabo-\nrative", "instructional": "instruc-\ntional",
    "task_oriented": "task-\noriented",
}  # fmt: skip
PALE = 0.45
"""Opacity of a realised bar that no verdict is given on."""
WIDTH = 0.4
"""Of a bar; a group has two."""


def rate_bars(
    stats: Mapping[str, Any], comparisons: Sequence[Comparison], targets: Targets, name: str = "this corpus"
) -> Figure:
    """A panel a figure; a group without a target has the realised bar alone."""
    figure = canvas(16, 17)
    panels = [key for key in PANELS if key in targets.figures]
    axes = figure.subplots(-(-len(panels) // 2), 2, squeeze=False)
    for place, axis in enumerate(axes.flat):
        if place < len(panels):
            _panel(axis, panels[place], stats, comparisons, targets)
        else:
            axis.set_axis_off()
    handles = [
        Patch(facecolor=REALISED, edgecolor=INK, label=name),
        Patch(facecolor=REALISED, edgecolor=INK, alpha=PALE, label="without a verdict, or without a target"),
        Patch(facecolor=TARGET, edgecolor=SOFT, hatch="///", label=f"{targets.source}, with tolerance"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3)
    return figure


def _panel(axis: Axes, key: str, stats: Mapping[str, Any], comparisons: Sequence[Comparison], targets: Targets) -> None:
    target = targets.figures[key]
    groups = _groups(stats)
    verdicts = {(str(c.by), c.group): c for c in comparisons if c.name == key}
    pairs = [(realised(figures, target.realised), verdicts.get((by, name))) for by, name, figures in groups]
    top = max([0.0, *(max(value or 0.0, found.high if found else 0.0) for value, found in pairs)]) or 1.0
    for x, (value, found) in enumerate(pairs):
        _bars(axis, x, value, found)
        _written(axis, x, target, value, found, top)
    axis.set_title(target.label, pad=10)
    axis.set_ylim(0, top * 1.22)
    if target.is_share:
        axis.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axis.set_xlim(-0.7, len(groups) - 0.3)
    axis.set_xticks(range(len(groups)), [_label(by, name) for by, name, _ in groups], fontsize=11)
    for x, (by, _, _) in enumerate(groups[1:], 1):
        if by != groups[x - 1][0]:
            axis.axvline(x - 0.5, color=SOFT, linewidth=0.8, linestyle=":")
    across(axis)


def _bars(axis: Axes, x: float, value: float | None, found: Comparison | None) -> None:
    """Realised and, with its tolerance, target."""
    if value is not None:
        alpha = 1.0 if found and found.verdict != "no verdict" else PALE
        axis.bar(x - WIDTH / 2, value, WIDTH, color=REALISED, edgecolor=INK, linewidth=0.8, alpha=alpha)
    if found:
        axis.bar(x + WIDTH / 2, found.target, WIDTH, color=TARGET, edgecolor=SOFT, hatch="///", linewidth=0.8)
        reach = [[max(0.0, found.target - found.low)], [max(0.0, found.high - found.target)]]
        axis.errorbar(x + WIDTH / 2, found.target, reach, color=INK, capsize=4, linewidth=1.2)


def _written(axis: Axes, x: float, target: Target, value: float | None, found: Comparison | None, top: float) -> None:
    """The realised figure over its bars, and the word where it missed."""
    height = max(value or 0.0, found.high if found else 0.0) + 0.015 * top
    missed = found is not None and found.verdict == "MISSED"
    text = target.written(value)
    axis.text(
        x, height, f"MISSED\n{text}" if missed else text, ha="center", va="bottom", fontsize=11,
        color=MISSED if missed else INK, fontweight="bold" if missed else "normal", linespacing=1.0,
    )  # fmt: skip


def _groups(stats: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    types = [("type", name, figures) for name, figures in stats["by_type"].items()]
    numbers = [("speakers", name, figures) for name, figures in stats["by_speakers"].items()]
    return [("all", "all", stats["all"]), *types, *numbers]


def _label(by: str, name: str) -> str:
    return f"{name} sp." if by == "speakers" else SHORT.get(name, name)
