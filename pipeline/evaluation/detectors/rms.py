"""Energy alone: a channel is voiced where the RMS of 20 ms is above the threshold [dBFS]."""

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.voicing import decided
from pipeline.evaluation.sound import Floats, Sound, frames_of

FRAME_S = 0.02
THRESHOLDS_DBFS = (-50.0, -45.0, -40.0, -35.0, -30.0)
"""The paper's grid (Table 27)."""
_FLOOR = 1e-10


class Rms:
    """The paper's energy detector."""

    def hear(self, sound: Sound) -> Detections:
        """What it says of each channel."""
        levels = {ident: levels_dbfs(samples, sound.rate) for ident, samples in sound.channels.items()}
        voiced = {at: {ident: level > at for ident, level in levels.items()} for at in THRESHOLDS_DBFS}
        return decided(voiced, FRAME_S)


def levels_dbfs(samples: Floats, rate: int, frame_s: float = FRAME_S) -> NDArray[np.float64]:
    """RMS of each whole frame of `samples` [n], in dB re full scale 1.0."""
    power = np.square(frames_of(samples, round(frame_s * rate)), dtype=np.float64).mean(axis=1)
    return np.asarray(10 * np.log10(np.maximum(power, _FLOOR)))
