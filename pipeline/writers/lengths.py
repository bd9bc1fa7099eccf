"""How many words each turn has, so that the total fits and the lengths vary as measured."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pipeline.records import Amounts

SPREAD_BELOW, SPREAD_ABOVE = 0.67, 0.56
"""Standard deviations of the logarithm: 2.19 s and 10.65 s are the 10th and 90th percentile (Table 21)."""
SHORTEST, LONGEST = 3, 45
CLAIM_WORDS = 4
"""Words that a claim adds to a conversation, beyond those that its success cuts off."""


def turn_words(amounts: Amounts) -> int:
    """How many of the words asked for are left to the turns: not those of claims and backchannels."""
    others = CLAIM_WORDS * amounts.floor_claims + amounts.backchannels
    return max(SHORTEST * amounts.floor_turns, round(0.8 * amounts.words), amounts.words - others)


def turn_lengths(n: int, total: int, rng: np.random.Generator) -> list[int]:
    """`n` word counts of about `total` together, log-normal as Table 21 and stratified, in random order.

    >>> lengths = turn_lengths(20, 400, np.random.default_rng(1))
    >>> len(lengths), sum(lengths)
    (20, 400)
    """
    drawn = [_relative(NormalDist().inv_cdf((i + rng.uniform(0.2, 0.8)) / n)) for i in range(n)]
    return scaled(np.array(rng.permutation(drawn)), total)


def _relative(z: float) -> float:
    """Length beside the median, at `z` standard deviations from it."""
    return math.exp(z * (SPREAD_ABOVE if z > 0 else SPREAD_BELOW))


def scaled(weights: NDArray[np.float64], total: int) -> list[int]:
    """Whole numbers proportional to `weights`, between shortest and longest, of `total` together where they can be."""
    low, high = SHORTEST, max(LONGEST, math.ceil(2 * total / len(weights)))
    factor = total / weights.sum()
    for _ in range(20):
        sizes = np.clip(weights * factor, low, high)
        factor *= total / sizes.sum()
    sizes = np.clip(weights * factor, low, high)
    # Cumulative rounding keeps the total.
    edges = np.round(np.cumsum(sizes)).astype(int)
    return [int(size) for size in np.diff(edges, prepend=0)]
