"""The report of a corpus: plots and one page that shows them with the tables, in `report/`.

The report is drawn from the timelines alone, after everything else, and is no part of what the manifest has sums of:
its pixels depend on the version of matplotlib. With the same version it comes out the same byte for byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.output.comparison import Comparison
from pipeline.output.figures import pooled
from pipeline.output.files import remove
from pipeline.output.page import templates
from pipeline.output.statistics import Counted
from pipeline.output.targets import Targets
from pipeline.output.transitions import matrices, together
from pipeline.output.verdicts import COLUMNS, headline, notes, tables
from pipeline.records import Timeline
from pipeline.workspace import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "report"
PAGE = "index.html"
STRIPS = 4
"""How many conversations are drawn at most: the first of each number of speakers, then the first of all."""


@dataclass(frozen=True)
class Plot:
    """A picture of the page."""

    file: str
    title: str
    says: str
    """What is to be seen, for those who read the page and those who hear it."""


def write_report(
    corpus: Path,
    found: Sequence[Counted],
    stats: Mapping[str, Any],
    comparisons: Sequence[Comparison],
    targets: Targets,
    others: Mapping[str, Sequence[float]] | None = None,
) -> Path:
    """Draw the plots of a corpus and write the page that shows them; returns the page's path.

    Parameters
    ----------
    corpus, found
        The corpus folder and its conversations.
    stats
        What `stats.json` holds.
    comparisons, targets
        Its figures beside their targets.
    others
        The durations [s] of another corpus, drawn over those of this one.

    Raises
    ------
    OutputError
        when the folder cannot be written.

    """
    folder = corpus / FOLDER
    plots = _draw(folder, found, stats, comparisons, targets, others)
    for left in {*folder.glob("*.png")} - {folder / plot.file for plot in plots}:
        remove(left)
    page = templates().get_template("report.html.j2").render(
        name=corpus.resolve().name,
        headline=headline(stats, comparisons),
        notes=list(notes(stats, targets, stats.get("targets", {}).get("other_settings", ()))),
        missed=[row for table in tables(comparisons, targets) for row in table.rows if row.missed],
        tables=tables(comparisons, targets),
        columns=COLUMNS,
        plots=plots,
    )  # fmt: skip
    write_text(folder / PAGE, page)
    return folder / PAGE


def _draw(
    folder: Path,
    found: Sequence[Counted],
    stats: Mapping[str, Any],
    comparisons: Sequence[Comparison],
    targets: Targets,
    others: Mapping[str, Sequence[float]] | None,
) -> list[Plot]:
    """Draw everything there is to draw."""
    if not found:
        return []
    # Drawing is imported where it is done: every command would wait for it otherwise.
    from pipeline.output.plots.drawing import save, styled
    from pipeline.output.plots.rates import rate_bars
    from pipeline.output.plots.timing import timing_histograms

    durations = pooled(one.figures for one in found).durations
    plots = [
        Plot(
            "rates.png", "Rates", "Rates, overlap and mean turn by type and by number of speakers, beside the target."
        ),
        Plot("timing.png", "Timing", "Histograms of gaps, pauses, overlaps and lengths, with the target's quantiles."),
    ]
    with styled():
        save(rate_bars(stats, comparisons, targets), folder / "rates.png")
        save(timing_histograms(durations, comparisons, targets, others), folder / "timing.png")
        for plot, figure in (*_matrices(found), *_strips(found)):
            save(figure, folder / plot.file)
            plots.append(plot)
    return plots


def _matrices(found: Sequence[Counted]) -> "list[tuple[Plot, Figure]]":
    from pipeline.output.plots.matrices import transition_matrices

    changes = together(one.changes for one in found)
    drawn = []
    if changes.by_entry:
        figure = transition_matrices(matrices(changes.by_entry), lambda group: f"{group} speakers", "order of entry")
        says = "Of all changes of holder from one speaker, the share that goes to each other, by order of entry."
        drawn.append((Plot("transitions-entry.png", "Who follows whom, by order of entry", says), figure))
    if changes.by_part:
        figure = transition_matrices(matrices(changes.by_part), lambda group: group.replace("_", "-"), "part")
        says = "The same by the part that a speaker plays; several may play the same part."
        drawn.append((Plot("transitions-part.png", "Who follows whom, by part", says), figure))
    return drawn


def _strips(found: Sequence[Counted]) -> "list[tuple[Plot, Figure]]":
    from pipeline.output.plots.strips import floor_strip

    drawn = []
    for one in shown(found):
        title = f"{one.id}: {one.type.replace('_', '-')}, {one.n_speakers} speakers"
        says = "Who speaks when: the holder of the floor on top, a lane a speaker, the events marked."
        if one.timeline:
            figure = floor_strip(Timeline.read(one.timeline), title)
            drawn.append((Plot(f"strip-{one.id}.png", title, says), figure))
    return drawn


def shown(found: Sequence[Counted]) -> list[Counted]:
    """The conversations that are drawn."""
    first = {one.n_speakers: one for one in reversed(found)}
    chosen = [first[number] for number in sorted(first)][:STRIPS]
    rest = [one for one in found if one not in chosen]
    return chosen + rest[: max(0, 2 - len(chosen))]
