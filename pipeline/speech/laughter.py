"""Laughter in a speaker's own voice: bouts of short calls made from the periods of the voice's own vowels.

Nobody reads letters aloud: a "ha ha" that is spoken is heard as two words. Here a call is a vowel of the voice at
laughing pitch, that comes out of breath and dies in it; calls fall in pitch and level, and air is drawn in at the
end. When they sound is planned in :mod:`pipeline.speech.bouts`, which cites the literature.

Two things make a laughing voice differ from a speaking one besides its pitch. The mouth is wide open, so that the
formants lie higher: Szameitat, Darwin, Szameitat, Wildgruber & Alter (2011), Formant characteristics of human laughter,
J. Voice 25. And air flows through the whole call, so that its noise is heard under the voice.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter, resample

from pipeline.errors import InputError
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.bouts import Call, plan_bouts
from pipeline.speech.pitch import Voiced, pitch_marks, resounded
from pipeline.speech.plan import HOP
from pipeline.speech.prediction import burg
from pipeline.speech.voices import Voice

Sound = npt.NDArray[np.float64]

VOWELS = ("h\u02c8\u028c.", "h\u02c8\u0259.", "h\u02c8\u0251.", "\u02c8\u00e6.")
"""Phonemes of the syllables whose vowels are taken: central and open ones."""
VOWEL_FRAMES = 12
"""Length of a vowel taken out: 150 ms."""
SHORTEST_S = 0.12
OPEN_MOUTH = 1.1
"""Factor on the formants."""
ARC, GLIDE = 0.12, -0.19
"""Rise of F0 in the middle of a call, and its fall over the call, as shares."""
EFFORT = (1.0, -0.8)
"""A laughing voice has more of the high frequencies than a speaking one."""
BREATH_DB, UNVOICED_DB, INHALED_DB = -12.0, -5.0, -13.0
"""Levels of the breath around the voice, of an unvoiced call and of an inhalation, re the voice."""
HOARSE_DB = -11.0
"""Level of the breath under the voice, re the voice."""
BRIGHT = (1.0, -0.4)
"""Breath has more of the high frequencies than a vowel."""
LOUDER_DB = 3.0
"""Level of the loudest call re a vowel said alone; a laugh's active RMS is then 1 to 2 dB under that of speech."""
ORDER = 24
"""Order of the linear prediction that gives breath the colour of a vowel."""
LEAST = 0.08
"""Lowest value of a swell: a laugh is heard from its beginning to its end ..."""
FADE_S = 0.004
"""... but for this much at either end of a call, so that none clicks."""


@dataclass(frozen=True, eq=False)
class Vowel:
    """A vowel with the formants of an open mouth, its F0 in speech [Hz], and the filter that colours breath like it."""

    voiced: Voiced
    f0: float
    colour: Sound


@dataclass(frozen=True, eq=False)
class Material:
    """Vowels of one voice, and their level (RMS)."""

    vowels: tuple[Vowel, ...]
    rms: float


def laugh(backend: Backend, voice: Voice, n_samples: int, rng: np.random.Generator) -> Floats:
    """Laughter of exactly `n_samples` at 24 kHz that sounds from its first sample to its last, not levelled.

    The same generator state gives the same sound. Its peak is at most the highest that the voice has in speech.

    Raises
    ------
    InputError
        when it is to be shorter than 0.12 s.

    """
    if n_samples < to_samples(SHORTEST_S):
        raise InputError(f"laughter of {n_samples / RATE:.3f} s is too short: ask for {SHORTEST_S} s or more")
    material = _material(backend, voice)
    out = np.zeros(n_samples)
    for bout in plan_bouts(n_samples, len(material.vowels), rng):
        for call in bout.calls:
            out[call.start : call.start + call.length] = _call(material.vowels[call.vowel], call, rng)
        vowel = material.vowels[bout.calls[0].vowel]
        out[bout.end : bout.end + bout.inhalation] = _inhalation(vowel, bout.inhalation, rng)
    out *= material.rms * _factor(LOUDER_DB)
    return np.asarray(out * min(1.0, _highest(voice) / float(np.abs(out).max())), np.float32)


def _highest(voice: Voice) -> float:
    """Highest peak of the voice in speech, before its gain."""
    return float(10 ** ((voice.calibration.peak_dbfs - voice.calibration.gain_db) / 20))


