"""All that scoring a corpus tells, as it is printed and as it is kept."""

from collections.abc import Iterator

from pipeline.evaluation.scorecard import Scorecard
from pipeline.evaluation.shortcuts.judging import Shortcuts
from pipeline.evaluation.shortcuts.table import rules, verdict
from pipeline.evaluation.tables import slices, table
from pipeline.records import Record


class Report(Record):
    """What detectors do on a corpus, and what single features of its sound would."""

    scores: Scorecard
    shortcuts: Shortcuts | None = None
    """None where the rules were left out."""


def lines(report: Report, sliced: bool = False) -> Iterator[str]:
    """The report as it is printed: the verdict about shortcuts first; `sliced`: with all slices."""
    if report.shortcuts:
        yield from (*verdict(report.shortcuts), "")
    if report.scores.results:
        yield from table(report.scores)
        if sliced:
            yield from slices(report.scores)
    if report.shortcuts:
        yield from rules(report.shortcuts)
