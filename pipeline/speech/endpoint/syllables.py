"""Single syllables from an endpoint that is given letters, and their F0 and level measured on the sound.

What is made from a voice's own vowels, such as laughter, needs a vowel, and where it is voiced.
"""

import numpy as np
import numpy.typing as npt

from pipeline.errors import ConfigError
from pipeline.samples import RATE
from pipeline.speech.backend import Contour, Floats
from pipeline.speech.bounds import window_power
from pipeline.speech.plan import HOP

SPELLINGS = {
    "\u0251": "Ah",
    "h\u0251": "Ha",
    "\u028c": "Uh",
    "h\u028c": "Huh",
    "\u00e6": "Aah",
    "h\u00e6": "Haa",
    "\u0259": "Uh",
    "h\u0259": "Huh",
    "i": "Ee",
    "hi": "Hee",
    "u": "Ooh",
    "hu": "Hoo",
    "O": "Oh",
    "hO": "Ho",
    "\u0254": "Aw",
    "\u025b": "Eh",
    "h\u025b": "Heh",
    "m": "Mmm",
    "n": "Nnn",
    "hm": "Hmm",
}
"""Letters that most voices read as these phonemes."""
LOWEST, HIGHEST = 60.0, 500.0
"""F0 that a voice may have [Hz]."""
VOICED_FROM = 0.5
"""Normalised autocorrelation from which a frame is voiced."""
WINDOW = 1200
"""Samples that F0 is measured over (50 ms)."""


def spelled(phonemes: str) -> str:
    """The letters for bare phonemes.

    >>> spelled("m."), spelled("hO")
    ('Mmm.', 'Ho.')

    Raises
    ------
    ConfigError
        when nothing is known to be read so.

    """
    bare = "".join(symbol for symbol in phonemes if symbol not in "\u02c8\u02cc\u02d0.,!?")
    if bare not in SPELLINGS:
        raise ConfigError(
            f"a speech endpoint cannot be asked for the sound {phonemes!r}: choose tts=onnx or tts=kokoro"
        )
    return SPELLINGS[bare] + "."


def contour_of(sound: Floats) -> tuple[Contour, Floats]:
    """F0 [Hz, 0: unvoiced] and level [dBFS] of a sound, a value for 300 samples; and the sound, cut to whole values."""
    values = len(sound) // (2 * HOP) * 2
    sound = sound[: values * HOP]
    level = 10 * np.log10(np.maximum(window_power(sound, HOP, 2 * HOP), 1e-10))
    f0 = np.array([f0_at(sound, place * HOP + HOP // 2) for place in range(values)], np.float32)
    return Contour((values // 2,), f0, level.astype(np.float32)), sound


def f0_at(sound: Floats, centre: int) -> float:
    """F0 around a sample by the highest peak of the normalised autocorrelation [Hz]; 0 where it is not voiced.

    Of peaks nearly as high the first is taken, so that no multiple of the period is.
    """
    frame = sound[max(0, centre - WINDOW // 2) : centre + WINDOW // 2].astype(np.float64)
    lags = np.arange(int(RATE / HIGHEST), int(RATE / LOWEST) + 1)
    if len(frame) < lags[-1] + WINDOW // 2:
        return 0.0
    likeness = _likeness(frame - frame.mean(), lags)
    best = float(likeness.max())
    if best < VOICED_FROM:
        return 0.0
    peaks = (likeness[1:-1] >= likeness[:-2]) & (likeness[1:-1] >= likeness[2:]) & (likeness[1:-1] > 0.9 * best)
    found = np.flatnonzero(peaks)
    return float(RATE / lags[found[0] + 1]) if found.size else 0.0


def _likeness(frame: npt.NDArray[np.float64], lags: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Normalised correlation of a frame with itself later by each lag."""
    energy = np.concatenate([[0.0], np.cumsum(frame**2)])
    found = []
    for lag in lags:
        norm = np.sqrt(energy[-1 - lag] * (energy[-1] - energy[lag]))
        found.append(float(frame[:-lag] @ frame[lag:]) / norm if norm > 1e-9 else 0.0)
    return np.asarray(found)
