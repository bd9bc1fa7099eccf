"""Final lengthening: the rhyme of the last syllable before a boundary, made longer or shorter in the clock.

Durations decide when speech ends, so they are shaped before anything is timed, by what the text alone says: whether
a syllable is the last of an utterance, or the last before a pause at a clause boundary, which a hold may lengthen.

Lengthening lies mostly on the rhyme: Turk & Shattuck-Hufnagel (2007), Multiple targets of phrase-final lengthening in
American English words, Journal of Phonetics 35.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.models.graphs import FRAME
from pipeline.records.utterance import Pause
from pipeline.speech.backend import Piece
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.words import LATE, NEAR

VOWELS = frozenset("AIOQWYaeiouyæ\u0251ɐɒɔəɚɛɜɨ\u026a\u026føœɤʊʌᵊᵻ")
"""Kokoro's symbols of vowels and diphthongs."""


@dataclass(frozen=True)
class Rhyme:
    """A word's last syllable from its vowel on: tokens `start` to `stop` of a piece, and where it ends [samples]."""

    piece: int
    start: int
    stop: int
    end: int


def lengthened(
    runs: Sequence[Sequence[TokenPhonemes]],
    pieces: Sequence[Piece],
    pauses: Sequence[Pause],
    edits: Mapping[str, float],
) -> list[tuple[int, ...]]:
    """Durations of each piece's tokens [frames] with their final syllables lengthened.

    Parameters
    ----------
    runs, pieces
        The tokens of each synthesis, and what was clocked of it.
    pauses
        Silences of the whole utterance.
    edits
        ``final_length``: factor on the duration of the utterance's last rhyme; ``clause_length``: of the last rhyme
        before each pause at a clause boundary.

    """
    rhymes = list(_rhymes(runs, pieces))
    frames = [piece.contour.frames for piece in pieces]
    chosen = {_before(pause, rhymes): edits.get("clause_length", 1.0) for pause in pauses if pause.clause}
    if rhymes:
        chosen[rhymes[-1]] = edits.get("final_length", 1.0)
    for rhyme, factor in chosen.items():
        if rhyme is not None and factor != 1.0:
            frames[rhyme.piece] = _stretched(frames[rhyme.piece], rhyme, factor)
    return frames


def _rhymes(runs: Sequence[Sequence[TokenPhonemes]], pieces: Sequence[Piece]) -> Iterator[Rhyme]:
    """The last rhyme of every word that has a vowel, in order."""
    offset = 0
    for number, (run, piece) in enumerate(zip(runs, pieces, strict=True)):
        edges = np.concatenate([[0], np.cumsum(piece.contour.frames)]) * FRAME - LATE - piece.start + offset
        symbol = 1
        for token in run:
            vowels = [n for n, phoneme in enumerate(token.phonemes) if phoneme in VOWELS]
            stop = symbol + len(token.phonemes)
            if vowels:
                yield Rhyme(number, symbol + _nucleus(token.phonemes, vowels[-1]), stop, int(edges[stop]))
            symbol = stop + bool(token.whitespace)
        offset += piece.stop - piece.start


def _nucleus(phonemes: str, vowel: int) -> int:
    """Where the vowel sequence that ends at `vowel` starts."""
    while vowel and phonemes[vowel - 1] in VOWELS:
        vowel -= 1
    return vowel


def _before(pause: Pause, rhymes: Sequence[Rhyme]) -> Rhyme | None:
    """The rhyme that ends where the pause is, within 100 ms."""

    def distance(rhyme: Rhyme) -> int:
        return max(pause.start - rhyme.end, rhyme.end - pause.end, 0)

    nearest = min(rhymes, key=distance, default=None)
    return nearest if nearest is not None and distance(nearest) <= NEAR else None


def _stretched(frames: tuple[int, ...], rhyme: Rhyme, factor: float) -> tuple[int, ...]:
    """The durations with those of the rhyme times `factor`, rounded so that their sum is right to half a frame."""
    edges = np.round(np.concatenate([[0.0], np.cumsum(frames[rhyme.start : rhyme.stop])]) * factor).astype(int)
    inside = tuple(max(1, int(size)) for size in np.diff(edges))
    return (*frames[: rhyme.start], *inside, *frames[rhyme.stop :])
