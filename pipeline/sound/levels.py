"""Levels of speech and of noise, in decibels re a mean square of 1.0 (full scale)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import InputError
from pipeline.samples import RATE, to_samples

Floats = NDArray[np.float32] | NDArray[np.float64]
Interval = tuple[int, int]
"""First sample and one past the last."""

FRAME_S = 0.05
"""Frame of the active RMS of an event."""
RANGE_DB = 20.0
"""Frames this far below the loudest still count as active."""
P56_TIME_S, P56_HANGOVER_S, P56_MARGIN_DB = 0.03, 0.2, 15.9
"""Constants of ITU-T P.56 (12/2011), method B."""
P56_TAIL_S = 0.35
P56_THRESHOLDS = 32
"""3 dB apart from the loudest down: twice as fine as the standard's, for a closer interpolation."""


def decibels(power: float) -> float:
    """Power ratio in dB; minus infinity for 0.

    >>> decibels(0.01), decibels(0.0)
    (-20.0, -inf)
    """
    return 10.0 * math.log10(power) if power > 0.0 else -math.inf


def amplitude(db: float) -> float:
    """Linear factor of a level in dB.

    >>> amplitude(-20.0)
    0.1
    """
    return float(10.0 ** (db / 20.0))


def mean_square(samples: Floats) -> float:
    """Mean power of `samples` [any shape]; 0 for none."""
    return energy(samples) / samples.size if samples.size else 0.0


def energy(samples: Floats) -> float:
    """Sum of squares in double precision.

    Not by a dot product: its threads would make the last bits depend on how many there are.
    """
    return float(np.sum(np.square(samples, dtype=np.float64)))


@dataclass(frozen=True)
class Activity:
    """Energy and number of the active samples of one channel, or of several pooled."""

    energy: float
    samples: int

    @property
    def power(self) -> float:
        """Mean power while active; 0 where nothing is."""
        return self.energy / self.samples if self.samples else 0.0

    @property
    def db(self) -> float:
        """Active-speech level [dBFS]."""
        return decibels(self.power)


def merged(intervals: Iterable[Interval], n: int) -> list[Interval]:
    """The intervals cut to [0, n), in order, overlapping ones joined, empty ones gone.

    >>> merged([(5, 9), (-2, 3), (8, 20), (4, 4)], 12)
    [(0, 3), (5, 12)]
    """
    out: list[Interval] = []
    for start, end in sorted((max(0, a), min(n, b)) for a, b in intervals):
        if end <= start:
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def activity_of(stem: Floats, intervals: Iterable[Interval]) -> Activity:
    """Active energy of one clean channel [n] over its active sample intervals."""
    spans = merged(intervals, len(stem))
    return Activity(sum(energy(stem[a:b]) for a, b in spans), sum(b - a for a, b in spans))


def active_speech(stems: Floats, activity: Sequence[Iterable[Interval]]) -> tuple[Activity, list[Activity]]:
    """Activity pooled over the clean channels, and of each.

    The pooled active-speech level is the active energy of all channels over their active samples, so
    that neither silence nor the number of speakers moves it.

    Parameters
    ----------
    stems
        Clean speech [channels, n].
    activity
        For each channel its active sample intervals; they may overlap.

    Raises
    ------
    InputError
        when there is no speech to measure, or a stem holds a value that is no number.

    """
    if len(activity) != len(stems):
        raise InputError(f"{len(stems)} stems with activity of {len(activity)}: give the intervals of each stem")
    channels = [activity_of(stem, spans) for stem, spans in zip(stems, activity, strict=True)]
    pooled = Activity(sum(c.energy for c in channels), sum(c.samples for c in channels))
    if not math.isfinite(pooled.energy):
        raise InputError("the stems hold values that are no numbers: render them again")
    if pooled.power <= 0.0:
        raise InputError("the stems have no active speech to set a noise level against: check their activity")
    return pooled, channels


