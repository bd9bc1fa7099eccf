"""Where a text that is too long for one synthesis is cut."""

from collections.abc import Sequence
from itertools import accumulate

from pipeline.speech.g2p import TokenPhonemes

STRENGTH = ((".", "?", "!"), (";", ":", "—", "..."), (",",))
"""Marks to cut after, the best first."""
LEAST = 3
"""A part after a mark is at least one third of the limit."""
_OPENERS = "and but or so because since although though while when where if unless until that which who"
OPENERS = frozenset(_OPENERS.split())
"""Words to cut before where there is no mark."""


def best_cut(tokens: Sequence[TokenPhonemes], limit: int) -> int:
    """How many tokens to take, of more than `limit` phonemes; 0 when not even one fits.

    After the last of the strongest marks that leaves a good part; without marks, in about equal parts, before a word
    that opens a clause where one is near; never before a mark.
    """
    sizes = list(accumulate(len(token.phonemes) + bool(token.whitespace) for token in tokens))
    # The blank after the last token is not spoken.
    ends = [size - bool(token.whitespace) for size, token in zip(sizes, tokens, strict=True)]
    fits = sum(end <= limit for end in ends)
    for marks in STRENGTH:
        for cut in range(fits, 0, -1):
            if tokens[cut - 1].text in marks and ends[cut - 1] >= limit // LEAST:
                return _past_marks(tokens, cut, fits)
    return _without_marks(tokens, ends, fits, limit)


def _without_marks(tokens: Sequence[TokenPhonemes], ends: Sequence[int], fits: int, limit: int) -> int:
    parts = -(-ends[-1] // limit)
    aim = ends[-1] / parts
    between = [cut for cut in range(1, fits + 1) if cut < len(tokens) and _is_word(tokens[cut])]
    openers = [cut for cut in between if tokens[cut].text.lower() in OPENERS and ends[cut - 1] >= limit // LEAST]
    return min(openers or between or [fits], key=lambda cut: abs((ends[cut - 1] if cut else 0) - aim))


def _past_marks(tokens: Sequence[TokenPhonemes], cut: int, fits: int) -> int:
    """The same cut, after the marks that close what stands before it."""
    while cut < fits and not _is_word(tokens[cut]):
        cut += 1
    return cut


def _is_word(token: TokenPhonemes) -> bool:
    return any(map(str.isalpha, token.phonemes))
