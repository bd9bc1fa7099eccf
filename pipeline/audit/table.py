"""An audit as a person reads it."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from pipeline.audit.records import Audit, Lengths
from pipeline.audit.sweep import BOUND_MS, FEWEST, TOO_MUCH
from pipeline.evaluation.operating import BUDGET, OperatingPoint
from pipeline.evaluation.scorer import TASKS, Task

TITLES: dict[Task, str] = {"eot": "end of turn (EOT)", "interruption": "interruption (INT)"}
POINT_COLUMNS = f"{'threshold':>10}{'recall':>8}{'FPR':>8}{'p50 ms':>8}"
_NAME = 34


class Ruled(Protocol):
    """A rule of either audit, with its best points."""

    @property
    def task(self) -> Task:
        """What it is a rule of."""

    @property
    def feature(self) -> str:
        """What it knows."""

    @property
    def bounded(self) -> OperatingPoint | None:
        """Its best point with the bound on latency."""

    @property
    def unbounded(self) -> OperatingPoint | None:
        """Its best point without."""

    @property
    def shortcut(self) -> bool | None:
        """Whether it solves too much."""


def table(found: Audit) -> Iterator[str]:
    """The lines of the report."""
    yield f"{found.conversations} conversations; best threshold of each rule with FPR <= {BUDGET:.0%}"
    for task in TASKS:
        yield ""
        yield from _task(found, task)
    yield ""
    yield from _lengths(found)
    yield ""
    yield from _verdict(found)


def _task(found: Audit, task: Task) -> Iterator[str]:
    yield f"{TITLES[task]}: {found.positives[task]} positives, {found.negatives[task]} hard negatives"
    yield from rule_rows(found.rules, task, _NAME)


def rule_rows(rules: Iterable[Ruled], task: Task, width: int) -> Iterator[str]:
    """The rules of one task, at bounded latency and without a bound, their names in `width` columns."""
    bound = f"p50 <= {BOUND_MS[task] / 1000:.1f} s"
    yield f"{'':<{width}}{bound:>34}{'any latency':>34}"
    yield f"{'rule':<{width}}{POINT_COLUMNS}{POINT_COLUMNS}"
    for rule in rules:
        if rule.task == task:
            mark = "  SHORTCUT" if rule.shortcut else ""
            yield f"{rule.feature:<{width}}{point_cells(rule.bounded)}{point_cells(rule.unbounded)}{mark}"


def point_cells(point: OperatingPoint | None) -> str:
    """A point in the columns of `POINT_COLUMNS`; dashes where there is none."""
    if point is None:
        return "".join(f"{'-':>{width}}" for width in (10, 8, 8, 8))
    late = "-" if point.latency_p50_ms is None else f"{point.latency_p50_ms:.0f}"
    return f"{point.threshold:>10.4g}{point.recall:>8.1%}{point.fpr:>8.1%}{late:>8}"


def _lengths(found: Audit) -> Iterator[str]:
    yield "length of the burst that begins with the event [s]"
    yield f"{'':<{_NAME}}{'n':>10}" + "".join(f"{name:>8}" for name in ("p10", "p25", "p50", "p75", "p90"))
    for row in found.lengths:
        yield f"{row.name:<{_NAME}}{row.n:>10}" + "".join(_quantiles(row))
    yield ""
    yield f"{'':<{_NAME}}{'overlap':>10}{'KS':>8}"
    for pair in found.likeness:
        yield f"{f'{pair.one} and {pair.other}':<{_NAME}}{pair.overlap:>10.1%}{pair.ks:>8.2f}"
    if found.separation:
        apart = found.separation
        yield (
            f"takeovers are {apart.takeovers} than hard negatives: best at {apart.threshold_s:.2f} s with balanced "
            f"accuracy {apart.balanced_accuracy:.1%}, AUC {apart.auc:.2f}"
        )


def _quantiles(row: Lengths) -> Iterator[str]:
    for value in (row.p10, row.p25, row.p50, row.p75, row.p90):
        yield f"{'-':>8}" if value is None else f"{value:>8.2f}"


def _verdict(found: Audit) -> Iterator[str]:
    for task, share in TOO_MUCH.items():
        if min(found.positives[task], found.negatives[task]) < FEWEST:
            yield f"{TITLES[task]}: fewer than {FEWEST} positives or hard negatives, no verdict"
            continue
        rules = [rule for rule in found.shortcuts if rule.task == task]
        number = f"{len(rules) or 'no'} shortcut{'s' * (len(rules) > 1)}"
        yield f"{TITLES[task]}: {number} (more than {share:.0%} recall within budget and bound)"
        for rule in rules:
            yield f"  {rule.feature}; against it: {rule.remedy}"
