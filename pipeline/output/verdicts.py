"""Comparisons as people read them: table by table, a row a figure, MISSED in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.output.comparison import Comparison, counted, in_a_line
from pipeline.output.targets import Targets, three_digits

COLUMNS = ("figure", "group", "realised", "target", "distance", "tolerance", "verdict")


@dataclass(frozen=True)
class Row:
    """One comparison in words; its cells are those of :data:`COLUMNS`."""

    cells: tuple[str, ...]
    missed: bool


@dataclass(frozen=True)
class Table:
    """The comparisons with one table of the targets."""

    title: str
    rows: tuple[Row, ...]


def tables(comparisons: Sequence[Comparison], targets: Targets) -> list[Table]:
    """The comparisons by the table of their targets; those of two samples last."""
    numbers = [*targets.tables, *({c.table for c in comparisons} - targets.tables.keys())]
    found = [(number, [c for c in comparisons if c.table == number]) for number in numbers]
    return [Table(_title(number, targets), tuple(map(row, group))) for number, group in found if group]


def notes(stats: Mapping[str, Any], targets: Targets, other_settings: Sequence[str] = ()) -> Iterator[str]:
    """What a reader of the comparisons must know."""
    size = f"{targets.conversations} conversations, {targets.minutes:.1f} min"
    yield f"Targets: {targets.source} ({size}), whatever was asked of this corpus."
    yield (
        f"No verdict: on a group with only a part of the types and numbers of speakers that its target is pooled over, "
        f"and where the target's rate gives fewer than {targets.least_expected:g} events in the minutes there are."
    )
    if other_settings and not targets.cells:
        yield f"Made with settings other than those of the targets: {', '.join(other_settings)}."
    if stats["failed"]:
        yield f"Missing: {len(stats['failed'])} that failed."


def headline(stats: Mapping[str, Any], comparisons: Sequence[Comparison]) -> str:
    """How much there is, and how many figures were met."""
    figures = stats["all"]
    size = f"{figures['conversations']} conversations, {figures['duration_s'] / 60:.1f} min"
    return f"{size}. {in_a_line(counted(comparisons))}."


def row(comparison: Comparison) -> Row:
    """One comparison in words."""
    one = comparison
    group = {"all": "all", "type": one.group.replace("_", "-"), "speakers": f"{one.group} speakers"}[one.by]
    verdict = f"no verdict: {one.why}" if one.why else one.verdict
    target = "" if one.unit == "D" else _value(one, one.target)
    cells = (one.label, group, _value(one, one.realised), target, _distance(one), _tolerance(one), verdict)
    return Row(cells, one.verdict == "MISSED")


def _title(number: str, targets: Targets) -> str:
    if number not in targets.tables:
        return "Two samples: Kolmogorov-Smirnov statistic, with its critical value at 1 %"
    about = targets.tables[number]
    return about[:1].upper() + about[1:] if targets.cells else f"Table {number}: {about}"


def _value(comparison: Comparison, value: float | None) -> str:
    if value is None:
        return "-"
    if comparison.name.endswith("_share") or comparison.name == "contested_holds":
        return f"{100 * value:.1f} %"
    return f"{value:.2f}" if comparison.unit == "s" else three_digits(value)


def _distance(comparison: Comparison) -> str:
    if comparison.distance is None:
        return "-"
    form = {"relative": f"{100 * comparison.distance:+.1f} %", "s": f"{comparison.distance:+.2f} s"}
    return form.get(comparison.unit, "")


def _tolerance(comparison: Comparison) -> str:
    allowed = comparison.tolerance
    if allowed is None:
        return f"{_value(comparison, comparison.low)} to {_value(comparison, comparison.high)}"
    form = {"relative": f"{100 * allowed:.0f} %", "s": f"{allowed:.2f} s", "D": three_digits(allowed)}
    return form[comparison.unit]
