"""Clean stems on disk between stages: FLAC of 24 bits with headroom, the same samples read as were written."""

import io
from pathlib import Path

import numpy as np
import soundfile

from pipeline.errors import InputError
from pipeline.samples import RATE
from pipeline.speech.backend import Floats
from pipeline.workspace import replacing

HEADROOM = 4.0
"""Stems reach to four times full scale (12 dB); stage 3 makes none above full scale."""
_STEP = HEADROOM / 2**23


def settle_samples(stems: Floats) -> Floats:
    """Round to what the file can hold, so that a run in one go and a resumed one go on from the same samples.

    Raises
    ------
    InputError
        when a sample lies beyond the headroom, or is no number: nothing is clipped.

    """
    # A float32 divided by a power of two and rounded is as exact as a float64, in half the memory.
    steps = stems / stems.dtype.type(_STEP)
    np.rint(steps, out=steps)
    highest = float(np.maximum(steps.max(initial=0.0), -steps.min(initial=0.0)))
    if not highest < 2**23:
        raise InputError(f"stems: a sample of {highest * _STEP:.2f} is beyond their headroom of {HEADROOM}: lower them")
    steps *= stems.dtype.type(_STEP)
    return steps.astype(np.float32, copy=False)


def write_stems(path: Path, stems: Floats) -> None:
    """Write settled stems [channels, n]; OutputError when the disk takes no more."""
    steps = np.rint(stems / stems.dtype.type(_STEP)).astype(np.int32)
    steps <<= 8  # libsndfile takes the upper 24 bits of 32
    data = io.BytesIO()
    soundfile.write(data, steps.T, RATE, subtype="PCM_24", format="FLAC")
    with replacing(path) as temporary:
        temporary.write_bytes(data.getvalue())


def read_stems(path: Path) -> Floats:
    """Read stems [channels, n]; InputError when the file is not one of ours."""
    try:
        shares, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise InputError(f"{path}: cannot be read as stems ({error}); remove it and run again") from None
    if rate != RATE:
        raise InputError(f"{path}: stems at {rate} Hz, not {RATE}; remove it and run again")
    # 24 bits fit into a float32 and the headroom is a power of two: exact, and each channel in one piece.
    shares *= np.float32(HEADROOM)
    return np.ascontiguousarray(shares.T)
