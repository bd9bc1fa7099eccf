"""Recall, false-positive rate and latency, with intervals by resampling whole conversations."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.items import Item, Scored
from pipeline.records import Record
from pipeline.seeds import generator

CONFIDENCE = 0.95
RESAMPLES = 10_000
"""Of whole conversations (`scoring.confidence` in the paper's tables)."""
Interval = tuple[float, float]


class Metrics(Record):
    """How well a detector does on one task; shares are None where there is nothing to take a share of."""

    positives: int
    found: int
    negatives: int
    fired: int
    recall: float | None = None
    recall_interval: Interval | None = None
    fpr: float | None = None
    fpr_interval: Interval | None = None
    latency_p10_ms: float | None = None
    latency_p50_ms: float | None = None
    latency_p90_ms: float | None = None


def metrics(scored: Scored, seed: int = 0, resamples: int = RESAMPLES) -> Metrics:
    """The metrics of what was scored.

    Parameters
    ----------
    scored
        All items of a task.
    seed
        Of the resampling; the same items and seed give the same intervals.
    resamples
        How many; 0: no intervals.

    """
    total = scored.total()
    found = [(item, latency is not None) for item, latency in scored.positives]
    late = total.latencies_ms
    p10, p50, p90 = (round(float(v), 1) for v in np.percentile(late, (10, 50, 90))) if late else (None, None, None)
    return Metrics(
        positives=len(scored.positives),
        found=total.true_positives,
        negatives=len(scored.negatives),
        fired=total.false_positives,
        recall=_rounded(total.recall),
        recall_interval=bootstrap(found, seed, resamples),
        fpr=_rounded(total.fpr),
        fpr_interval=bootstrap(scored.negatives, seed, resamples),
        latency_p10_ms=p10,
        latency_p50_ms=p50,
        latency_p90_ms=p90,
    )


def bootstrap(
    items: Iterable[tuple[Item, bool]], seed: int = 0, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval | None:
    """Percentile interval of the share of true `items` when whole conversations are drawn anew, with replacement.

    Members of a counterfactual pair are drawn as one. None where there is no item or no resample. Efron (1979),
    Bootstrap methods: another look at the jackknife.
    """
    counts, hits = Counter[str](), Counter[str]()
    for item, hit in items:
        counts[item.cluster] += 1
        hits[item.cluster] += hit
    if not counts or not resamples:
        return None
    names = sorted(counts)
    shares = _resampled(np.array([hits[n] for n in names]), np.array([counts[n] for n in names]), seed, resamples)
    tail = (1 - confidence) / 2
    low, high = np.quantile(shares, (tail, 1 - tail))
    return round(float(low), 4), round(float(high), 4)


def _resampled(hits: NDArray[np.int64], counts: NDArray[np.int64], seed: int, resamples: int) -> NDArray[np.float64]:
    """Share of hits in each resample of the conversations, each of which has at least one item."""
    n = len(counts)
    weights = generator(seed, "bootstrap").multinomial(n, np.full(n, 1 / n), size=resamples)
    return np.asarray((weights @ hits) / (weights @ counts))


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 6)
