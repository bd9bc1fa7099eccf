"""Realised figures against their targets, each with its distance, its tolerance and a verdict.

- A figure is compared in the groups it has targets for: all conversations, each type, each number of speakers.
  Its distance is the relative error. A quantile's distance is the difference in seconds.
- A corpus is compared in **its own groups**: one of a single type is not compared with figures pooled over types, one
  of a single number of speakers not with figures pooled over these, unless a figure has no other target.
- There is **no verdict** on a group that holds only part of the cells (type and number of speakers) that its target is
  pooled over, nor where the target's own rate gives fewer than `least_expected` events in the minutes at hand: chance
  alone then exceeds the tolerance.
- The targets are those of the published corpus, whatever the settings were; see :func:`deviating`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from pipeline.output.distance import ks_critical, ks_statistic, relative_error
from pipeline.output.targets import Cell, Target, Targets, realised
from pipeline.resources import resource

Verdict = Literal["ok", "MISSED", "no verdict"]
By = Literal["all", "type", "speakers"]
QUANTILES = ("p10", "p50", "p90")
_OF_THE_DESIGN = ("design", "timing")
"""Groups of settings that the targets go with."""


@dataclass(frozen=True)
class Comparison:
    """One figure of one group beside its target."""

    table: str
    """The table of the target; empty for a statistic of two samples."""
    name: str
    label: str
    by: By
    group: str
    """`all`, a type, or a number of speakers."""
    unit: Literal["relative", "s", "D"]
    """Of distance and tolerance: a share of the target, seconds, or the two-sample statistic."""
    realised: float | None
    target: float
    distance: float | None
    low: float
    """The least realised value within tolerance."""
    high: float
    """The greatest."""
    expected: float
    """Events that the target's rate gives in the minutes at hand."""
    verdict: Verdict
    why: str = ""
    """Why there is no verdict."""

    @property
    def tolerance(self) -> float | None:
        """The greatest distance allowed, in its unit; None where bounds stand in its place."""
        reach = self.high - self.target
        if self.unit != "D" and abs(reach - (self.target - self.low)) > 1e-9:
            return None
        return reach / abs(self.target) if self.unit == "relative" and self.target else reach

    def summary(self) -> dict[str, Any]:
        """The comparison ready for JSON."""
        data = {**asdict(self), "tolerance": self.tolerance}
        return data | {name: round(value, 4) for name, value in data.items() if isinstance(value, float)}


@dataclass(frozen=True)
class _Group:
    by: By
    name: str
    figures: Mapping[str, Any]
    unlike: str
    """In what its cells differ from those that its targets are pooled over; empty: in nothing."""

    @property
    def minutes(self) -> float:
        return float(self.figures["duration_s"]) / 60

    def target(self, figure: Target) -> float | None:
        """The target of a figure in this group."""
        if self.by == "all":
            return figure.all
        values: Mapping[Any, float] = figure.by_type if self.by == "type" else figure.by_speakers
        return values.get(self.name if self.by == "type" else int(self.name))


def compared(stats: Mapping[str, Any], cells: frozenset[Cell], targets: Targets) -> list[Comparison]:
    """Every figure of a corpus that `targets` has, in its own groups; nothing for a corpus without conversations.

    Parameters
    ----------
    stats
        The figures of all conversations (`all`), `by_type` and `by_speakers`, as `stats.json` has them.
    cells
        Type and number of speakers of its conversations.
    targets
        What to compare with.

    """
    if not stats["all"]["duration_s"]:
        return []
    whole, own = _groups(stats, cells, targets)
    found = [
        _figure(name, target, group, value, targets)
        for name, target in targets.figures.items()
        for group in ([g for g in own if g.target(target) is not None] or [whole])
        if (value := group.target(target)) is not None
    ]
    return [*found, *_quantiles(whole, targets)]


def of_two_samples(
    ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]], least: float
) -> list[Comparison]:
    """The two-sample statistic of each duration that both corpora have, with its critical value as tolerance."""
    return [_two_samples(name, ours[name], theirs[name], least) for name in ours if ours[name] and theirs.get(name)]


