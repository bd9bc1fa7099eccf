"""What a detector says of one channel and task, before a threshold is chosen: :meth:`at` a threshold it is decisions.

Decisions are times [s] by which all that they depend on has been heard. A decision less than 2 s after the last one on
its channel is not made (`refractory_s`), whichever detector makes it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.matching import committed

REFRACTORY_S = 2.0
"""After a decision a detector makes none for so long [s] (`scoring.refractory_s` in the paper's tables)."""
QUANTILES = 512
"""Of all scores above 0: candidate thresholds, beside 0.01 to 0.99."""


class Decisions(Protocol):
    """One channel and task of a detector."""

    def at(self, threshold: float) -> list[float]:
        """When it decides [s], in order."""

    def values(self) -> NDArray[np.float64]:
        """What candidate thresholds are drawn from; none: there is no threshold to choose."""


@dataclass(frozen=True)
class Fixed:
    """Decisions of a detector whose threshold was chosen elsewhere; taken as they are."""

    times: tuple[float, ...]

    def at(self, threshold: float) -> list[float]:
        """The decisions, whatever the threshold."""
        return list(self.times)

    def values(self) -> NDArray[np.float64]:
        """None."""
        return np.empty(0)


@dataclass(frozen=True)
class Grid:
    """Candidate decisions [s] of a detector that runs once for each of a few thresholds."""

    times: Mapping[float, tuple[float, ...]]

    def at(self, threshold: float) -> list[float]:
        """The decisions with one of the thresholds."""
        return committed(self.times[threshold], REFRACTORY_S)

    def values(self) -> NDArray[np.float64]:
        """The thresholds."""
        return np.array(sorted(self.times))


@dataclass(frozen=True)
class Marks:
    """Moments [s], in order, at which a detector scores the channel; it decides where the score is above."""

    times: tuple[float, ...]
    scores: tuple[float, ...]
    shares: bool = True
    """Whether scores lie from 0 to 1; others are measured in any unit, below zero too."""

    def at(self, threshold: float) -> list[float]:
        """The moments with a score above the threshold."""
        above = (time for time, score in zip(self.times, self.scores, strict=True) if score > threshold)
        return committed(above, REFRACTORY_S)

    def values(self) -> NDArray[np.float64]:
        """The scores."""
        return np.array(self.scores)


@dataclass(frozen=True, eq=False)
class Curve:
    """A score in each frame; the detector decides at the end of the frame in which it rises above the threshold."""

    scores: NDArray[np.float64]
    frame_rate_hz: float

    def at(self, threshold: float) -> list[float]:
        """The ends of the frames in which the score rises above the threshold; the first one counts as a rise."""
        above = self.scores > threshold
        rises = np.flatnonzero(above & ~np.r_[False, above[:-1]])
        kept = committed(rises.tolist(), round(REFRACTORY_S * self.frame_rate_hz))
        return [(frame + 1) / self.frame_rate_hz for frame in kept]

    def values(self) -> NDArray[np.float64]:
        """The scores."""
        return self.scores


def candidates(channels: Iterable[Decisions]) -> tuple[float, ...]:
    """The thresholds to try, ascending.

    A grid's own; else 512 quantiles of the scores above 0, and 0.01 to 0.99; for scores in any unit, 128 quantiles of
    them and one below them all. Without any score there is one threshold, which changes nothing.
    """
    found = list(channels)
    if any(isinstance(channel, Grid) for channel in found):
        return tuple(sorted({float(v) for channel in found for v in channel.values()}))
    scores = np.concatenate([np.empty(0), *(channel.values() for channel in found)])
    shares = all(channel.shares for channel in found if isinstance(channel, Marks))
    scores = scores[scores > 0] if shares else scores[np.isfinite(scores)]
    if not len(scores):
        return (0.0,)
    if not shares:
        below = np.nextafter(scores.min(), -np.inf)
        return tuple(np.unique(np.r_[below, np.quantile(scores, np.linspace(0, 1, QUANTILES // 4))]).tolist())
    quantiles = np.quantile(scores, np.linspace(0, 1, QUANTILES))
    return tuple(np.unique(np.r_[quantiles, np.arange(1, 100) / 100]).tolist())
