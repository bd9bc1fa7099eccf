"""FLAC files of one channel."""

import io
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile
from numpy.typing import NDArray

from pipeline.errors import InputError

Bits = Literal[16, 24]
Floats = NDArray[np.float32] | NDArray[np.float64]


def quantised(samples: Floats, bits: Bits = 16) -> NDArray[np.int32]:
    """Samples in [-1, 1) as integers of `bits` bits: plain rounding to the nearest, without dither.

    Dither would fill the silence of a clean channel with noise; its level there says who is silent.

    Raises
    ------
    InputError
        when a sample does not fit, or is no number: lower the gain before.

    """
    full = 1 << (bits - 1)
    # Times a power of two and rounded, a float32 is as exact as a float64, and 24 bits fit into either.
    whole = samples * samples.dtype.type(full)
    np.rint(whole, out=whole)
    if whole.size and not (whole.min() >= -full and whole.max() < full):
        peak = float(np.max(np.abs(samples)))
        raise InputError(f"a sample of magnitude {peak:.4g} does not fit into {bits} bits: lower the gain")
    return whole.astype(np.int32)


def flac_bytes(samples: Floats, rate: int, bits: Bits = 16) -> bytes:
    """One channel [n] in [-1, 1) as a FLAC file."""
    whole = quantised(samples, bits)
    # soundfile takes the upper bits of 32-bit integers; 16-bit ones it takes as they are.
    data = whole.astype(np.int16) if bits == 16 else whole << 8
    buffer = io.BytesIO()
    soundfile.write(buffer, data, rate, format="FLAC", subtype=f"PCM_{bits}")
    return buffer.getvalue()


def read_flac(path: Path, start: int = 0, stop: int | None = None) -> tuple[NDArray[np.float32], int]:
    """Samples [n] in [-1, 1) and rate of a file of one channel; InputError when it is not one.

    `start` and `stop` [samples] read that stretch alone, without decoding what lies before it.
    """
    try:
        samples, rate = soundfile.read(path, start=start, stop=stop, dtype="float32", always_2d=True)
    except (OSError, soundfile.SoundFileError) as error:
        raise InputError(f"{path}: cannot be read as audio ({error})") from None
    if samples.shape[1] != 1:
        raise InputError(f"{path}: has {samples.shape[1]} channels where one is expected")
    return samples[:, 0], int(rate)
