"""What all plots share: fonts, colours, and files that are the same bytes when drawn again."""

from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pipeline.output.files import write_bytes

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 13,
    "axes.titlesize": 15,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5c6570",
    "axes.labelcolor": "#1d2126",
    "text.color": "#1d2126",
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "legend.fontsize": 13,
    "legend.frameon": False,
    "hatch.linewidth": 0.8,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
DPI = 100
INK, SOFT, GRID = "#1d2126", "#5c6570", "#e4e2dc"
REALISED, TARGET, MISSED = "#2563b0", "#e9e4d8", "#b3152a"
LANES = ("#2563b0", "#b3560c", "#15795b", "#8a3f91", "#7a6a05", "#a3323e", "#3f5a6b", "#5b4bb5")
"""Of speakers; a lane tells them apart as well."""


def styled() -> AbstractContextManager[None]:
    """The settings that all plots are drawn under."""
    return rc_context(STYLE)  # type: ignore[arg-type]  # the stub wants literal keys, which a mapping has not


def canvas(width: float, height: float) -> Figure:
    """An empty figure [inches], which no window ever shows."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, whole or not at all; OutputError when that is not possible."""
    data = BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    write_bytes(path, data.getvalue())


def across(axes: Axes) -> None:
    """Faint lines to read heights by."""
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
