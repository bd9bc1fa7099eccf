"""Sound with word boundaries that are known because it was put together.

Phrases that a voice says in the conversations are cut out by their energy and laid at known samples: with silences
between them, and abutting, as words do in fluent speech. What an aligner finds at the seams, less what is known, is
the aligner's own bias. At the words inside a phrase nothing is known, and nothing is read off.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.records import Word
from pipeline.samples import to_samples
from pipeline.seeds import generator
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import measure_bounds

from .stated import Stated

TOGETHER = 4
"""Phrases of a track."""
LONGEST_S = 5.0
"""Longest phrase that is taken [s]."""
PAUSE_S = (0.15, 0.40)
"""Silence between phrases that do not abut [s], uniform."""
EDGE_S = 0.2
"""Silence before the first phrase and after the last [s]."""
SEAM_DB = 12.0
"""At a seam, phrases are cut where they are this far under their loud speech: in fluent speech nothing dies away."""
CLICK_S = 0.003
"""Over which a phrase that is cut fades [s]."""


@dataclass(frozen=True, eq=False)
class Track:
    """Phrases put together, and whether they abut."""

    stated: Stated
    abutting: bool


def tracks(stated: Sequence[Stated], seed: int, phrases: int) -> list[Track]:
    """Two tracks for each four phrases of one voice, out of `stated`: with silences between them, and without.

    Phrases are drawn anew until there are `phrases` of them, so that each meets others.
    """
    short = [one for one in stated if len(one.sound) <= to_samples(LONGEST_S)]
    if len(short) < 2:
        return []
    rng = generator(seed, "boundaries", "known", short[0].voice)
    made = []
    for _ in range(0, phrases, TOGETHER):
        chosen = [short[i] for i in rng.permutation(len(short))[:TOGETHER]]
        gaps = [to_samples(float(gap)) for gap in rng.uniform(*PAUSE_S, len(chosen) - 1)]
        made.append(Track(laid([trimmed(one) for one in chosen], gaps), abutting=False))
        made.append(Track(laid([trimmed(one, SEAM_DB) for one in chosen], [0] * (len(chosen) - 1)), abutting=True))
    return made


def trimmed(stated: Stated, below_db: float = 40.0) -> Stated:
    """The phrase from its onset to its offset by energy; its words have no times."""
    bounds = measure_bounds(stated.sound, below_db=below_db)
    return Stated(stated.voice, _faded(stated.sound[bounds.start : bounds.end]), stated.words, stated.where)


def _faded(sound: Floats) -> Floats:
    over = min(to_samples(CLICK_S), len(sound))
    ramp = np.linspace(0, 1, over, dtype=np.float32)
    faded = sound.copy()
    faded[:over] *= ramp
    faded[len(sound) - over :] *= ramp[::-1]
    return faded


def laid(phrases: Sequence[Stated], gaps: Sequence[int]) -> Stated:
    """The phrases one after the other, `gaps[n]` samples of silence after number n; their outer edges are known."""
    edge = to_samples(EDGE_S)
    parts: list[Floats] = [np.zeros(edge, np.float32)]
    words: list[Word] = []
    known: set[tuple[int, str]] = set()
    at = edge
    for phrase, gap in zip(phrases, [*gaps, edge], strict=True):
        end = at + len(phrase.sound)
        known |= {(len(words), "start"), (len(words) + len(phrase.words) - 1, "end")}
        # Of inner edges, nothing but that words abut is stated.
        edges = [at] * len(phrase.words) + [end]
        words += [Word(text=w.text, start=a, end=b) for w, a, b in zip(phrase.words, edges, edges[1:], strict=False)]
        parts += [phrase.sound, np.zeros(gap, np.float32)]
        at = end + gap
    where = " ".join(phrase.where for phrase in phrases)
    return Stated(phrases[0].voice, np.concatenate(parts), tuple(words), where, frozenset(known))
