"""Agreement beyond chance between several raters (Fleiss, 1971, Psychological Bulletin 76(5), 378-382)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def counted(ratings: Sequence[Sequence[str]], categories: Sequence[str]) -> Counts:
    """How many raters chose each category: shape (subjects, categories).

    >>> counted([["a", "a", "b"]], ["a", "b"]).tolist()
    [[2, 1]]
    """
    rows = [[list(some).count(name) for name in categories] for some in ratings]
    return np.array(rows, np.int64).reshape(len(rows), len(categories))


def fleiss_kappa(counts: Counts) -> float | None:
    """Overall kappa of subjects rated by equally many raters each; None where there is no chance to exceed.

    Parameters
    ----------
    counts
        Raters by subject and category [subjects, categories].

    Raises
    ------
    ValueError
        when subjects differ in how many rated them, or fewer than two did.

    """
    n = _raters(counts)
    if n is None:
        return None
    shares = counts.sum(axis=0) / counts.sum()
    agreeing = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    chance = float((shares**2).sum())
    return None if chance == 1.0 else float((agreeing.mean() - chance) / (1 - chance))


def category_kappa(counts: Counts, category: int) -> float | None:
    """Kappa of one category against all others; None where all or none of the ratings are in it.

    Parameters and errors as of :func:`fleiss_kappa`; `category` is the column.
    """
    n = _raters(counts)
    chosen = counts[:, category]
    share = float(chosen.sum() / counts.sum()) if n else 0.0
    if n is None or share in (0.0, 1.0):
        return None
    split = float((chosen * (n - chosen)).sum())
    return 1 - split / (len(counts) * n * (n - 1) * share * (1 - share))


def _raters(counts: Counts) -> int | None:
    """How many rated each subject; None where there is no subject."""
    numbers = set(counts.sum(axis=1).tolist())
    if not numbers:
        return None
    if len(numbers) > 1 or min(numbers) < 2:
        raise ValueError(f"each subject needs the same number of raters, two at least; there are {sorted(numbers)}")
    return int(numbers.pop())