def _call(vowel: Vowel, call: Call, rng: np.random.Generator) -> Sound:
    """Sound of a call: breath throughout, and in it the voice, where the call has one."""
    breath_db = BREATH_DB if call.voiced else UNVOICED_DB
    sound = _breath(vowel, call.length, rng) * _swell(call.length, 0.6) * _factor(breath_db)
    if call.voiced:
        sound[call.onset : call.onset + call.voiced] += _voice(vowel, call, rng)
    return sound * _factor(call.level_db)


def _voice(vowel: Vowel, call: Call, rng: np.random.Generator) -> Sound:
    """The voiced part of a call: its pitch rises and falls, it swells and sinks, with the noise of breath in it."""
    time = np.linspace(0.0, 1.0, call.voiced)
    f0 = vowel.f0 * call.lift * (1.0 + ARC * np.sin(np.pi * time) + GLIDE * time)
    tone = lfilter(EFFORT, [1.0], resounded(vowel.voiced, f0, RATE, rng).astype(np.float64))
    tone /= max(float(np.sqrt(np.mean(tone**2))), 1e-9)
    swell = np.sin(np.pi * time**1.2) ** 0.7
    return np.asarray((tone + _factor(HOARSE_DB) * _breath(vowel, call.voiced, rng)) * swell)


def _inhalation(vowel: Vowel, size: int, rng: np.random.Generator) -> Sound:
    """Air drawn in: it swells slowly and stops soon."""
    return _breath(vowel, size, rng) * _swell(size, 1.5) * _factor(INHALED_DB)


def _swell(size: int, skew: float) -> Sound:
    """Level over `size` samples, up and down again; its summit is early for a `skew` below 1, late above."""
    level = np.maximum(np.sin(np.pi * np.linspace(0.0, 1.0, size) ** skew), LEAST)
    fade = np.minimum(np.arange(size), np.arange(size)[::-1]) / to_samples(FADE_S)
    return np.asarray(level * fade.clip(0.0, 1.0))


def _breath(vowel: Vowel, size: int, rng: np.random.Generator) -> Sound:
    """Noise in the colour of the vowel, of an RMS near 1."""
    lead = RATE // 10
    noise = lfilter(BRIGHT, vowel.colour, rng.standard_normal(size + lead))[lead:]
    return np.asarray(noise / max(float(np.sqrt(np.mean(noise**2))) if size else 0.0, 1e-12))


def _factor(db: float) -> float:
    return float(10 ** (db / 20))


_MATERIAL: dict[tuple[str, str], Material] = {}
"""Vowels that this process has taken out, by backend and voice."""


def _material(backend: Backend, voice: Voice) -> Material:
    """Take the vowels of a voice out of rendered syllables, once a process."""
    key = (backend.identity(), voice.kokoro)
    if key not in _MATERIAL:
        taken = [_taken(backend, voice, phonemes) for phonemes in VOWELS]
        rms = float(np.sqrt(np.mean(np.concatenate([samples for samples, _ in taken]) ** 2)))
        _MATERIAL[key] = Material(tuple(_vowel(*found) for found in taken), rms)
    return _MATERIAL[key]


def _taken(backend: Backend, voice: Voice, phonemes: str) -> tuple[Sound, float]:
    """Loudest 150 ms of a syllable's voiced part, and its F0 [Hz]."""
    contour, sound = backend.syllable(phonemes, voice)
    energy = np.where(contour.f0 > 0.5 * float(contour.f0.max()), contour.energy, -np.inf)
    start = int(np.argmax(np.convolve(energy, np.ones(VOWEL_FRAMES), "valid")))
    f0 = float(np.median(contour.f0[start : start + VOWEL_FRAMES]))
    return sound[start * HOP : (start + VOWEL_FRAMES) * HOP].astype(np.float64), f0


def _vowel(samples: Sound, f0: float) -> Vowel:
    """The vowel as an open mouth has it: all of it faster, so that its formants lie higher; F0 is set later anyway."""
    opened = np.asarray(resample(samples, round(len(samples) / OPEN_MOUTH)), np.float32)
    period = RATE / f0 / OPEN_MOUTH
    colour = burg(opened.astype(np.float64), ORDER)
    return Vowel(Voiced(opened, pitch_marks(opened, period), period), f0, colour)