def counted(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """How many comparisons there are of each verdict."""
    verdicts = [comparison.verdict for comparison in comparisons]
    return {verdict: verdicts.count(verdict) for verdict in ("ok", "MISSED", "no verdict")}


def in_a_line(verdicts: Mapping[str, int]) -> str:
    """How many comparisons there are of each verdict, for a person.

    >>> in_a_line({"ok": 5, "MISSED": 1, "no verdict": 2})
    '8 figures compared: 5 within tolerance, 1 MISSED, 2 without a verdict'
    """
    met, missed, unsaid = (verdicts[name] for name in ("ok", "MISSED", "no verdict"))
    return (
        f"{met + missed + unsaid} figures compared: {met} within tolerance, {missed} MISSED, {unsaid} without a verdict"
    )


def deviating(corpus: Path) -> list[str]:
    """Settings of design and timing that the folder's `corpus.yaml` has other than the targets' own, by their keys.

    Empty where there are none, or the file cannot be read.
    """
    try:
        data = yaml.safe_load((corpus / "corpus.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return []
    if not isinstance(data, dict):
        return []
    return [key for name in _OF_THE_DESIGN if name in data for key in _deviating(name, data[name], _shipped(name))]


def _shipped(name: str) -> Any:
    return yaml.safe_load((resource("conf") / name / "paper.yaml").read_text(encoding="utf-8"))


def _deviating(key: str, found: Any, shipped: Any) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(shipped, dict):
        # JSON has made numbers that are keys into words.
        found, shipped = ({str(name): value for name, value in data.items()} for data in (found, shipped))
    if isinstance(found, dict) and isinstance(shipped, dict) and found.keys() & shipped.keys():
        # What only one of them has is of another version of the program.
        for name in (name for name in shipped if name in found):
            yield from _deviating(f"{key}.{name}", found[name], shipped[name])
    elif found != shipped:
        yield key if isinstance(found, dict | list) else f"{key}={found}"


def _groups(stats: Mapping[str, Any], cells: frozenset[Cell], targets: Targets) -> tuple[_Group, list[_Group]]:
    """All conversations, and the corpus's own groups."""
    design = targets.design
    several_types, several_numbers = (len({cell[part] for cell in cells}) > 1 for part in (0, 1))
    whole = _Group("all", "all", stats["all"], _unlike(cells, design))
    own = [whole] if several_types and several_numbers else []
    if several_numbers or not several_types:
        for kind, figures in stats["by_type"].items():
            own.append(_Group("type", kind, figures, _unlike(_of(cells, 0, kind), _of(design, 0, kind))))
    if several_types:
        for number, figures in stats["by_speakers"].items():
            unlike = _unlike(_of(cells, 1, int(number)), _of(design, 1, int(number)))
            own.append(_Group("speakers", number, figures, unlike))
    return whole, own


def _of(cells: frozenset[Cell], part: int, value: str | int) -> frozenset[Cell]:
    return frozenset(cell for cell in cells if cell[part] == value)


def _unlike(cells: frozenset[Cell], design: frozenset[Cell]) -> str:
    return "" if cells == design else "part of the design" if cells < design else "another design"


def _figure(name: str, figure: Target, group: _Group, target: float, targets: Targets) -> Comparison:
    value = realised(group.figures, figure.realised)
    share = targets.tolerance.pooled if group.by == "all" else targets.tolerance.group
    low, high = figure.within or (target - share * abs(target), target + share * abs(target))
    rates = [group.target(targets.figures[counted]) or 0.0 for counted in figure.counts] or [target]
    expected = sum(rates) * min(group.minutes, targets.minutes)
    verdict, why = _verdict(value, low, high, expected, targets.least_expected, group.unlike)
    distance = None if value is None else relative_error(value, target)
    table = figure.table_by_speakers if group.by == "speakers" else None
    return Comparison(
        table or figure.table, name, figure.label, group.by, group.name, "relative",
        value, target, distance, low, high, expected, verdict, why,
    )  # fmt: skip


def _quantiles(whole: _Group, targets: Targets) -> Iterator[Comparison]:
    for name, target in targets.timing_s.items():
        found = whole.figures["timing_s"].get(name, {})
        expected = target.n * min(whole.minutes / targets.minutes, 1.0)
        for quantile in QUANTILES:
            due, value = getattr(target, quantile), found.get(quantile)
            away = max(targets.tolerance.quantile * abs(due), targets.tolerance.quantile_s)
            low, high = due - away, due + away
            verdict, why = _verdict(value, low, high, expected, targets.least_expected, whole.unlike)
            distance = None if value is None else round(value - due, 3)
            yield Comparison(
                "21", f"{name}.{quantile}", f"{target.label} {quantile} [s]", "all", "all", "s",
                value, due, distance, low, high, expected, verdict, why,
            )  # fmt: skip


def _two_samples(name: str, ours: Sequence[float], theirs: Sequence[float], least: float) -> Comparison:
    statistic, critical = ks_statistic(ours, theirs), ks_critical(len(ours), len(theirs))
    expected = float(min(len(ours), len(theirs)))
    verdict, why = _verdict(statistic, 0.0, critical, expected, least, unlike="")
    label = f"{name.replace('_', ' ')}, Kolmogorov-Smirnov D"
    return Comparison(
        "", f"{name}.D", label, "all", "all", "D", statistic, 0.0, statistic, 0.0, critical, expected, verdict, why
    )


def _verdict(
    value: float | None, low: float, high: float, expected: float, least: float, unlike: str
) -> tuple[Verdict, str]:
    if unlike:
        return "no verdict", unlike
    if expected < least:
        return "no verdict", f"{expected:.0f} of {least:g} events"
    # Bounds that a rounded figure meets exactly are met.
    met = value is not None and low - 1e-9 <= value <= high + 1e-9
    return ("ok" if met else "MISSED"), ""
