"""Reads recordings, and cuts, loops and resamples them."""

import math
from pathlib import Path

import numpy as np
import soundfile
import soxr

from pipeline.errors import InputError
from pipeline.samples import to_samples
from pipeline.sound.synthesis import Samples

TRIM_FRAME_S, TRIM_DB = 0.01, 40.0


def extent(path: Path) -> tuple[int, int]:
    """Number of samples of a recording, and its rate [Hz]; InputError when it is no sound."""
    try:
        about = soundfile.info(str(path))
    except (soundfile.SoundFileError, OSError) as error:
        raise InputError(f"{path}: cannot be read as sound ({error}): fetch it again") from None
    return int(about.frames), int(about.samplerate)


def read(path: Path, start: int = 0, n: int = -1) -> tuple[Samples, int]:
    """Samples of a recording, channels averaged, and its rate [Hz]; InputError when it is no sound."""
    try:
        samples, rate = soundfile.read(str(path), frames=n, start=start, dtype="float64", always_2d=True)
    except (soundfile.SoundFileError, OSError) as error:
        raise InputError(f"{path}: cannot be read as sound ({error}): fetch it again") from None
    return samples.mean(axis=1), int(rate)


def looped(samples: Samples, start: int, n: int, crossfade: int) -> Samples:
    """`n` samples of an endless loop of `samples`, from its sample `start` on.

    The loop's end is cross-faded into its beginning at equal power, so that the seam neither clicks nor
    dips; its period is shorter than the recording by the crossfade.
    """
    crossfade = min(crossfade, len(samples) // 2)
    period = len(samples) - crossfade
    loop = samples[:period].copy()
    angle = 0.5 * np.pi * (np.arange(crossfade) + 0.5) / max(1, crossfade)
    loop[:crossfade] = loop[:crossfade] * np.sin(angle) + samples[period:] * np.cos(angle)
    return np.asarray(np.take(loop, np.arange(start, start + n), mode="wrap"))


def trimmed(samples: Samples, rate: int, max_s: float) -> tuple[int, int]:
    """First sample and length of what is heard: frames within 40 dB of the loudest, at most `max_s`."""
    frame = to_samples(TRIM_FRAME_S, rate)
    if len(samples) < frame:
        return 0, len(samples)
    powers = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    heard = np.flatnonzero(powers > powers.max() * 10.0 ** (-TRIM_DB / 10.0))
    if not len(heard):
        return 0, 0
    start = int(heard[0]) * frame
    return start, min((int(heard[-1]) + 1) * frame - start, to_samples(max_s, rate))


def converted(n: int, rate: int, to_rate: int) -> int:
    """Samples at another rate that cover `n`.

    >>> converted(24_000, 24_000, 16_000)
    16000
    """
    return math.ceil(n * to_rate / rate)


def resampled(samples: Samples, rate: int, to_rate: int, n: int) -> Samples:
    """`samples` at another rate, brought to `n` by cutting or by silence at the end."""
    out = np.asarray(soxr.resample(samples, rate, to_rate)) if rate != to_rate else samples
    return np.pad(out[:n], (0, max(0, n - len(out))))