def active_rms(samples: Floats, rate: int = RATE) -> float:
    """RMS of an event [n] over its frames of 50 ms within 20 dB of the loudest; 0 for silence.

    Whole-file RMS would read a sparse event up to 9 dB too low, and so make it too loud.
    """
    frame = min(to_samples(FRAME_S, rate), len(samples))
    if frame == 0:
        return 0.0
    padded = np.zeros(math.ceil(len(samples) / frame) * frame)
    padded[: len(samples)] = samples
    powers = np.mean(padded.reshape(-1, frame) ** 2, axis=1)
    loudest = float(powers.max())
    return math.sqrt(float(powers[powers >= loudest * 10.0 ** (-RANGE_DB / 10.0)].mean())) if loudest else 0.0


@dataclass(frozen=True)
class P56:
    """Result of ITU-T P.56 method B."""

    level_db: float
    """Active-speech level [dBFS]; minus infinity for silence."""
    activity: float
    """Share of the time that is active, 0 to 1."""


def p56(samples: Floats, rate: int = RATE) -> P56:
    """Active-speech level by ITU-T P.56 (12/2011) method B, for `samples` [n] within full scale 1.0.

    Measure the clean stem: noise at 15 dB SNR biases the level by -5 dB. The envelope and its hangover
    run on past the end, so that silence after the speech does not move the level.
    """
    n = len(samples)
    x = np.concatenate([np.asarray(samples, dtype=np.float64), np.zeros(to_samples(P56_TAIL_S, rate))])
    total = energy(x)
    if total == 0.0:
        return P56(-math.inf, 0.0)
    envelope = _envelope(np.abs(x), rate)
    thresholds = float(envelope.max()) * 2.0 ** (-0.5 * np.arange(P56_THRESHOLDS))
    hangover = to_samples(P56_HANGOVER_S, rate)
    counts = np.array([_held(envelope, float(c), hangover) for c in thresholds])
    levels = 10.0 * np.log10(total / counts)
    level = _crossing(levels, 20.0 * np.log10(thresholds))
    return P56(level, min(1.0, total / n / 10.0 ** (level / 10.0)))


def _envelope(rectified: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """Two exponential averages of 30 ms in series, as one convolution (its tail below 1e-12 left out)."""
    g = math.exp(-1.0 / (P56_TIME_S * rate))
    k = np.arange(to_samples(P56_TIME_S * 32, rate))
    response = (1.0 - g) ** 2 * (k + 1) * g**k
    return np.maximum(convolve(rectified, response)[: len(rectified)], 0.0)


def _held(envelope: NDArray[np.float64], threshold: float, hangover: int) -> int:
    """Samples at or above the threshold or within the hangover after one that is."""
    above = np.flatnonzero(envelope >= threshold)
    held = np.minimum(np.diff(above, append=len(envelope)), hangover + 1)
    return int(held.sum())


def _crossing(levels: NDArray[np.float64], thresholds: NDArray[np.float64]) -> float:
    """Level where it stands the margin above the threshold, interpolated between two thresholds."""
    above = levels - thresholds - P56_MARGIN_DB
    j = int(np.argmax(above >= 0.0))
    if above[j] < 0.0 or j == 0:
        return float(levels[j])
    share = above[j] / (above[j] - above[j - 1])
    return float(levels[j] + share * (levels[j - 1] - levels[j]))


def convolve(samples: NDArray[np.float64], response: NDArray[np.float64]) -> NDArray[np.float64]:
    """Full linear convolution [n + m - 1] by one transform of a fast length."""
    n = len(samples) + len(response) - 1
    size = fast_length(n)
    product = np.fft.rfft(samples, size) * np.fft.rfft(response, size)
    return np.fft.irfft(product, size)[:n]


def fast_length(n: int) -> int:
    """Smallest 2^a, 3·2^a or 5·2^a that is at least `n`: lengths that transform fast.

    >>> fast_length(1000), fast_length(1100), fast_length(1500)
    (1024, 1280, 1536)
    """
    return min(f << max(0, math.ceil(math.log2(n / f))) for f in (1, 3, 5))
