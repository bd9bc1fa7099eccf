"""The corpus as the first page shows it: what is in it, and how near its figures come to their targets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.loader import Conversation
from pipeline.output.comparison import Comparison, compared
from pipeline.output.page import number
from pipeline.output.picture import KINDS, length
from pipeline.output.report import FOLDER, PAGE
from pipeline.output.rounding import ratio
from pipeline.output.statistics import Counted, cells_of, statistics
from pipeline.output.targets import Targets, published
from pipeline.output.verdicts import headline, notes, tables
from pipeline.records import EVENT_KINDS
from pipeline.viewer.places import way
from pipeline.viewer.records import Figure, Overview, Plot, Row

PLOTS = {
    "rates.png": "Rates, overlap and mean turn by type and by number of speakers, beside the target.",
    "timing.png": "Histograms of gaps, pauses, overlaps and lengths, with the target's quantiles.",
}
"""The pictures of the report that set realised figures beside their targets."""


def row(conversation: Conversation, counted: Counted) -> Row:
    """A conversation as a line of the list."""
    spec, meta = conversation.spec, conversation.meta
    snr = meta.get("realised", {}).get("snr_db", {}).get("p50")
    kinds = Counter(event.kind for event in conversation.events)
    return Row(
        id=conversation.id,
        title=spec.title,
        type=spec.type,
        split=spec.split,
        domain=spec.domain,
        tone=spec.tone,
        scene=meta.get("nuisance", {}).get("scene", spec.scene),
        snr_db=None if snr is None else round(snr, 1),
        duration_s=conversation.duration_s,
        speakers=tuple(speaker.name for speaker in spec.speakers),
        events={kind: kinds[kind] for kind in EVENT_KINDS},
        overlap_share=ratio(counted.figures.overlap_s, counted.figures.duration_s, 4) or 0,
        pair=conversation.timeline.pair,
    )


def overview(
    corpus: Path, out: Path, rows: Sequence[Row], found: Sequence[Counted], detectors: Sequence[str]
) -> Overview:
    """All of the first page.

    Parameters
    ----------
    corpus, out
        The folder of the corpus, and that of the page.
    rows, found
        The conversations that are shown.
    detectors
        The names of those whose predictions are.

    """
    stats, targets = statistics(found), published()
    comparisons = compared(stats, cells_of(found), targets)
    page = corpus / FOLDER / PAGE
    return Overview(
        name=corpus.resolve().name,
        sound=way(out, corpus / "conversations"),
        headline=headline(stats, comparisons),
        notes=tuple(notes(stats, targets)),
        totals=_totals(stats["all"]),
        figures=tuple(_figure(comparison, targets) for comparison in comparisons),
        plots=tuple(
            Plot(path=way(out, page.with_name(name)), says=says)
            for name, says in PLOTS.items()
            if page.with_name(name).is_file()
        ),
        report=way(out, page) if page.is_file() else None,
        kinds=KINDS,
        detectors=tuple(detectors),
        rows=tuple(rows),
    )


def _totals(figures: Mapping[str, Any]) -> dict[str, str]:
    rates, share = figures["rates_per_min"], figures["overlap_share"]
    return {
        "conversations": str(figures["conversations"]),
        "in all": length(figures["duration_s"]),
        "turns a minute": number(rates["turns"]),
        "backchannels, laughs a minute": number(rates["backchannels_and_laughter"]),
        "interruptions a minute": number(rates["interruptions"]),
        "failed claims a minute": number(rates["failed_claims"]),
        "overlap": f"{number(None if share is None else 100 * share, 1)} %",
    }


def _figure(comparison: Comparison, targets: Targets) -> Figure:
    (table,) = tables([comparison], targets)
    (line,) = table.rows
    label, group, *said, verdict = line.cells
    return Figure(
        table=table.title,
        label=label,
        group=group,
        said=tuple(said),
        verdict=verdict,
        missed=line.missed,
        realised=comparison.realised,
        target=comparison.target,
        low=comparison.low,
        high=comparison.high,
    )
