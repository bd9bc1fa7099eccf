"""Laughter in a speaker's own voice: bouts of short calls made from the periods of the voice's own vowels.

Nobody reads letters aloud: a "ha ha" that is spoken is heard as two words. Here a call is a vowel of the voice at
laughing pitch with a soft onset, calls follow one another with breath between, and both level and pitch fall.

Bachorowski, Smoski & Owren (2001), The acoustic features of human laughter, JASA 110: 4.4 calls a second, 0.17 s
a call, pitch far above that of speech.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from pipeline.errors import InputError
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.pitch import Voiced, pitch_marks, resounded
from pipeline.speech.plan import HOP
from pipeline.speech.voices import Voice

VOWELS = ("\u02c8\u0251.", "h\u02c8\u0251.", "\u02c8\u028c.", "h\u02c8\u028c.", "\u02c8\u00e6.")
"""Phonemes of the syllables whose vowels are taken: stressed open vowels, alone and after h."""
CALL_S = 0.227
"""From one call's start to the next: 4.4 calls a second."""
VOICED_SHARE = (0.5, 0.75)
"""Part of a call that is voiced; the rest is breath."""
MOST_CALLS = 8
"""Calls in one breath."""
BREATH_S = 0.35
"""An inhalation between two bouts."""
SHORTEST_S = 0.12
LIFT = (1.5, 1.9)
"""Pitch of the first calls over that of the vowel."""
FALL = 0.94
"""Factor on pitch from call to call."""
FALL_DB = 1.8
"""Fall of level from call to call."""
SAME_VOWEL = 0.8
"""Probability that a call has the vowel of its bout."""
BREATH_DB, GAP_DB = -20.0, -22.0
"""Levels of inhaled and of exhaled breath under the loudest call."""
BRIGHT = (1.0, -0.8)
"""Breath has more of the high frequencies than a vowel."""
ORDER = 24
"""Order of the linear prediction that gives breath the colour of the vowel."""


@dataclass(frozen=True, eq=False)
class Material:
    """Vowels of one voice, the filter that colours breath like them, and their level (RMS)."""

    vowels: tuple[Voiced, ...]
    colour: npt.NDArray[np.float64]
    rms: float


@dataclass(frozen=True)
class Call:
    """One call: where it starts, its voiced part and all of it [samples], its vowel, pitch factor and level [dB]."""

    start: int
    voiced: int
    length: int
    vowel: int
    lift: float
    level_db: float


def laugh(backend: Backend, voice: Voice, n_samples: int, rng: np.random.Generator) -> Floats:
    """Laughter of exactly `n_samples` at 24 kHz that sounds from its first sample to its last, not levelled.

    The same generator state gives the same sound.

    Raises
    ------
    InputError
        when it is to be shorter than 0.12 s.

    """
    if n_samples < to_samples(SHORTEST_S):
        raise InputError(f"laughter of {n_samples / RATE:.3f} s is too short: ask for {SHORTEST_S} s or more")
    material = _material(backend, voice)
    out = np.zeros(n_samples)
    at = 0
    for bout in plan_bouts(n_samples, rng):
        if at:
            breath = bout[0].start - at
            out[at : bout[0].start] += _breath(material, breath, BREATH_DB, rng)
        for call in bout:
            sound = _call(material, call, rng)
            out[call.start : call.start + call.length] += sound
            at = call.start + call.length
    return np.asarray(out, np.float32)


