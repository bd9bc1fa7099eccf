"""Lengths of bursts by what they are to the floor: how alike takeovers, failed claims, backchannels and laughs are.

The length of an event is that of the burst it begins: from its onset to the first pause of 0.2 s and more on its
channel. So a takeover counts with its first burst, which is all that has been heard when it matters.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.audit.activity import activities
from pipeline.audit.records import Lengths, Likeness, Separation
from pipeline.output.distance import distribution_distances, ks_statistic
from pipeline.records import EventKind, Timeline

KINDS: dict[str, EventKind] = {
    "takeover": "interruption",
    "failed claim": "non_floor_taking",
    "backchannel": "backchannel",
    "laugh": "laughter",
}
"""The events whose bursts are compared, by the name they are reported under."""
BIN_S = 0.1
"""Width of the bins in which two distributions are laid over each other [s]."""
Seconds = NDArray[np.float64]


def burst_lengths(timelines: Iterable[Timeline]) -> dict[str, Seconds]:
    """Lengths [s] of the bursts that the events of each of `KINDS` begin, in order of time."""
    found: dict[str, list[float]] = {name: [] for name in KINDS}
    for timeline in timelines:
        bursts = {activity.speaker: activity.bursts for activity in activities(timeline)}
        for name, kind in KINDS.items():
            for event in timeline.events:
                if event.kind == kind:
                    own = bursts[event.speaker]
                    end = own[np.searchsorted(own[:, 0], event.onset, side="right") - 1, 1]
                    found[name].append((end - event.onset) / timeline.rate)
    return {name: np.array(lengths) for name, lengths in found.items()}


def summary(name: str, lengths: Seconds) -> Lengths:
    """Number and quantiles of `lengths` [s]."""
    if not len(lengths):
        return Lengths(name=name, n=0)
    p10, p25, p50, p75, p90 = (round(float(v), 3) for v in np.percentile(lengths, (10, 25, 50, 75, 90)))
    return Lengths(name=name, n=len(lengths), p10=p10, p25=p25, p50=p50, p75=p75, p90=p90)


def likenesses(lengths: Mapping[str, Seconds]) -> tuple[Likeness, ...]:
    """How alike each two of the distributions are that have at least one length."""
    there = [name for name, values in lengths.items() if len(values)]
    return tuple(
        Likeness(
            one=one,
            other=other,
            overlap=round(overlap(lengths[one], lengths[other]), 4),
            ks=round(ks_statistic(lengths[one], lengths[other]), 4),
        )
        for one, other in combinations(there, 2)
    )


def overlap(one: Seconds, other: Seconds) -> float:
    """Overlap coefficient of two samples: the area that their histograms share, in bins of 0.1 s.

    >>> overlap(np.array([0.41, 0.42]), np.array([0.45, 1.0]))
    0.5
    """
    bins = [np.floor(values / BIN_S + 1e-6).astype(int) for values in (one, other)]
    most = 1 + max(int(values.max()) for values in bins)
    first, second = (np.bincount(values, minlength=most) / len(values) for values in bins)
    return float(np.minimum(first, second).sum())


def separation(takeovers: Seconds, negatives: Sequence[Seconds]) -> Separation | None:
    """How well a single threshold on the length tells takeovers from `negatives`; None where one of both lacks."""
    others = np.concatenate([np.empty(0), *negatives])
    if not len(takeovers) or not len(others):
        return None
    at, distance = distribution_distances(takeovers, others)
    best = int(np.abs(distance).argmax())
    return Separation(
        threshold_s=round(float(at[best]), 3),
        takeovers="longer" if distance[best] <= 0 else "shorter",
        balanced_accuracy=round(0.5 + float(np.abs(distance[best])) / 2, 4),
        auc=round(_auc(takeovers, others), 4),
    )


def _auc(one: Seconds, other: Seconds) -> float:
    ordered = np.sort(other)
    below = [np.searchsorted(ordered, one, side=side) for side in ("left", "right")]
    return float(np.mean(below[0] + below[1]) / 2 / len(other))
