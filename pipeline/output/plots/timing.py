"""Durations as histograms, with the 10th, 50th and 90th percentile of the target beside those realised."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pipeline.output.comparison import QUANTILES, Comparison
from pipeline.output.plots.drawing import INK, MISSED, REALISED, SOFT, across, canvas
from pipeline.output.targets import QuantileTarget, Targets

TITLES = {
    "yield_gap": "Yield gap", "hold_pause": "Hold pause", "interruption_overlap": "Interruption overlap",
    "failed_claim": "Failed claim", "backchannel": "Backchannel", "floor_segment": "Floor segment",
}  # fmt: skip
BINS = (10, 40)
"""Fewest and most; in between three times the root of the number of durations."""
SHOWN = 0.99
"""Share of the durations inside the plot; the rest stands in the outer bins."""
HEADROOM = 1.55
"""Height of the plot over that of its highest bar, so that the figures stand above the bars."""


def timing_histograms(
    durations: Mapping[str, Sequence[float]],
    comparisons: Sequence[Comparison],
    targets: Targets,
    others: Mapping[str, Sequence[float]] | None = None,
) -> Figure:
    """A panel a duration [s]; `others`: the same durations of another corpus, drawn as an outline."""
    figure = canvas(16, 10.5)
    axes = figure.subplots(2, 3)
    found = {comparison.name: comparison for comparison in comparisons}
    for axis, name in zip(axes.flat, TITLES, strict=True):
        _panel(axis, name, durations.get(name, ()), (others or {}).get(name, ()), targets.timing_s.get(name), found)
    handles = [
        Line2D([], [], color=REALISED, linewidth=8, label="this corpus"),
        *([Line2D([], [], color=INK, linewidth=1.6, label=targets.source)] if others else []),
        Line2D([], [], color=REALISED, marker="v", markersize=9, linestyle="", label="its p10, p50, p90"),
        Line2D([], [], color=INK, linestyle="--", label=f"p10, p50, p90 of {targets.source}"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4)
    return figure


def _panel(
    axis: Axes,
    name: str,
    values: Sequence[float],
    others: Sequence[float],
    target: QuantileTarget | None,
    found: Mapping[str, Comparison],
) -> None:
    axis.set_title(TITLES[name])
    axis.set_xlabel("seconds")
    axis.set_ylabel("share of them")
    edges = _edges([*values, *others], target)
    if values:
        axis.hist(_inside(values, edges), edges, weights=_shares(values), color=REALISED, alpha=0.75)
        axis.plot(np.percentile(values, (10, 50, 90)), [0.97] * 3, "v", color=REALISED, markersize=9,
                  transform=axis.get_xaxis_transform(), clip_on=False)  # fmt: skip
    else:
        axis.text(0.5, 0.4, "none", transform=axis.transAxes, ha="center", color=SOFT, fontsize=16)
    if others:
        axis.hist(_inside(others, edges), edges, weights=_shares(others), histtype="step", color=INK, linewidth=1.6)
    if target:
        for quantile in QUANTILES:
            axis.axvline(getattr(target, quantile), color=INK, linestyle="--", linewidth=1.3)
    axis.set_xlim(edges[0], edges[-1])
    axis.set_ylim(0, axis.dataLim.y1 * HEADROOM if values or others else 1.0)
    across(axis)
    _table(axis, name, values, target, found)


def _table(
    axis: Axes, name: str, values: Sequence[float], target: QuantileTarget | None, found: Mapping[str, Comparison]
) -> None:
    """Realised and target quantiles in figures, the word MISSED beside those that are."""
    lines = [f"n = {len(values)}"]
    missed = False
    for quantile, percent in zip(QUANTILES, (10, 50, 90), strict=True):
        value = f"{np.percentile(values, percent):6.2f}" if values else "     -"
        due = f" ({getattr(target, quantile):.2f})" if target else ""
        bad = (one := found.get(f"{name}.{quantile}")) is not None and one.verdict == "MISSED"
        missed |= bad
        lines.append(f"{quantile} {value}{due}{' MISSED' if bad else ''}")
    box = {"facecolor": "white", "edgecolor": MISSED if missed else "#d0cdc5", "alpha": 0.9, "pad": 5}
    axis.text(0.985, 0.9, "\n".join(lines), transform=axis.transAxes, ha="right", va="top", fontsize=11.5,
              family="DejaVu Sans Mono", multialignment="left", color=MISSED if missed else INK, bbox=box)  # fmt: skip


def _edges(values: Sequence[float], target: QuantileTarget | None) -> list[float]:
    """Edges of bins that hold the target's quantiles and nearly all values."""
    marks = [getattr(target, quantile) for quantile in QUANTILES] if target else []
    lows = [*marks, *(np.percentile(values, [100 * (1 - SHOWN)]) if len(values) else [])]
    highs = [*marks, *(np.percentile(values, [100 * SHOWN]) if len(values) else [])]
    bins = int(np.clip(3 * np.sqrt(len(values)), *BINS))
    if not lows:
        return [float(edge) for edge in np.linspace(0.0, 1.0, bins + 1)]
    low, high = float(min(lows)), float(max(highs))
    room = 0.04 * (high - low) or 0.1
    return [float(edge) for edge in np.linspace(low - room, high + room, bins + 1)]


def _inside(values: Sequence[float], edges: Sequence[float]) -> list[float]:
    inside = np.clip(values, edges[0], np.nextafter(edges[-1], edges[0]))
    return [float(value) for value in inside]


def _shares(values: Sequence[float]) -> list[float]:
    return [1 / len(values)] * len(values)
