"""Sound whose word boundaries are known because it was put together from single words.

Words that a voice says alone are cut out by their energy and laid at known samples: with silences between them, and
abutting. What an aligner finds on such tracks, less what is known, is the aligner's own bias.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.records import Word
from pipeline.samples import to_samples
from pipeline.seeds import generator
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.voices import Voice

from .stated import Stated

TOGETHER = 8
"""Words of a track."""
PAUSE_S = (0.15, 0.40)
"""Silence between words that do not abut [s], uniform."""
EDGE_S = 0.2
"""Silence before the first word and after the last [s]."""
ENDED_DB = 25.0
"""An abutting word is cut where it is this far under its loud speech: in fluent speech nothing dies away."""
CLICK_S = 0.003
"""Over which an abutting word fades where it is cut [s]."""


def tracks(backend: Backend, voice: Voice, words: Sequence[str], seed: int) -> list[Stated]:
    """Two tracks for each eight `words`, in this order: with silences between the words, and without."""
    sounds = {word: alone(backend, voice, word) for word in dict.fromkeys(words)}
    made = []
    for at in range(0, len(words) - TOGETHER + 1, TOGETHER):
        chosen = words[at : at + TOGETHER]
        rng = generator(seed, "boundaries", "known", voice.id, at)
        gaps = [to_samples(float(gap)) for gap in rng.uniform(*PAUSE_S, TOGETHER - 1)]
        made.append(laid(voice.id, chosen, [sounds[word] for word in chosen], gaps))
        made.append(laid(voice.id, chosen, [cut(sounds[word]) for word in chosen], [0] * (TOGETHER - 1)))
    return made


def alone(backend: Backend, voice: Voice, word: str) -> Floats:
    """One word as the voice says it by itself, from its onset to its offset by energy."""
    sound = backend.render(backend.clock(f"{word}.", voice))
    bounds = measure_bounds(sound)
    return sound[bounds.start : bounds.end]


def cut(sound: Floats) -> Floats:
    """The word without what dies away after it."""
    short = sound[: measure_bounds(sound, below_db=ENDED_DB).end].copy()
    over = min(to_samples(CLICK_S), len(short))
    short[len(short) - over :] *= np.linspace(1, 0, over, dtype=np.float32)
    return short


def laid(voice: str, words: Sequence[str], sounds: Sequence[Floats], gaps: Sequence[int]) -> Stated:
    """The sounds one after the other, `gaps[n]` samples of silence after number n, and where each lies."""
    parts, found = [np.zeros(to_samples(EDGE_S), np.float32)], []
    at = len(parts[0])
    for word, sound, gap in zip(words, sounds, [*gaps, to_samples(EDGE_S)], strict=True):
        found.append(Word(text=word, start=at, end=at + len(sound)))
        parts += [sound, np.zeros(gap, np.float32)]
        at += len(sound) + gap
    return Stated(voice, np.concatenate(parts), tuple(found), f"known track of voice {voice}")
