"""Words of a text, as stage 1 counts and compares them."""

import re

from pipeline.text import folded

_SPLIT = re.compile(r"\s+")


def words(text: str) -> tuple[str, ...]:
    """The written words: what stands between blanks and carries a letter or a digit.

    >>> words("Well, it's ten — no, twelve.")
    ('Well,', "it's", 'ten', 'no,', 'twelve.')
    """
    return tuple(word for word in _SPLIT.split(text) if any(map(str.isalnum, word)))


def bare_words(text: str) -> tuple[str, ...]:
    """The words as they are compared: without case and punctuation."""
    return tuple(folded(text))


def grams(text: str, n: int = 4) -> frozenset[tuple[str, ...]]:
    """All runs of `n` words of a text."""
    found = bare_words(text)
    return frozenset(found[i : i + n] for i in range(len(found) - n + 1))
