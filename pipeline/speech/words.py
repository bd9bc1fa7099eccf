"""Where each written word sounds, and which silences inside an utterance lie at a clause boundary."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pipeline.models.graphs import FRAME
from pipeline.records.span import Span
from pipeline.records.utterance import Pause, Word
from pipeline.samples import to_samples
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.spoken import Spoken
from pipeline.text import word_spans

LATE = to_samples(0.034)
"""The end of a word's last phoneme, by token durations, comes this long after the next word is heard to begin.

By forced alignment of the calibration sentences in a voice that is not judged, the aligner's bias taken off. The
silent symbol between the words sounds with the next one: with any share of it the spread is wider.
"""
NEAR = 2400
"""A silence belongs to the word boundary within this many samples (100 ms)."""
MARKS = frozenset(",.;:!?—…()")
_OPENERS = """
and but or so because cause since although though while when where if unless until that which who
then than before after as yet whereas except
"""
OPENERS = frozenset(_OPENERS.split())
"""Words that open a clause, with or without a comma before them."""


@dataclass(frozen=True, eq=False)
class Timing:
    """Times of the characters of a spoken text: at `characters[i]` it is `samples[i]`, linear between."""

    characters: npt.NDArray[np.float64]
    samples: npt.NDArray[np.float64]

    def at(self, character: float) -> int:
        """Sample at which a character starts."""
        return round(float(np.interp(character, self.characters, self.samples)))


def timing(tokens: Sequence[TokenPhonemes], frames: Sequence[int], first_character: int = 0) -> Timing:
    """Times of the tokens of one synthesis, from the durations of its phonemes.

    Parameters
    ----------
    tokens
        Tokens of the synthesis; the last one's whitespace is not spoken.
    frames
        Durations with the silent tokens at both ends [frames of 600 samples].
    first_character
        Where in the spoken text the first token starts.

    """
    edges = np.concatenate([[0], np.cumsum(frames)]).astype(np.float64) * FRAME - LATE
    characters, samples = [float(first_character)], [edges[1]]
    at, symbol = float(first_character), 1
    for token in tokens:
        at += len(token.text) + len(token.whitespace)
        symbol += len(token.phonemes)
        characters.append(at)
        samples.append(edges[symbol])
        symbol += bool(token.whitespace) and symbol < len(frames) - 1
    return Timing(np.asarray(characters), np.maximum(np.asarray(samples), 0))


def word_ranges(written: str, spoken: Spoken, times: Timing, speech: Span, silences: Sequence[Span]) -> list[Word]:
    """Sample ranges of the written words that are spoken, in order, without overlap.

    Where nothing is written but signs that are no word, such as ``(%)``, the whole text is one. The first starts at
    the onset and the last ends at the offset; beside an inner silence a word ends where the silence starts, and the
    next starts where it ends.
    """
    found = []
    for word, first, last in word_spans(written):
        span = spoken.spoken_range(first, last)
        if span:
            found.append((word, times.at(span[0]), times.at(span[1])))
    if not found:
        return [Word(text=written.strip(), start=speech.start, end=speech.end)]
    starts = [start for _, start, _ in found]
    ends = [*starts[1:], speech.end]
    starts[0] = speech.start
    _part_at_silences(starts, ends, silences)
    return _in_order([word for word, _, _ in found], starts, ends, speech)


def pauses(silences: Sequence[Span], words: Sequence[Word], written: str) -> list[Pause]:
    """Silences as records, each with whether it lies at a clause boundary.

    That is: at the end of a word that a mark follows, or before a word that opens a clause.
    """
    boundaries = _boundaries(words, written)
    return [Pause(start=s.start, end=s.end, clause=any(s.start <= at <= s.end for at in boundaries)) for s in silences]


def _boundaries(words: Sequence[Word], written: str) -> list[int]:
    """Ends of words that a clause boundary follows [samples]."""
    found = []
    at = 0
    for word, after in pairwise(words):
        at = written.index(word.text, at) + len(word.text)
        between = written[at : written.index(after.text, at)]
        if MARKS & set(between) or after.text.lower() in OPENERS:
            found.append(word.end)
    return found


def _part_at_silences(starts: list[int], ends: list[int], silences: Sequence[Span]) -> None:
    """Move the word boundary nearest to each silence to the silence's edges, where it is near enough."""
    for silence in silences:
        distances = [_distance(end, silence) for end in ends[:-1]]
        if distances and min(distances) <= NEAR:
            nearest = distances.index(min(distances))
            ends[nearest], starts[nearest + 1] = silence.start, silence.end


def _distance(sample: int, span: Span) -> int:
    return max(span.start - sample, sample - span.end, 0)


def _in_order(texts: Sequence[str], starts: list[int], ends: list[int], speech: Span) -> list[Word]:
    """Make the ranges ascend inside the speech."""
    words = []
    at = speech.start
    for text, start, end in zip(texts, starts, ends, strict=True):
        start = min(max(start, at), speech.end)
        at = min(max(end, start), speech.end)
        words.append(Word(text=text, start=start, end=at))
    return words
