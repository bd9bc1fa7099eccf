"""Where speech starts and ends in a rendered sound, by its energy."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pipeline.records.span import Span
from pipeline.samples import RATE, to_samples

BELOW_DB = 40.0
"""Frames quieter than this under the loud ones are silence: a ten-thousandth of a loud frame's power."""
HOP_S, WINDOW_S = 0.0025, 0.010
SHORTEST_S = 0.015
"""Sound shorter than this, as windows of 10 ms see it, is a click and not speech."""
SILENCE_S = 0.08
"""Silence shorter than this is part of speech (a stop consonant's closure)."""
FLOOR = 1e-10
"""Power below which a frame is silent whatever the rest (-100 dBFS)."""


def measure_bounds(
    samples: npt.NDArray[np.float32],
    rate: int = RATE,
    below_db: float = BELOW_DB,
    shortest_s: float = SHORTEST_S,
    level_until: int | None = None,
) -> Span:
    """First and one past the last audible sample of `samples`.

    The loud level is the 95th percentile of the power of windows of 10 ms (every 2.5 ms), taken over those within
    40 dB of the loudest, so that silence around the speech does not move it. A window is audible when it is less
    than `below_db` under that level and belongs to a run of at least `shortest_s`.

    Parameters
    ----------
    samples
        Mono sound, shape (n,).
    rate
        Samples a second.
    below_db
        Distance of silence from loud speech [dB].
    shortest_s
        Shortest run of audible windows that counts [s].
    level_until
        Take the loud level from the samples before this one alone; None: from all.

    Returns
    -------
    Span
        In samples; empty at 0 where nothing is audible.

    """
    runs = _audible_runs(samples, rate, below_db, shortest_s, level_until)
    return Span(start=runs[0].start, end=runs[-1].end) if runs else Span(start=0, end=0)


def measure_silences(
    samples: npt.NDArray[np.float32], rate: int = RATE, below_db: float = BELOW_DB, shortest_s: float = SILENCE_S
) -> list[Span]:
    """Silences of at least `shortest_s` between the first and the last audible sample [samples].

    Silence is what :func:`measure_bounds` calls so; the parameters are the same.
    """
    runs = _audible_runs(samples, rate, below_db, SHORTEST_S)
    gaps = [Span(start=before.end, end=after.start) for before, after in pairwise(runs)]
    return [gap for gap in gaps if gap.length >= to_samples(shortest_s, rate)]


def _audible_runs(
    samples: npt.NDArray[np.float32], rate: int, below_db: float, shortest_s: float, level_until: int | None = None
) -> list[Span]:
    """Runs of audible windows [samples], clicks left out."""
    hop, window = to_samples(HOP_S, rate), to_samples(WINDOW_S, rate)
    power = window_power(samples, hop, window)
    level = _loud(power if level_until is None else window_power(samples[:level_until], hop, window))
    audible = power > level * 10 ** (-below_db / 10)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], audible, [False]]).astype(np.int8))).reshape(-1, 2)
    shortest = max(1, round(shortest_s / HOP_S))
    return [Span(start=int(a) * hop, end=min(int(b) * hop, len(samples))) for a, b in edges if b - a >= shortest]


def window_power(samples: npt.NDArray[np.float32], hop: int, window: int) -> npt.NDArray[np.float64]:
    """Mean square of windows centred on each hop: shape (ceil(n / hop),)."""
    if not len(samples):
        return np.zeros(0)
    total = np.concatenate([[0.0], np.cumsum(samples.astype(np.float64) ** 2)])
    centres = np.arange(0, len(samples), hop) + hop // 2
    low = np.clip(centres - window // 2, 0, len(samples))
    high = np.clip(centres + window // 2, 0, len(samples))
    return np.asarray(np.maximum(total[high] - total[low], 0.0) / window)


def _loud(power: npt.NDArray[np.float64]) -> float:
    """Level of the loud windows; infinite where all are silent."""
    top = float(power.max(initial=0.0))
    return float(np.percentile(power[power > top * 1e-4], 95)) if top > FLOOR else np.inf
