"""Distinct-n: how many of all runs of n words are different ones (Li et al. 2016, arXiv:1510.03055).

It falls with the length of the text, since words come again whoever speaks. So it is also given as the mean over
blocks of a fixed number of words, which alone compares corpora, or types, of different size.
"""

from collections.abc import Iterable, Iterator, Sequence

from pipeline.writers.words import bare_words

BLOCK = 1000
"""Words of a block."""
Words = Sequence[str]


def distinct(lines: Iterable[str], n: int) -> float | None:
    """Different runs of `n` words over all of them, none across the end of a line; None where there is no run.

    >>> distinct(["It goes on and on.", "On and on!"], 2)
    0.6666666666666666
    """
    return _distinct(map(bare_words, lines), n)


def distinct_in_blocks(lines: Iterable[str], n: int, block: int = BLOCK) -> float | None:
    """The mean of :func:`distinct` over whole blocks of `block` words in a row; None where there is no whole block."""
    values = [value for part in _blocks(map(bare_words, lines), block) if (value := _distinct(part, n)) is not None]
    return sum(values) / len(values) if values else None


def _distinct(lines: Iterable[Words], n: int) -> float | None:
    runs = [tuple(line[i : i + n]) for line in lines for i in range(len(line) - n + 1)]
    return len(set(runs)) / len(runs) if runs else None


def _blocks(lines: Iterable[Words], block: int) -> Iterator[list[Words]]:
    """Lines of `block` words together; a line over the edge is parted, and words that fill no block are left out."""
    part: list[Words] = []
    room = block
    for line in lines:
        rest = line
        while len(rest) >= room:
            yield [*part, rest[:room]]
            part, rest, room = [], rest[room:], block
        part.append(rest)
        room -= len(rest)
