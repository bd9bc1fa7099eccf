"""The record `stress` of a configuration: what a corpus isolates, and what its figures must be to prove that."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from pipeline.output.figures import Figures
from pipeline.records.base import Record

TIMINGS = (
    "floor_segment", "yield_gap", "hold_pause", "interruption_overlap", "failed_claim", "backchannel", "laughter",
)  # fmt: skip
"""Durations that are counted of every conversation."""
_LISTS = ("adjustments", "script")
"""Groups of counts whose names depend on what happened."""


class Proof(Record):
    """A figure of all conversations and the range that it must lie in."""

    figure: str
    """Where the figure stands under `all` in `stats.json`: its keys, joined by dots."""
    at_least: float | None = None
    at_most: float | None = None

    @field_validator("figure")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in known_figures() and not name.startswith(tuple(f"{group}." for group in _LISTS)):
            raise ValueError(f"{name!r} is no figure of stats.json; it has {', '.join(_listed(known_figures()))}")
        return name

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"{self.figure} has no bound; give at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(
                f"{self.figure}: at_least {self.at_least:g} is above at_most {self.at_most:g}; swap the two"
            )
        return self

    @property
    def wanted(self) -> str:
        """The range, for a person.

        >>> Proof(figure="overlap_share", at_least=0.35, at_most=0.45).wanted
        '0.35 to 0.45'
        """
        if self.at_least is None:
            return f"at most {self.at_most:g}"
        return f"at least {self.at_least:g}" if self.at_most is None else f"{self.at_least:g} to {self.at_most:g}"

    def holds(self, value: float) -> bool:
        """Whether a realised figure lies in the range."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


class StressSettings(Record):
    """What a stress corpus is for; it goes with the settings that make it so."""

    isolates: str = Field(min_length=1)
    """The one thing that it has more of than others, in a few words."""
    proves: tuple[Proof, ...] = Field(min_length=1)
    """The figures that show it."""


@cache
def known_figures() -> tuple[str, ...]:
    """The names of all figures that a proof may use."""
    summary = Figures(durations=dict.fromkeys(TIMINGS, ())).summary()
    return tuple(name for name in _leaves(summary) if not name.startswith(_LISTS))


def _leaves(data: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def _listed(names: tuple[str, ...]) -> list[str]:
    """The names, those of the quantiles of one figure in one."""
    quantiles = ("n", "p10", "p50", "p90")
    whole = dict.fromkeys(
        f"{above}.{'|'.join(quantiles)}" if found and last in quantiles else name
        for name in names
        for above, found, last in [name.rpartition(".")]
    )
    return list(whole)
