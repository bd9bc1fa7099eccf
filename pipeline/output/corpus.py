"""What a corpus says of itself once its conversations stand: manifest, statistics, report, page, data card."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.card.writing import Origin, write_card
from pipeline.output.files import dump_json, dump_lines
from pipeline.output.manifest import MANIFEST, manifest_line
from pipeline.output.page import corpus_page
from pipeline.output.report import write_report
from pipeline.output.statistics import (
    Counted,
    against_targets,
    count_finished,
    count_planned,
    count_unwritten,
    finished,
    statistics,
    with_comparisons,
)
from pipeline.output.targets import published
from pipeline.records import ConversationSpec
from pipeline.stress.proofs import as_stats
from pipeline.stress.settings import StressSettings
from pipeline.workspace import write_text


@dataclass(frozen=True)
class About(Origin):
    """What a corpus tells beside its figures."""

    failed: Mapping[str, str] = field(default_factory=dict)
    """Why conversations are missing, by id."""
    unwritten: Sequence[ConversationSpec] = ()
    """Those among them for which no valid script was had; the others fell to a later stage, or to the budget."""
    stress: StressSettings | None = None
    """What a stress corpus is to isolate, and the figures that prove it."""


def finish_corpus(corpus: Path, about: About, only: Collection[str] | None = None) -> dict[str, Any]:
    """Write manifest, statistics, report, page and data card of the conversations that stand in `corpus`.

    Parameters
    ----------
    corpus
        The folder that holds `conversations`.
    about
        What else is told.
    only
        Ids of the conversations that belong to the request; None: all that are there. What is not finished, or
        failed this time and stands from an earlier run, is left out.

    Returns
    -------
    dict
        What `stats.json` holds: figures of all, and by type, number of speakers and split, by the definitions
        of :mod:`pipeline.output.figures`, and each beside its target, by those of :mod:`pipeline.output.comparison`.

    Raises
    ------
    InputError
        when a conversation cannot be read.
    OutputError
        when the folder cannot be written.

    """
    folders = [folder for folder in finished(corpus, only) if folder.name not in about.failed]
    lines = [manifest_line(folder, corpus) for folder in folders]
    stats = _count(corpus, [count_finished(folder) for folder in folders], about)
    write_text(corpus / MANIFEST, dump_lines(lines))
    write_text(corpus / "index.html", corpus_page(corpus.resolve().name, lines, stats))
    write_card(corpus, lines, stats, about)
    return stats


def finish_planned(
    corpus: Path, specs: Sequence[ConversationSpec], about: About, name: str = "timeline.json"
) -> dict[str, Any]:
    """Write the statistics and the report of conversations that a run left before they were finished.

    Parameters
    ----------
    corpus, specs
        The folder, and what its conversations shall be; those that failed this time are left out.
    about
        What failed.
    name
        The artefact to count: `timeline.json` as planned, `rendered.json` as measured on the sound.

    Returns
    -------
    dict
        What `stats.json` holds.

    Raises
    ------
    InputError
        when a timeline cannot be read.
    OutputError
        when the folder cannot be written.

    """
    return _count(corpus, count_planned(corpus, [s for s in specs if s.id not in about.failed], name), about)


def _count(corpus: Path, found: Sequence[Counted], about: About) -> dict[str, Any]:
    """Write statistics and report."""
    stats = statistics([*found, *map(count_unwritten, about.unwritten)], about.failed)
    comparisons = against_targets(stats, found)
    stats = with_comparisons(stats, comparisons, corpus)
    if about.stress:
        stats["stress"] = as_stats(about.stress, stats["all"])
    write_text(corpus / "stats.json", dump_json(stats))
    write_report(corpus, found, stats, comparisons, published())
    return stats
