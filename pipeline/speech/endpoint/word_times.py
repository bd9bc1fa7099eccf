"""When the words of a sound were said that came without times: spread by phonemes, held by the pauses.

A sound tells where it starts, pauses and ends. Each pause is matched to the word boundary that explains it best, with
a preference for those that a mark stands at; between two such places time goes to the words by what their phonemes
usually take.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.records.span import Span
from pipeline.samples import RATE, to_samples
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.words import Timing

Values = npt.NDArray[np.float64]

_CLASSES = {
    1.4: "AIOQWYi",  # diphthongs and the longest vowel
    0.85: "aeouy\u00e6\u0250\u0251\u0252\u0254\u0259\u025a\u025b\u025c"
    "\u0268\u026a\u00f8\u0153\u0264\u028a\u028c\u1d4a\u1d7b",
    1.1: "\u02c8",  # a stressed syllable is longer
    0.6: "\u02cc",
    0.7: "\u02d0",
    1.3: "sf\u03b8\u0283\u02a7x",
    1.0: "ptkd\u0261\u027e\u0294T",
    1.2: "mn\u014b\u0272l\u0279r\u02a4z\u0292",
    0.65: "v\u00f0hwjb\u03b2",
}
WEIGHTS = {symbol: weight for weight, symbols in _CLASSES.items() for symbol in symbols}
"""What a phoneme takes in relation to others: means of the embedded voice model's durations, in classes."""
FINAL = 1.35
"""Factor on a word before a pause or the end, whose last syllable is longer."""
AT_MARK_S = 0.25
"""A boundary with a mark may lie so much further from a pause than one without."""
UNMATCHED_S = 0.3
"""A silence that lies further than this from every boundary left is inside a word."""


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Places between sounding tokens, and both ends: the character, the share of all sound before it, a mark there."""

    characters: tuple[int, ...]
    shares: Values
    marked: tuple[bool, ...]


def spread_times(tokens: Sequence[TokenPhonemes], speech: Span, silences: Sequence[Span]) -> Timing:
    """Times of the characters of a spoken text.

    Parameters
    ----------
    tokens
        Tokens of the text, which add up to it.
    speech
        Measured onset and offset [samples].
    silences
        Measured silences inside `speech`, in order [samples].

    """
    places = boundaries(tokens)
    sounding = speech.length - sum(gap.length for gap in silences)
    before = np.array([gap.start - speech.start for gap in silences], np.float64)
    before -= np.concatenate([[0], np.cumsum([gap.length for gap in silences])])[: len(silences)]
    matched = matched_pauses(before, places, sounding)
    knots = [(0, 0.0), *((place, before[pause]) for pause, place in matched), (len(places.shares) - 1, float(sounding))]
    at, times = zip(*knots, strict=True)
    spread = np.interp(places.shares, places.shares[list(at)], times)
    samples = spread + speech.start
    for gap, start in zip(silences, before, strict=True):
        samples += np.where(spread > start, gap.length, 0)
    for pause, place in matched:
        samples[place] = (silences[pause].start + silences[pause].end) / 2
    return Timing(np.asarray(places.characters, np.float64), np.maximum.accumulate(samples))


def boundaries(tokens: Sequence[TokenPhonemes]) -> Boundaries:
    """Where one sounding token ends and the next begins."""
    characters, weights, marked = [0], [0.0], [False]
    at = 0
    for token in tokens:
        weight = sum(WEIGHTS.get(symbol, 0.0) for symbol in token.phonemes)
        at += len(token.text)
        if weight:
            characters.append(at)
            weights.append(weight)
            marked.append(False)
        else:
            marked[-1] = True
        at += len(token.whitespace)
    for place in range(1, len(weights)):
        if marked[place] or place + 1 == len(weights):
            weights[place] *= FINAL
    shares = np.cumsum(weights)
    return Boundaries(tuple(characters), shares / shares[-1], tuple(marked))


def matched_pauses(before: Values, places: Boundaries, sounding: int) -> list[tuple[int, int]]:
    """Which pause lies at which inner boundary, as pairs of indices, both ascending; pauses may stay unmatched.

    Parameters
    ----------
    before
        How much sound precedes each pause [samples].
    places
        The boundaries.
    sounding
        All sound [samples].

    """
    inner = range(1, len(places.shares) - 1)
    skip = float(to_samples(UNMATCHED_S, RATE))
    cost = np.zeros((len(before) + 1, len(inner) + 1))
    cost[1:] += skip * np.arange(1, len(before) + 1)[:, None]
    for pause in range(len(before)):
        for number, place in enumerate(inner):
            apart = abs(places.shares[place] * sounding - before[pause])
            apart = max(0.0, apart - (to_samples(AT_MARK_S, RATE) if places.marked[place] else 0)) + apart / 100
            here = cost[pause, number] + apart
            cost[pause + 1, number + 1] = min(here, cost[pause, number + 1] + skip, cost[pause + 1, number])
    return list(reversed(list(_traced(cost, skip, inner))))


def _traced(cost: Values, skip: float, inner: range) -> Iterator[tuple[int, int]]:
    """The cheapest matching, from its end."""
    pause, number = cost.shape[0] - 1, cost.shape[1] - 1
    while pause and number:
        if cost[pause, number] == cost[pause, number - 1]:
            number -= 1
        elif cost[pause, number] == cost[pause - 1, number] + skip:
            pause -= 1
        else:
            pause, number = pause - 1, number - 1
            yield pause, inner[number]
