"""How far figures and distributions lie apart."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
ALPHA = 0.01
"""Two samples of one distribution exceed the critical value of their statistic with this probability."""


def relative_error(realised: float, target: float) -> float | None:
    """Deviation from the target as a share of it, positive where more came out; None where the target is nought.

    >>> relative_error(11.0, 10.0), relative_error(1.0, 0.0)
    (0.1, None)
    """
    return round((realised - target) / abs(target), 6) if target else None


def ks_statistic(one: Sequence[float] | Values, other: Sequence[float] | Values) -> float:
    """Two-sample Kolmogorov-Smirnov statistic: the greatest distance of the empirical distribution functions, 0 to 1.

    Raises
    ------
    ValueError
        when one of the samples is empty.

    >>> ks_statistic([1, 2, 3, 4], [3, 4, 5, 6])
    0.5
    """
    if not len(one) or not len(other):
        raise ValueError("a sample is empty; there is no distribution to compare")
    return float(np.abs(distribution_distances(one, other)[1]).max())


def distribution_distances(one: Sequence[float] | Values, other: Sequence[float] | Values) -> tuple[Values, Values]:
    """Each value that occurs in two samples, and the distribution function of `one` less that of `other` there."""
    samples = [np.sort(np.asarray(sample, dtype=float)) for sample in (one, other)]
    at = np.unique(np.concatenate(samples))
    shares = [np.searchsorted(sample, at, side="right") / len(sample) for sample in samples]
    return at, shares[0] - shares[1]


def ks_critical(n_one: int, n_other: int, alpha: float = ALPHA) -> float:
    """The value that :func:`ks_statistic` exceeds with probability `alpha` when both samples are of one distribution.

    The large-sample form, sqrt(-ln(alpha / 2) / 2 · (n + m) / (n m)).

    >>> round(ks_critical(100, 100, alpha=0.05), 3)
    0.192
    """
    return math.sqrt(-math.log(alpha / 2) / 2 * (n_one + n_other) / (n_one * n_other))
