"""Numbers as the statistics of a corpus state them."""

from collections.abc import Sequence

import numpy as np


def ratio(part: float, whole: float, digits: int = 4) -> float | None:
    """A part of a whole, rounded; None where there is no whole.

    >>> ratio(1, 3), ratio(60, 7, 3), ratio(1, 0)
    (0.3333, 8.571, None)
    """
    return round(part / whole, digits) if whole else None


def percentiles(values: Sequence[float]) -> dict[str, float | int | None]:
    """Number, and 10th, 50th and 90th percentile."""
    if not values:
        return {"n": 0, "p10": None, "p50": None, "p90": None}
    p10, p50, p90 = (round(float(v), 3) for v in np.percentile(values, (10, 50, 90)))
    return {"n": len(values), "p10": p10, "p50": p50, "p90": p90}
