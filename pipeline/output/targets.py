"""What a corpus is compared with: the figures of a published corpus, or those of another one made here."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import yaml
from pydantic import Field, model_validator

from pipeline.records import InteractionType, Record
from pipeline.resources import resource

Cell = tuple[str, int]
"""Interaction type and number of speakers."""


class Tolerance(Record):
    """How far a realised figure may lie from its target."""

    pooled: float = Field(gt=0)
    """Of figures over all conversations, relative to the target."""
    group: float = Field(gt=0)
    """Of figures by type and by number of speakers, relative to the target."""
    quantile: float = Field(gt=0)
    """Of quantiles, relative to the target, and at least `quantile_s`."""
    quantile_s: float = Field(gt=0)
    """The least tolerance of a quantile [s]."""


class Target(Record):
    """One figure, over all conversations and by group; what a group lacks is not compared there."""

    label: str
    table: str
    """The table that `all` and `by_type` come from."""
    table_by_speakers: str | None = None
    """The table that `by_speakers` comes from; None: the same."""
    realised: str
    """Where the figure stands among those of a group in `stats.json`: its keys, joined by dots."""
    counts: tuple[str, ...] = ()
    """The figures [1/min] whose expected events decide whether there are enough for a verdict; none: this one's own."""
    all: float
    by_type: dict[InteractionType, float] = Field(default_factory=dict)
    by_speakers: dict[int, float] = Field(default_factory=dict)
    within: tuple[float, float] | None = None
    """Bounds in place of the tolerance."""

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, which people read in per cent."""
        return self.realised.endswith("_share")

    def written(self, value: float | None) -> str:
        """The figure for people, to three digits; a dash where nothing was counted."""
        return "-" if value is None else f"{100 * value:.1f} %" if self.is_share else three_digits(value)


class QuantileTarget(Record):
    """The 10th, 50th and 90th percentile of a duration [s] over all conversations, and how many there were."""

    label: str
    n: int = Field(gt=0)
    p10: float
    p50: float
    p90: float


class Targets(Record):
    """Everything that a corpus is compared with; the published figures stand in ``conf/targets/paper.yaml``."""

    source: str
    conversations: int = Field(gt=0)
    minutes: float = Field(gt=0)
    tolerance: Tolerance
    least_expected: float = Field(ge=0)
    """With fewer events expected than this, no verdict is given."""
    tables: dict[str, str] = Field(default_factory=dict)
    """What each table is about, in the order in which they are shown."""
    figures: dict[str, Target]
    timing_s: dict[str, QuantileTarget]
    cells: frozenset[Cell] = frozenset()
    """What the targets are pooled over; empty: every type with every number of speakers that has a target."""

    @model_validator(mode="after")
    def _counted(self) -> Self:
        for name, target in self.figures.items():
            for counted in target.counts:
                if counted not in self.figures:
                    raise ValueError(f"figures.{name}.counts: {counted!r} is no figure; name one of {[*self.figures]}")
        return self

    @property
    def design(self) -> frozenset[Cell]:
        """The cells that the targets are pooled over."""
        kinds = {kind for target in self.figures.values() for kind in target.by_type}
        numbers = {number for target in self.figures.values() for number in target.by_speakers}
        return self.cells or frozenset((kind, number) for kind in kinds for number in numbers)


@cache
def published() -> Targets:
    """The figures of the published corpus, with the tables they come from."""
    text = resource("conf", "targets", "paper.yaml").read_text(encoding="utf-8")
    return Targets.model_validate(yaml.safe_load(text))


def targets_from(source: str, stats: Mapping[str, Any], cells: frozenset[Cell], like: Targets) -> Targets | None:
    """The figures that `like` names as another corpus realises them; None where it holds no conversation.

    Parameters
    ----------
    source
        What the other corpus is called.
    stats, cells
        Its figures, as `stats.json` has them, and the type and number of speakers of its conversations.
    like
        Which figures are compared, and with what tolerance.

    """
    if not stats["all"]["duration_s"]:
        return None
    figures = {name: found for name, target in like.figures.items() if (found := _found(target, stats))}
    return Targets(
        source=source,
        conversations=stats["all"]["conversations"],
        minutes=stats["all"]["duration_s"] / 60,
        tolerance=like.tolerance,
        least_expected=like.least_expected,
        tables=like.tables,
        figures=figures,
        timing_s={
            name: QuantileTarget(label=target.label, **stats["all"]["timing_s"][name])
            for name, target in like.timing_s.items()
            if stats["all"]["timing_s"].get(name, {}).get("n")
        },
        cells=cells,
    )


def _found(target: Target, stats: Mapping[str, Any]) -> Target | None:
    """The same figure as another corpus realises it; None where nothing was counted."""
    pooled = realised(stats["all"], target.realised)
    if pooled is None:
        return None
    groups: dict[str, dict[str, float]] = {
        by: {
            name: value for name, group in stats[by].items() if (value := realised(group, target.realised)) is not None
        }
        for by in ("by_type", "by_speakers")
    }
    data = target.model_dump(exclude={"within"}) | {"all": pooled, **groups}
    return Target.model_validate(data)


def three_digits(value: float) -> str:
    """Three significant digits, and at most three after the point.

    >>> three_digits(12.345), three_digits(3.0), three_digits(0.05678), three_digits(123.4)
    ('12.3', '3.00', '0.057', '123')
    """
    digits = next((n for n, least in ((0, 99.95), (1, 9.995), (2, 0.9995)) if abs(value) >= least), 3)
    return f"{value:.{digits}f}"


def realised(group: Mapping[str, Any], place: str) -> float | None:
    """The figure at `place` (keys joined by dots) in the figures of a group; None where nothing was counted.

    >>> realised({"rates_per_min": {"turns": 9.5}}, "rates_per_min.turns")
    9.5
    """
    found: Any = group
    for key in place.split("."):
        found = (found or {}).get(key)
    return None if found is None else float(found)
