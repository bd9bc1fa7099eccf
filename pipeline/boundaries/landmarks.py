"""Word boundaries in fluent speech that the sound itself shows: edges of sibilants beside vowels and sonorants.

Where a word that starts with [s] or [ʃ] follows a vowel or sonorant, or one that ends so precedes it, energy above
4 kHz rises or falls by tens of decibels within a few milliseconds. The boundary is where it crosses the middle, and no
aligner is asked. What an aligner finds there, less this, is its bias in fluent speech.
"""

from itertools import pairwise

import numpy as np
from scipy.signal import butter, sosfiltfilt

from pipeline.errors import ScriptError
from pipeline.records import Word
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Floats
from pipeline.speech.g2p import phonemise
from pipeline.speech.lengthening import VOWELS

from .stated import Stated

SIBILANTS = frozenset("sʃ")
SONORANTS = VOWELS | frozenset("mnŋlɹwj")
STRESS = "ˈˌ"
ABOVE_HZ = 4000
REACH_S = 0.1
"""How far from where the word boundary is stated the edge is looked for [s]."""
WINDOW_S = 0.005
"""Over which energy is taken [s]."""
BEFORE_S = 0.08
"""How far beside the sibilant its neighbour is looked for [s]."""
LEAST_DB = 18.0
"""An edge that rises by less is none."""
REACHED_DB = 6.0
"""A sibilant is reached where its energy is this much under its loudest window."""
UNDER_DB = 3.0
"""A sibilant's level lies this much under its loudest window."""


def with_landmarks(stated: Stated) -> Stated:
    """The same sound, with those edges of abutting words stated that a sibilant shows, where it shows them."""
    words = list(stated.words)
    known = set[tuple[int, str]]()
    for n, (before, after) in enumerate(pairwise(stated.words)):
        at = _landmark(stated.sound, before, after)
        if at is not None:
            # Neighbouring landmarks cannot cross: they lie a word apart.
            words[n] = words[n].model_copy(update={"end": at})
            words[n + 1] = words[n + 1].model_copy(update={"start": at})
            known |= {(n, "end"), (n + 1, "start")}
    return Stated(stated.voice, stated.sound, tuple(words), stated.where, frozenset(known))


def _landmark(sound: Floats, before: Word, after: Word) -> int | None:
    """The boundary of two abutting words; None where no sibilant shows it."""
    if before.end != after.start:
        return None
    last, first = _phonemes(before.text)[-1:], _phonemes(after.text)[:1]
    if first in SIBILANTS and last in SONORANTS:
        return sibilant_edge(sound, after.start, rising=True)
    if last in SIBILANTS and first in SONORANTS:
        return sibilant_edge(sound, after.start, rising=False)
    return None


def _phonemes(word: str) -> str:
    """Phonemes of a word by itself, none where it has none."""
    try:
        return "".join(token.phonemes for token in phonemise(word)).translate(dict.fromkeys(map(ord, STRESS))) or " "
    except ScriptError:
        return " "


def sibilant_edge(sound: Floats, near: int, rising: bool) -> int | None:
    """Sample within 0.1 s of `near` where energy above 4 kHz rises, or falls, through the middle of its step [dB]."""
    low = max(0, near - to_samples(REACH_S))
    part = sound[low : near + to_samples(REACH_S)].astype(np.float64)
    window = to_samples(WINDOW_S)
    if len(part) < 8 * window:
        return None
    high = sosfiltfilt(butter(4, ABOVE_HZ, "high", fs=RATE, output="sos"), part)
    level = 10 * np.log10(np.convolve(high**2, np.ones(window) / window, "same") + 1e-12)
    level = level if rising else level[::-1]
    top = int(np.flatnonzero(level >= level.max() - REACHED_DB)[0])
    beside = level[max(0, top - to_samples(BEFORE_S)) : top + 1]
    loud, quiet = level.max() - UNDER_DB, np.percentile(beside, 10)
    if loud - quiet < LEAST_DB - UNDER_DB or len(beside) < 2 * window:
        return None
    under = np.flatnonzero(level[:top] <= (loud + quiet) / 2)
    if not len(under):
        return None
    at = int(under[-1]) + 1
    return low + (at if rising else len(level) - at)
