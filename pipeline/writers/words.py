"""Words of a text, as stage 1 counts and compares them."""

import re

_SPLIT = re.compile(r"\s+")
_EDGE = re.compile(r"^[^\w]+|[^\w]+$")


def words(text: str) -> tuple[str, ...]:
    """The written words: what stands between blanks and carries a letter or a digit.

    >>> words("Well, it's ten — no, twelve.")
    ('Well,', "it's", 'ten', 'no,', 'twelve.')
    """
    return tuple(word for word in _SPLIT.split(text) if any(map(str.isalnum, word)))


def bare(word: str) -> str:
    r"""A word without case, edge punctuation and typographic apostrophes, for comparison.

    >>> bare('"It\u2019s,')
    "it's"
    """
    return _EDGE.sub("", word.replace("\u2019", "'").casefold())


def bare_words(text: str) -> tuple[str, ...]:
    """The words of a text, each :func:`bare`."""
    return tuple(map(bare, words(text)))


def grams(text: str, n: int = 4) -> frozenset[tuple[str, ...]]:
    """All runs of `n` words of a text."""
    found = bare_words(text)
    return frozenset(found[i : i + n] for i in range(len(found) - n + 1))
