"""Sets of intervals on a channel: int64 arrays [n, 2] of start (first sample) and end (one past the last), in order.

The intervals of a set neither meet nor overlap, and none is empty.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int64]
Intervals = NDArray[np.int64]


def intervals(pairs: Iterable[tuple[int, int]]) -> Intervals:
    """The set of the samples that any of `pairs` holds, which come in any order.

    >>> intervals([(5, 9), (0, 3), (8, 12), (4, 4)]).tolist()
    [[0, 3], [5, 12]]
    """
    return joined(np.array([pair for pair in pairs if pair[0] < pair[1]], np.int64).reshape(-1, 2))


def joined(spans: Intervals, shortest: int = 1) -> Intervals:
    """The set with every gap of fewer than `shortest` samples closed; `spans` may overlap and come in any order.

    >>> joined(intervals([(0, 3), (5, 9), (20, 30)]), 5).tolist()
    [[0, 9], [20, 30]]
    """
    if not len(spans):
        return spans
    ordered = spans[np.argsort(spans[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ordered[:, 1])
    first = np.flatnonzero(np.r_[True, ordered[1:, 0] - reach[:-1] >= shortest])
    last = np.r_[first[1:], len(ordered)] - 1
    return np.column_stack([ordered[first, 0], reach[last]])


def complement(spans: Intervals, length: int) -> Intervals:
    """What `spans` leave of the samples 0 to `length`.

    >>> complement(intervals([(0, 3), (5, 9)]), 12).tolist()
    [[3, 5], [9, 12]]
    """
    left = np.column_stack([np.r_[0, spans[:, 1]], np.r_[spans[:, 0], length]])
    return left[left[:, 0] < left[:, 1]]


def common(one: Intervals, other: Intervals, length: int) -> Intervals:
    """The samples that both sets hold, of 0 to `length`.

    >>> common(intervals([(0, 3), (5, 9)]), intervals([(2, 7)]), 12).tolist()
    [[2, 3], [5, 7]]
    """
    outside = np.concatenate([complement(one, length), complement(other, length)])
    return complement(joined(outside), length)


def number_at(spans: Intervals, samples: Samples) -> Samples:
    """How many of `spans`, which may overlap, hold each of `samples`.

    >>> number_at(np.array([[0, 3], [2, 7]]), np.array([0, 2, 3, 7])).tolist()
    [1, 2, 1, 0]
    """
    begun = np.searchsorted(np.sort(spans[:, 0]), samples, side="right")
    over = np.searchsorted(np.sort(spans[:, 1]), samples, side="right")
    return (begun - over).astype(np.int64)
