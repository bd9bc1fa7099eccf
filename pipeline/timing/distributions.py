"""Distributions of durations: a range, or the quantiles of a measured one."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Discriminator, Field, Tag, model_validator

from pipeline.records.base import Record
from pipeline.samples import to_samples

WHOLE = (0.0, 1.0)
"""All of a distribution, as the probabilities between which it is drawn from."""


class Uniform(Record):
    """A uniform distribution from `low` to `high` [s]."""

    low: float
    high: float

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.high < self.low:
            raise ValueError(f"a range from {self.low} to {self.high} runs backwards; swap the two")
        return self

    def draw(self, rng: np.random.Generator, rate: int) -> int:
        """One value in samples at `rate`."""
        return to_samples(float(rng.uniform(self.low, self.high)), rate)


class Quantiles(Record):
    """A distribution by its quantiles: `values` [s] at `probabilities`, straight lines in between.

    It ends at the first and the last quantile: what lies beyond them counts as theirs.

    >>> Quantiles(probabilities=(0, 0.5, 1), values=(0.1, 0.3, 0.9)).at(0.25)
    0.2
    """

    probabilities: tuple[float, ...] = Field(min_length=2)
    values: tuple[float, ...] = Field(min_length=2)

    @model_validator(mode="before")
    @classmethod
    def _one_kind(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and {"low", "high"} & set(data):
            raise ValueError(
                "both a range (low, high) and quantiles (probabilities, values); give one of the two, "
                "if need be in a timing profile of your own (--config-dir)"
            )
        return data

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        p, v = self.probabilities, self.values
        if len(p) != len(v):
            raise ValueError(f"{len(p)} probabilities and {len(v)} values; give a value for each probability")
        if p[0] < 0 or p[-1] > 1 or any(b <= a for a, b in pairwise(p)):
            raise ValueError("the probabilities do not rise from 0 or more to 1 or less; sort them, each one once")
        if any(b < a for a, b in pairwise(v)):
            raise ValueError("the values fall as the probabilities rise; sort them")
        return self

    @property
    def low(self) -> float:
        """The least value [s]."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The greatest value [s]."""
        return self.values[-1]

    def at(self, probability: float) -> float:
        """The quantile at `probability` [s]."""
        return float(np.interp(probability, self.probabilities, self.values))

    def draw(self, rng: np.random.Generator, rate: int, between: tuple[float, float] = WHOLE) -> int:
        """One value in samples at `rate`, from the part `between` two probabilities."""
        return to_samples(self.at(float(rng.uniform(*between))), rate)


def is_quantiles(data: object) -> bool:
    """Whether a setting, as a record or as data, is given by its quantiles."""
    if isinstance(data, Mapping):
        return bool({"probabilities", "values"} & set(data))
    return isinstance(data, Quantiles)


Distribution = Annotated[
    Annotated[Uniform, Tag("uniform")] | Annotated[Quantiles, Tag("quantiles")],
    Discriminator(lambda data: "quantiles" if is_quantiles(data) else "uniform"),
]
"""A range or quantiles; both have `low`, `high` [s] and `draw`."""
