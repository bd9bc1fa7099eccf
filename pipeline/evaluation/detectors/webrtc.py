"""WebRTC's voice-activity detector on 20 ms at 16 kHz; its threshold is its aggressiveness, 0 to 3."""

import numpy as np

from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.needs import needed
from pipeline.evaluation.detectors.voicing import Frames, decided
from pipeline.evaluation.sound import NEAR_RATE, Floats, Sound, frames_of

FRAME_S = 0.02
MODES = (0, 1, 2, 3)


class WebRtc:
    """WebRTC VAD (package webrtcvad-wheels)."""

    def hear(self, sound: Sound) -> Detections:
        """What it says of each channel."""
        voiced = {float(m): {ident: voiced_frames(near, m) for ident, near in sound.near.items()} for m in MODES}
        return decided(voiced, FRAME_S)


def voiced_frames(near: Floats, mode: int) -> Frames:
    """Whether each whole frame of `near` [n] at 16 kHz is voiced, by one mode."""
    vad = needed("webrtcvad").Vad(mode)
    whole = np.clip(np.rint(near * 32768.0), -32768, 32767).astype("<i2")
    return np.array([vad.is_speech(f.tobytes(), NEAR_RATE) for f in frames_of(whole, round(FRAME_S * NEAR_RATE))], bool)
