"""Sounds of closed lips, "mm-hmm", "mm" and "hm": their parts, F0 and energy, which no network is asked for.

Kokoro has learned /m/ beside vowels alone; by itself it comes out as a syllable ("mama") or as an open hum. So the
contour of a hum is written down (`voices/hums.yaml`) and its sound is made of the voice's own nasal
(:mod:`pipeline.speech.nasal`). It is a contour like any other: clocked, edited, recorded and replayed as such.

Ward (2006), Non-lexical conversational sounds in American English, Pragmatics & Cognition 14; Benus, Gravano &
Hirschberg (2007), The prosody of backchannels in American English, ICPhS XVI: as backchannels they rise.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import yaml
from pydantic import Field

from pipeline.models.graphs import FRAME
from pipeline.records.base import Record
from pipeline.resources import resource
from pipeline.samples import RATE
from pipeline.speech.backend import Contour, Floats
from pipeline.speech.plan import HOP
from pipeline.speech.voices import EnergyRule

SILENCE, PEAK = -9.5, 8.0
"""The network's energy of silence and of loud speech."""
BREATH_ABOVE = 0.5
"""Energy of breath over the highest threshold of the voice's rule: heard, and no pause."""
EDGE = 8
"""Frames of silence at both ends (0.2 s)."""
PER_FRAME = FRAME // HOP
"""Values of the F0 and energy curves in a frame."""
FRAMES_A_SECOND = RATE / FRAME
MARKS = frozenset(' .,;:!?\u2014\u2026"()\u201c\u201d')


class Part(Record):
    """One phoneme of a hum."""

    s: float = Field(gt=0, le=1)
    """Duration at the voice's own pace [s]."""
    tones: tuple[float, ...] = ()
    """F0 through it, evenly spaced [semitones from the voice's median]; empty: breath."""


def hum_of(phonemes: str) -> tuple[Part, ...] | None:
    """The parts of a hum; None where the phonemes are those of words. Marks after it do not count.

    >>> len(hum_of("mhm."))
    3
    >>> hum_of("mæm.") is None
    True
    """
    return hums().get("".join(symbol for symbol in phonemes if symbol not in MARKS))


@lru_cache(maxsize=1)
def hums() -> dict[str, tuple[Part, ...]]:
    """All hums by their phonemes."""
    table = yaml.safe_load(resource("voices", "hums.yaml").read_text(encoding="utf-8"))
    return {phonemes: tuple(Part.model_validate(part) for part in parts) for phonemes, parts in table.items()}


def hum_frames(phonemes: str, slower: float) -> tuple[int, ...]:
    """Durations of its tokens [frames of 600 samples], silent ends included; `slower` times as long as written down.

    Marks take no time.
    """
    parts = iter(hum_of(phonemes) or ())
    inner = (0 if symbol in MARKS else max(1, round(next(parts).s * slower * FRAMES_A_SECOND)) for symbol in phonemes)
    return (EDGE, *inner, EDGE)


def hum_contour(phonemes: str, frames: Sequence[int], median: float, rule: EnergyRule) -> Contour:
    """Contour of a hum with these durations.

    Parameters
    ----------
    phonemes
        Those of a hum.
    frames
        Durations of the tokens, silent ends included [frames].
    median
        Median F0 of the voice [Hz].
    rule
        Of the voice: energy lies clearly on one side of each of its thresholds.

    """
    f0 = np.zeros(sum(frames) * PER_FRAME, np.float32)
    energy = np.full(f0.size, SILENCE, np.float32)
    at = frames[0] * PER_FRAME
    for part, size in _sized(phonemes, frames):
        span = slice(at, at + size)
        f0[span] = _tones(part, size, median)
        energy[span] = PEAK if part.tones else rule.highest + BREATH_ABOVE
        at += size
    return Contour(tuple(frames), f0, energy)


def _sized(phonemes: str, frames: Sequence[int]) -> Iterator[tuple[Part, int]]:
    """The parts and how many values of the curves each takes."""
    sizes = [size * PER_FRAME for symbol, size in zip(phonemes, frames[1:], strict=False) if symbol not in MARKS]
    return zip(hum_of(phonemes) or (), sizes, strict=True)


def _tones(part: Part, size: int, median: float) -> Floats:
    """F0 of one part [Hz]; 0 for breath."""
    if not part.tones:
        return np.zeros(size, np.float32)
    along = np.linspace(0, len(part.tones) - 1, size)
    return np.asarray(median * 2.0 ** (np.interp(along, range(len(part.tones)), part.tones) / 12), np.float32)
