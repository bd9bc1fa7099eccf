"""The sound of an export: 16-bit WAV of one or several channels, at the rate that its readers want."""

import io

import numpy as np
import soundfile
import soxr

from pipeline.loader import Conversation, Kind, Sound
from pipeline.output.flac import quantised

LOUDEST = 32767 / 32768
"""The highest sample that 16 bits hold; resampling may pass it by a hair, and is held there."""


def resampled(samples: Sound, rate: int, wanted: int | None) -> Sound:
    """Samples [n] or [n, channels] at the rate `wanted` (None: as they are), of length ``round(n * wanted / rate)``."""
    if wanted is None or wanted == rate:
        return samples
    out: Sound = soxr.resample(samples, rate, wanted, quality="VHQ")
    due = round(len(samples) * wanted / rate)
    padding = [(0, max(0, due - len(out)))] + [(0, 0)] * (out.ndim - 1)
    return np.clip(np.pad(out, padding)[:due], -1.0, LOUDEST)


def mono(conversation: Conversation, kind: Kind) -> Sound:
    """The mix of the channels that are exported [n]; a sum that would pass full scale is lowered as a whole."""
    mix = conversation.mix(kind)
    peak = float(np.abs(mix).max(initial=0.0))
    return mix if peak <= LOUDEST else mix * np.float32(LOUDEST / peak)


def wav_bytes(samples: Sound, rate: int, wanted: int | None = None) -> bytes:
    """A WAV file of samples [n] or [n, channels] in [-1, 1), resampled to `wanted`."""
    data = quantised(resampled(samples, rate, wanted)).astype(np.int16)
    buffer = io.BytesIO()
    soundfile.write(buffer, data, wanted or rate, format="WAV", subtype="PCM_16")
    return buffer.getvalue()
