"""The constant gain of a voice that nobody has calibrated: measured on a turn that it says once."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pyloudnorm

from pipeline.calibrate.level import LOUDNESS
from pipeline.calibrate.samples import sentences
from pipeline.samples import RATE
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import measure_bounds

TURNS = 1
_KNOWN: dict[str, float] = {}
"""Gains that this process has measured; the sounds they come from are in the cache."""


def gain_db(say: Callable[[str], Floats], name: str) -> float:
    """Gain to the common loudness [dB] of the voice that `say` speaks with; `name` stands for it in this process."""
    if name not in _KNOWN:
        sounds = [say(text) for text in calibration_turns()]
        speech = np.concatenate([sound[(at := measure_bounds(sound)).start : at.end] for sound in sounds])
        loudness = float(pyloudnorm.Meter(RATE).integrated_loudness(speech.astype(np.float64)))
        _KNOWN[name] = round(LOUDNESS - loudness, 2)
    return _KNOWN[name]


@cache
def calibration_turns() -> tuple[str, ...]:
    """What a voice is asked to say."""
    return tuple(sentences()["turns"][:TURNS])
