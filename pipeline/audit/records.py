"""What an audit finds, ready for JSON."""

from typing import Literal

from pydantic import Field

from pipeline.evaluation.operating import OperatingPoint
from pipeline.evaluation.scorer import Task
from pipeline.records import Record


class RuleResult(Record):
    """The best a rule does within the budget of false positives, with and without the bound on latency.

    They are None where no threshold keeps to both, or the corpus has no positive or no hard negative.
    """

    task: Task
    feature: str
    unit: str
    bounded: OperatingPoint | None = None
    unbounded: OperatingPoint | None = None
    shortcut: bool | None = None
    """Whether the rule solves too much of its task within budget and bound; None: too few events to tell."""
    remedy: str | None = None
    """Of a shortcut: what makes its feature tell less."""


class Lengths(Record):
    """Lengths of the bursts [s] that begin with one kind of event."""

    name: str
    n: int
    p10: float | None = None
    p25: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None


class Likeness(Record):
    """How alike two distributions of lengths are."""

    one: str
    other: str
    overlap: float = Field(ge=0, le=1)
    """Overlap coefficient: the area that both histograms share, in bins of 0.1 s; 1: the same."""
    ks: float = Field(ge=0, le=1)
    """Two-sample Kolmogorov-Smirnov statistic: the largest distance of the two distribution functions; 0: the same."""


class Separation(Record):
    """How well the burst's length tells takeovers from hard negatives when its end is awaited."""

    threshold_s: float
    """Takeovers are those on this side of it that `takeovers` names."""
    takeovers: Literal["longer", "shorter"]
    balanced_accuracy: float
    auc: float
    """Probability that a takeover's first burst is longer than a hard negative; half of the ties."""


class Audit(Record):
    """What one-feature rules make of a corpus, and how alike its bursts are in length."""

    schema_version: Literal[1] = 1
    conversations: int
    positives: dict[Task, int]
    negatives: dict[Task, int]
    rules: tuple[RuleResult, ...]
    lengths: tuple[Lengths, ...]
    likeness: tuple[Likeness, ...]
    separation: Separation | None = None

    @property
    def shortcuts(self) -> tuple[RuleResult, ...]:
        """The rules that solve too much."""
        return tuple(rule for rule in self.rules if rule.shortcut)
