"""Takes out what the voice model puts below every voice: a drift of some 20 Hz that nobody hears.

Some voices have it for up to 0.8 s after their last word, loud enough to pass for speech by its energy: the ends of
their turns would be logged where it fades. Nothing below 60 Hz is speech (the lowest voices begin at 75).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

from pipeline.samples import RATE
from pipeline.speech.backend import Floats

VERSION = 1
CUT_HZ = 60.0
ORDER = 6
"""Of the Butterworth filter, which is run both ways: 6 dB less at 60 Hz, 0.6 at 75, 114 at 20; no phase."""


def without_rumble(sound: Floats) -> Floats:
    """`sound` [n] at the corpus rate without what lies below the voice; as long, and in place."""
    if len(sound) < 2:
        return sound
    padding = min(len(sound) - 1, round(RATE / CUT_HZ))
    return np.asarray(sosfiltfilt(_filter(), sound.astype(np.float64), padlen=padding), np.float32)


@cache
def _filter() -> NDArray[np.float64]:
    return np.asarray(butter(ORDER, CUT_HZ, "highpass", fs=RATE, output="sos"))
