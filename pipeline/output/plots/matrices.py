"""Floor-transition matrices: of all changes of holder from one speaker or part, the share that goes to each other."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pipeline.output.plots.drawing import INK, SOFT, canvas
from pipeline.output.transitions import Matrix

COLUMNS = 3
SIDE = 5.3
"""Of a panel [inches]."""
DARK = 0.65
"""From this share on, a cell is so dark that its figures are white."""


def transition_matrices(matrices: Sequence[Matrix], title: Callable[[str], str], what: str) -> Figure:
    """A panel a group; `what` is what rows and columns are, such as ``order of entry``."""
    columns = 2 if len(matrices) == 4 else min(COLUMNS, len(matrices))
    rows = -(-len(matrices) // columns)
    figure = canvas(SIDE * columns, SIDE * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for place, axis in enumerate(axes.flat):
        if place < len(matrices):
            _panel(axis, matrices[place], title, what)
        else:
            axis.set_axis_off()
    return figure


def _panel(axis: Axes, matrix: Matrix, title: Callable[[str], str], what: str) -> None:
    size = len(matrix.names)
    axis.imshow(matrix.shares, cmap="Blues", vmin=0, vmax=1)
    for row, (counts, shares) in enumerate(zip(matrix.counts, matrix.shares, strict=True)):
        for column, (count, share) in enumerate(zip(counts, shares, strict=True)):
            if count:
                axis.text(column, row, f"{100 * share:.0f} %\n{count}", ha="center", va="center",
                          color="white" if share >= DARK else INK, fontsize=13 if size < 6 else 11)  # fmt: skip
            else:
                axis.text(column, row, "–", ha="center", va="center", color=SOFT)
    total = sum(map(sum, matrix.counts))
    axis.set_title(f"{title(matrix.group)}: {total} change{'s' if total != 1 else ''}", pad=10)
    axis.set_xticks(range(size), matrix.names)
    axis.set_yticks(range(size), matrix.names)
    axis.set_xlabel(f"next holder ({what})")
    axis.set_ylabel(f"holder ({what})")
    axis.tick_params(length=0)
    for edge in ("top", "right"):
        axis.spines[edge].set_visible(True)
    axis.set_xticks([n + 0.5 for n in range(size - 1)], minor=True)
    axis.set_yticks([n + 0.5 for n in range(size - 1)], minor=True)
    axis.grid(which="minor", color="white", linewidth=2)
    axis.tick_params(which="minor", length=0)
