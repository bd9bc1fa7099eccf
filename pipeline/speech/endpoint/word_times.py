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
    1.3: "AIOQWYi",  # diphthongs and the longest vowel
    0.75: "aeouy\u00e6\u0250\u0251\u0252\u0254\u0259\u025a\u025b\u025c"
    "\u0268\u026a\u00f8\u0153\u0264\u028a\u028c\u1d4a\u1d7b",
    1.6: "\u02c8",  # a stressed syllable is longer
    0.2: "\u02cc",
    0.9: "sf\u03b8\u0283\u02a7x",
    0.55: "ptkd\u0261\u027e\u0294T",
    0.65: "mn\u014b\u0272l\u0279r\u02a4z\u0292",
    0.45: "v\u00f0hwjb\u03b2",
}
WEIGHTS = {symbol: weight for weight, symbols in _CLASSES.items() for symbol in symbols}
"""What a phoneme takes in relation to others: fitted, in classes, to the word times of the embedded voice model."""
WORD = 0.3
"""What a word takes besides."""
FINAL = 0.5
"""What each phoneme of a word before a pause, or of the last one, takes besides: its last syllable is longer."""
INITIAL = -0.4
"""The same of the first word after silence: its beginning is not heard at once."""
AT_MARK_S = 0.25
"""A boundary with a mark may lie so much further from a pause than one without."""
UNMATCHED = 1.0
"""A silence that lies further than so many times its length from every boundary left is inside a word."""


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
    likely = boundaries(tokens)
    sounding = speech.length - sum(gap.length for gap in silences)
    before = np.array([gap.start - speech.start for gap in silences], np.float64)
    before -= np.concatenate([[0], np.cumsum([gap.length for gap in silences])])[: len(silences)]
    matched = matched_pauses(before, np.array([gap.length for gap in silences]), likely, sounding)
    places = boundaries(tokens, [place for _, place in matched])
    knots = [(0, 0.0), *((place, before[pause]) for pause, place in matched), (len(places.shares) - 1, float(sounding))]
    at, times = zip(*knots, strict=True)
    spread = np.interp(places.shares, places.shares[list(at)], times)
    samples = spread + speech.start
    for gap, start in zip(silences, before, strict=True):
        samples += np.where(spread > start, gap.length, 0)
    for pause, place in matched:
        samples[place] = (silences[pause].start + silences[pause].end) / 2
    return Timing(np.asarray(places.characters, np.float64), np.maximum.accumulate(samples))


def boundaries(tokens: Sequence[TokenPhonemes], paused: Sequence[int] | None = None) -> Boundaries:
    """Where one sounding token ends and the next begins.

    `paused` are the numbers of those with a pause, counted from 1; None: those with a mark are likely to have one.
    """
    characters, weights, counts, marked = [0], [0.0], [0], [False]
    at = 0
    for token in tokens:
        sounds = [WEIGHTS[symbol] for symbol in token.phonemes if symbol in WEIGHTS]
        if sounds:
            characters.append(at)
            weights.append(WORD + sum(sounds))
            counts.append(len(sounds))
            marked.append(False)
        else:
            marked[-1] = True
        at += len(token.text) + len(token.whitespace)
    characters = [0, *characters[2:], at]
    ends = {len(weights) - 1, *([place for place, mark in enumerate(marked) if mark] if paused is None else paused)}
    for place in range(1, len(weights)):
        weights[place] += FINAL * counts[place] * (place in ends)
        weights[place] += max(INITIAL, -0.5 * weights[place]) * (place == 1 or place - 1 in ends)
    shares = np.cumsum(weights)
    return Boundaries(tuple(characters), shares / shares[-1], tuple(marked))


def matched_pauses(
    before: Values, lengths: npt.NDArray[np.int64], places: Boundaries, sounding: int
) -> list[tuple[int, int]]:
    """Which pause lies at which inner boundary, as pairs of indices, both ascending; pauses may stay unmatched.

    Parameters
    ----------
    before
        How much sound precedes each pause [samples].
    lengths
        How long each is [samples].
    places
        The boundaries.
    sounding
        All sound [samples].

    """
    inner = range(1, len(places.shares) - 1)
    skips = UNMATCHED * lengths.astype(np.float64)
    cost = np.zeros((len(before) + 1, len(inner) + 1))
    cost[1:] += np.cumsum(skips)[:, None]
    for pause in range(len(before)):
        for number, place in enumerate(inner):
            apart = abs(places.shares[place] * sounding - before[pause])
            apart = max(0.0, apart - (to_samples(AT_MARK_S, RATE) if places.marked[place] else 0)) + apart / 100
            here = cost[pause, number] + apart
            cost[pause + 1, number + 1] = min(here, cost[pause, number + 1] + skips[pause], cost[pause + 1, number])
    return list(reversed(list(_traced(cost, skips, inner))))


def _traced(cost: Values, skips: Values, inner: range) -> Iterator[tuple[int, int]]:
    """The cheapest matching, from its end."""
    pause, number = cost.shape[0] - 1, cost.shape[1] - 1
    while pause and number:
        if cost[pause, number] == cost[pause, number - 1]:
            number -= 1
        elif cost[pause, number] == cost[pause - 1, number] + skips[pause - 1]:
            pause -= 1
        else:
            pause, number = pause - 1, number - 1
            yield pause, inner[number]
