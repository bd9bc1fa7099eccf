"""Reverberation time: how fast the energy of a response dies away."""

import numpy as np
from numpy.typing import NDArray

from pipeline.samples import RATE

FROM_DB, TO_DB = -5.0, -35.0
"""Range of T30 in ISO 3382-1."""


def rt60_of(response: NDArray[np.floating], rate: int = RATE) -> float:
    """Reverberation time of a response [n] by T30 of ISO 3382-1: Schroeder's integral, a line through it [s].

    >>> decay = 10.0 ** (-3.0 * np.arange(24_000) / (0.4 * 24_000))
    >>> round(rt60_of(decay, 24_000), 3)
    0.4
    """
    return decay_time(np.square(np.asarray(response, dtype=np.float64)), rate)


def decay_time(energies: NDArray[np.float64], rate: float) -> float:
    """The same of energies by time [n], `rate` of them a second."""
    left = np.cumsum(energies[::-1])[::-1]
    db = 10.0 * np.log10(np.maximum(left, 1e-30) / left[0])
    fits = np.flatnonzero((db <= FROM_DB) & (db >= TO_DB))
    slope = np.polyfit(fits / rate, db[fits], 1)[0]
    return float(-60.0 / slope)
