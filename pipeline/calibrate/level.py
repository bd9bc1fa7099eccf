"""The gain that brings a voice to the common loudness."""

from collections.abc import Sequence

import numpy as np
import pyloudnorm

from pipeline.calibrate.samples import Sample
from pipeline.samples import RATE

LOUDNESS = -28.0
"""Common loudness of the voices [LUFS, integrated], at which all of them peak below -3 dBFS."""


def level(samples: Sequence[Sample]) -> tuple[float, float]:
    """Gain [dB] to the common loudness, and the peak that results [dBFS]."""
    speech = np.concatenate([s.sound[s.bounds.start : s.bounds.end] for s in samples])
    gain = LOUDNESS - float(pyloudnorm.Meter(RATE).integrated_loudness(speech.astype(np.float64)))
    peak = 20 * float(np.log10(np.abs(speech).max()))
    return gain, peak + gain
