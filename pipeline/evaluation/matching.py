"""One task on one channel: predictions against positives, hard negatives and excluded intervals, all in seconds."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.evaluation.profiles import MULTIPARTY, Profile

Seconds = tuple[float, float]
"""Start and end of an interval [s], both inside it."""
ROUNDING_S = 1e-6
"""Times in seconds are rounded to the microsecond: windows are closed on both sides up to that."""


@dataclass(frozen=True)
class ChannelGold:
    """What counts for one task on one channel [s]; `positives` in order of time."""

    positives: tuple[float, ...] = ()
    negatives: tuple[Seconds, ...] = ()
    excluded: tuple[Seconds, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of each positive and each hard negative, in the order of the gold."""

    latencies_ms: tuple[float | None, ...]
    """Signed latency of a positive that was found [ms]; None: it was missed."""
    fired: tuple[bool, ...]
    """Whether a hard negative was fired on."""


def match(gold: ChannelGold, times: Iterable[float], profile: Profile = MULTIPARTY) -> Outcome:
    """Score the predictions at `times` [s, in any order] on one channel.

    Predictions in an excluded interval are dropped. Each positive, in order of time, claims the earliest prediction in
    its window that no other has claimed. What is left fires on the hard negatives that it lies in, once each.
    """
    left = sorted(t for t in times if not any(_inside(t, span) for span in gold.excluded))
    windows = _windows(gold.positives, profile)
    latencies = tuple(_claim(left, anchor, window) for anchor, window in zip(gold.positives, windows, strict=True))
    if profile.windows_shield:
        left = [t for t in left if not any(_inside(t, window) for window in windows)]
    fired = tuple(_first_in(left, (start - profile.negative_pre_s, end)) is not None for start, end in gold.negatives)
    return Outcome(latencies, fired)


def _windows(anchors: Sequence[float], profile: Profile) -> list[Seconds]:
    """Where each positive is looked for: up to the next later one."""
    return [(anchor - profile.pre_s, min(anchor + profile.post_s, _after(anchors, anchor))) for anchor in anchors]


def _after(anchors: Sequence[float], anchor: float) -> float:
    following = bisect_right(anchors, anchor)
    return anchors[following] if following < len(anchors) else float("inf")


def _claim(left: list[float], anchor: float, window: Seconds) -> float | None:
    """Latency of the earliest prediction in `window` [ms], which is taken out of `left`; None where there is none."""
    index = _first_in(left, window)
    return None if index is None else round(1000 * (left.pop(index) - anchor), 3)


def _first_in(times: Sequence[float], span: Seconds) -> int | None:
    index = bisect_left(times, span[0] - ROUNDING_S)
    return index if index < len(times) and _inside(times[index], span) else None


def _inside(time: float, span: Seconds) -> bool:
    return span[0] - ROUNDING_S <= time <= span[1] + ROUNDING_S


def committed(times: Iterable[float], refractory_s: float) -> list[float]:
    """Those of `times` [s, in order] that are no less than `refractory_s` after the last one that counts.

    >>> committed([0.0, 1.5, 2.0, 3.9, 4.0], 2.0)
    [0.0, 2.0, 4.0]
    """
    kept: list[float] = []
    for time in times:
        if not kept or time - kept[-1] >= refractory_s - ROUNDING_S:
            kept.append(time)
    return kept
