"""Compares the realised figures of a corpus with their targets, as text and as plots in its folder `report`.

Takes a finished corpus, or the timelines of one made with `until=orchestrate`. The figures are defined in
:mod:`pipeline.output.figures`, groups, tolerances and verdicts in :mod:`pipeline.output.comparison`.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.command import command_parser, ended, in_colour
from pipeline.errors import InputError, PipelineError
from pipeline.output.comparison import Comparison, compared, of_two_samples
from pipeline.output.figures import pooled
from pipeline.output.report import write_report
from pipeline.output.statistics import (
    Counted,
    cells_of,
    count_finished,
    count_planned,
    finished,
    statistics,
    with_comparisons,
)
from pipeline.output.targets import Targets, published, targets_from
from pipeline.output.verdicts import COLUMNS, Row, headline, notes, tables
from pipeline.run import planned
from pipeline.written import read_settings

_RED, _PLAIN = "\x1b[1;31m", "\x1b[0m"
_RIGHT = ("realised", "target", "distance", "tolerance")


@dataclass(frozen=True)
class Report:
    """A corpus beside its targets."""

    corpus: Path
    found: tuple[Counted, ...]
    stats: Mapping[str, Any]
    """What `stats.json` holds, compared with these targets."""
    comparisons: tuple[Comparison, ...]
    targets: Targets
    others: Mapping[str, Sequence[float]] | None = None
    """The durations [s] of the corpus it is compared with; None: it is compared with published figures."""

    def lines(self, colour: bool = False) -> Iterator[str]:
        """The report as a person reads it on a terminal."""
        yield headline(self.stats, self.comparisons)
        yield from notes(self.stats, self.targets, self.stats["targets"]["other_settings"])
        found = tables(self.comparisons, self.targets)
        rows = [Row(COLUMNS, missed=False), *(row for table in found for row in table.rows)]
        widths = [max(len(row.cells[n]) for row in rows) for n in range(len(COLUMNS))]
        for table in found:
            yield f"\n{table.title}"
            for row in (rows[0], *table.rows):
                yield _aligned(row, widths, colour)


def report(corpus: Path, against: Path | None = None, planned_only: bool = False) -> Report:
    """Count a corpus and compare it.

    Parameters
    ----------
    corpus
        The corpus folder: finished, or with timelines.
    against
        Another corpus to compare it with; None: the published figures.
    planned_only
        Whether to count the timelines as they were planned although the corpus is finished.

    Raises
    ------
    InputError, ConfigError
        in one line, when a folder holds no timeline or something in it cannot be read.

    """
    found = read_counted(corpus, planned_only)
    stats, targets = statistics(found), published()
    if against is None:
        comparisons = compared(stats, cells_of(found), targets)
        return Report(corpus, tuple(found), with_comparisons(stats, comparisons, corpus), tuple(comparisons), targets)
    other = read_counted(against, planned_only)
    name = against.resolve().name
    theirs = targets_from(name, statistics(other), cells_of(other), targets)
    if theirs is None:
        raise InputError(f"{against}: its conversations have no length; give another corpus")
    durations = [pooled(one.figures for one in some).durations for some in (found, other)]
    comparisons = [
        *compared(stats, cells_of(found), theirs),
        *of_two_samples(durations[0], durations[1], targets.least_expected),
    ]
    stats = with_comparisons(stats, comparisons, corpus, theirs)
    return Report(corpus, tuple(found), stats, tuple(comparisons), theirs, durations[1])


def read_counted(corpus: Path, planned_only: bool = False) -> list[Counted]:
    """The conversations of a corpus folder, counted: the finished ones; where there are none, the planned ones.

    Raises
    ------
    InputError, ConfigError
        in one line, when there are neither, or one cannot be read.

    """
    folders = [] if planned_only else finished(corpus)
    if folders:
        return [count_finished(folder) for folder in folders]
    if not any(corpus.glob("work/*/timeline.json")):
        raise InputError(f"{corpus}: no timelines there; give the folder that OUT named")
    return count_planned(corpus, planned(read_settings(corpus)))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report of a corpus and draw its plots; 2 for bad input."""
    given = _parser().parse_args(argv)
    try:
        found = report(given.corpus, given.against, given.planned)
        page = None
        if not given.no_plots:
            page = write_report(found.corpus, found.found, found.stats, found.comparisons, found.targets, found.others)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(json.dumps(found.stats, indent=1, ensure_ascii=False))
        return 0
    for line in found.lines(colour=in_colour()):
        print(line)
    if page:
        print(f"\nplots: {page}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.report",
        __doc__,
        "python -m pipeline.report corpora/mine",
        "python -m pipeline.report corpora/mine --against corpora/other --no-plots",
    )
    parser.add_argument("corpus", type=Path, help="the corpus folder")
    parser.add_argument("--against", type=Path, metavar="CORPUS", help="compare with another corpus, not the paper's")
    parser.add_argument("--planned", action="store_true", help="count timelines as planned, though the sound is made")
    parser.add_argument("--no-plots", action="store_true", help="print only; leave the folder as it is")
    parser.add_argument("--json", action="store_true", help="print figures and comparisons as JSON")
    return parser


def _aligned(row: Row, widths: Sequence[int], colour: bool) -> str:
    cells = [
        f"{cell:>{width}}" if name in _RIGHT else f"{cell:<{width}}"
        for cell, width, name in zip(row.cells, widths, COLUMNS, strict=True)
    ]
    line = "  ".join(cells).rstrip()
    return f"{_RED}{line}{_PLAIN}" if row.missed and colour else line


if __name__ == "__main__":
    sys.exit(ended(main))
