"""What a detector hears of a conversation: the noisy channels, and the same at 16 kHz through a causal filter."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import firwin, upfirdn

from pipeline.errors import InputError
from pipeline.output.flac import read_flac

Floats = NDArray[np.float32]
NEAR_RATE = 16_000
"""The rate at which most detectors listen [Hz]."""
FILTER_HALF = 10
"""Half the low-pass of the resampling, in periods of the lower rate: 24 kHz come 0.6 ms late at 16 kHz."""


@dataclass(frozen=True, eq=False)
class Sound:
    """The channels of a conversation, all of one length."""

    rate: int
    channels: Mapping[str, Floats]
    """Samples [n] in [-1, 1) by the id of the speaker, in order of the channels."""

    @cached_property
    def near(self) -> dict[str, Floats]:
        """The channels at 16 kHz: the value at a moment depends on nothing after it."""
        return {ident: causally_resampled(samples, self.rate, NEAR_RATE) for ident, samples in self.channels.items()}

    @property
    def duration_s(self) -> float:
        """Length [s]."""
        return max((len(samples) for samples in self.channels.values()), default=0) / self.rate

    def until(self, seconds: float) -> "Sound":
        """The sound as it is up to a moment [s]."""
        end = round(seconds * self.rate)
        return Sound(self.rate, {ident: samples[:end] for ident, samples in self.channels.items()})


def read_sound(folder: Path, speakers: Mapping[str, str]) -> Sound:
    """The noisy channels of the conversation in `folder`; `speakers`: the key of each speaker's id, by channel.

    Raises
    ------
    InputError
        in one line, where a channel lacks or they differ in rate or length.

    """
    found = {ident: read_flac(folder / "noisy" / f"{ident}.flac") for ident in speakers}
    shapes = {(rate, len(samples)) for samples, rate in found.values()}
    if len(shapes) != 1:
        raise InputError(f"{folder / 'noisy'}: the channels differ in rate or length; make this conversation again")
    ((rate, _),) = shapes
    return Sound(rate, {ident: samples for ident, (samples, _) in found.items()})


def causally_resampled(samples: Floats, rate: int, wanted: int) -> Floats:
    """`samples` [n] at `rate` as floor(n * wanted / rate) samples at `wanted`, each from what is not later than it.

    The low-pass is linear in phase, so that all comes later by half its length (see `FILTER_HALF`).
    """
    if rate == wanted:
        return samples
    shared = math.gcd(rate, wanted)
    up, down = wanted // shared, rate // shared
    widest = max(up, down)
    taps = firwin(2 * FILTER_HALF * widest + 1, 1 / widest, window=("kaiser", 5.0)) * up
    length = len(samples) * up // down
    return np.asarray(upfirdn(taps, samples, up, down)[:length], np.float32)


def frames_of(samples: Floats, size: int) -> Floats:
    """Whole frames [n, size]; what is left over at the end is not heard."""
    return samples[: len(samples) // size * size].reshape(-1, size)
