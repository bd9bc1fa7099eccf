"""Where speech starts and ends in a rendered sound, by its energy."""

import numpy as np
import numpy.typing as npt

from pipeline.records.span import Span
from pipeline.samples import RATE, to_samples

BELOW_DB = 35.0
"""Frames quieter than this under the loud ones are silence: a quarter of a percent of a loud frame's power."""
HOP_S, WINDOW_S = 0.0025, 0.010
SHORTEST_S = 0.010
"""Sound shorter than this is a click, not speech."""
FLOOR = 1e-10
"""Power below which a frame is silent whatever the rest (-100 dBFS)."""


def measure_bounds(
    samples: npt.NDArray[np.float32], rate: int = RATE, below_db: float = BELOW_DB, shortest_s: float = SHORTEST_S
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

    Returns
    -------
    Span
        In samples; empty at 0 where nothing is audible.

    """
    hop = to_samples(HOP_S, rate)
    power = window_power(samples, hop, to_samples(WINDOW_S, rate))
    runs = _runs(power > _loud(power) * 10 ** (-below_db / 10), max(1, round(shortest_s / HOP_S)))
    if not len(runs):
        return Span(start=0, end=0)
    return Span(start=int(runs[0, 0]) * hop, end=min(int(runs[-1, 1]) * hop, len(samples)))


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


def _runs(audible: npt.NDArray[np.bool_], shortest: int) -> npt.NDArray[np.int64]:
    """Runs of audible windows of at least `shortest` windows, as rows of (first, one past the last)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], audible, [False]]).astype(np.int8))).reshape(-1, 2)
    return np.asarray(edges[edges[:, 1] - edges[:, 0] >= shortest])