def plan_bouts(n_samples: int, rng: np.random.Generator) -> list[list[Call]]:
    """Calls of a laugh of `n_samples`, in bouts of at most eight with a breath between.

    The first call starts at 0 and the last ends at `n_samples`.
    """
    count = max(1, round(n_samples / RATE / CALL_S))
    bouts = -(-count // MOST_CALLS)
    breath = to_samples(BREATH_S)
    share = (n_samples - (bouts - 1) * breath) // bouts
    return [
        _bout(number * (share + breath), share if number + 1 < bouts else n_samples - number * (share + breath), rng)
        for number in range(bouts)
    ]


def _bout(start: int, length: int, rng: np.random.Generator) -> list[Call]:
    """Calls that fill `length` samples: nearly even, each a little longer than the one before."""
    count = max(1, round(length / RATE / CALL_S))
    weights = 1.03 ** np.arange(count) * rng.normal(1.0, 0.05, count).clip(0.85, 1.15)
    edges = start + np.round(np.concatenate([[0], np.cumsum(weights) / weights.sum()]) * length).astype(int)
    first = rng.uniform(*LIFT)
    vowel = int(rng.integers(len(VOWELS)))
    calls = []
    for number in range(count):
        size = int(edges[number + 1] - edges[number])
        last = number + 1 == count
        calls.append(
            Call(
                start=int(edges[number]),
                voiced=size if last else round(size * rng.uniform(*VOICED_SHARE)),
                length=size,
                vowel=vowel if rng.random() < SAME_VOWEL else int(rng.integers(len(VOWELS))),
                lift=first * FALL**number * rng.normal(1.0, 0.02),
                level_db=-FALL_DB * max(0, number - 1) - (1.0 if number == 0 else 0.0),
            )
        )
    return calls


def _call(material: Material, call: Call, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Sound of a call: a vowel that swells fast and dies slowly, under and after it breath."""
    vowel = material.vowels[call.vowel]
    time = np.linspace(0, 1, call.voiced)
    f0 = RATE / vowel.period * call.lift * (1.0 + 0.06 * np.sin(np.pi * np.minimum(time / 0.6, 1.0)) - 0.12 * time)
    tone = resounded(vowel, f0, RATE, rng).astype(np.float64)
    tone *= _swell(call.voiced) * material.rms / max(float(np.sqrt(np.mean(tone**2))), 1e-9)
    sound = _breath(material, call.length, GAP_DB + call.level_db, rng)
    sound[: call.voiced] *= np.linspace(0.4, 1.0, call.voiced)  # the breath is heard between the calls
    sound[: call.voiced] += tone * 10 ** (call.level_db / 20)
    return sound


def _swell(size: int) -> npt.NDArray[np.float64]:
    """Level over a call: up within 30 ms, down over its second half, audible at both ends."""
    rise, fall = min(to_samples(0.03), size // 3), size // 2
    shape = np.ones(size)
    shape[:rise] = 0.1 + 0.9 * np.sin(np.linspace(0, np.pi / 2, rise)) ** 2
    shape[size - fall :] *= 0.1 + 0.9 * np.cos(np.linspace(0, np.pi / 2, fall)) ** 2
    return shape


def _breath(material: Material, size: int, level_db: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Noise in the colour of the vowel, swelling and sinking."""
    noise = lfilter(BRIGHT, material.colour, rng.standard_normal(size + RATE // 10))[RATE // 10 :]
    shape = 0.4 + 0.6 * np.sin(np.linspace(0, np.pi, size)) ** 2
    level = material.rms * 10 ** (level_db / 20) / max(float(np.sqrt(np.mean(noise**2))), 1e-12)
    return np.asarray(noise * shape * level)


_MATERIAL: dict[tuple[str, str], Material] = {}
"""Vowels that this process has taken out, by backend and voice."""


def _material(backend: Backend, voice: Voice) -> Material:
    """Take the vowels of a voice out of rendered syllables, once a process."""
    key = (backend.identity(), voice.kokoro)
    if key not in _MATERIAL:
        vowels = tuple(_vowel(backend, voice, phonemes) for phonemes in VOWELS)
        joined = np.concatenate([vowel.samples for vowel in vowels]).astype(np.float64)
        _MATERIAL[key] = Material(vowels, _prediction(joined), float(np.sqrt(np.mean(joined**2))))
    return _MATERIAL[key]


def _vowel(backend: Backend, voice: Voice, phonemes: str) -> Voiced:
    """Loudest 150 ms of a syllable's voiced part."""
    contour, sound = backend.syllable(phonemes, voice)
    energy = np.where(contour.f0 > 0.5 * float(contour.f0.max()), contour.energy, -np.inf)
    width = 12
    start = int(np.argmax(np.convolve(energy, np.ones(width), "valid")))
    samples = sound[start * HOP : (start + width) * HOP]
    period = RATE / float(np.median(contour.f0[start : start + width]))
    return Voiced(samples, pitch_marks(samples, period), period)


def _prediction(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Coefficients of the linear prediction of `samples` (autocorrelation method), the first of them 1."""
    windowed = samples * np.hanning(len(samples))
    spectrum = np.abs(np.fft.rfft(windowed, 2 * len(windowed))) ** 2
    correlation = np.fft.irfft(spectrum)[: ORDER + 1]
    correlation[0] *= 1 + 1e-6
    matrix = correlation[np.abs(np.subtract.outer(np.arange(ORDER), np.arange(ORDER)))]
    return np.concatenate([[1.0], -np.linalg.solve(matrix, correlation[1:])])
