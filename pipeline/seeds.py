"""Random generators that belong to entities, never to the order of work.

Each draw comes from a generator named by (corpus seed, conversation or pair, stage, purpose): the same
request gives the same values whatever the workers, the order, or where a run was resumed.
"""

import hashlib

import numpy as np

GOLDEN = 0.6180339887498949
"""Fractional part of the golden ratio: the additive recurrence with the lowest discrepancy."""


def seed_for(corpus_seed: int, *names: str | int) -> int:
    """A 64-bit seed for the entity that `names` spell out.

    >>> seed_for(1, "c0001", "orchestrate", "gaps") == seed_for(1, "c0001", "orchestrate", "gaps")
    True
    >>> seed_for(1, "a", "bc") == seed_for(1, "ab", "c")
    False
    """
    text = "\x1f".join([str(corpus_seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def generator(corpus_seed: int, *names: str | int) -> np.random.Generator:
    """The generator of the entity that `names` spell out (PCG64, stable across platforms)."""
    return np.random.Generator(np.random.PCG64(seed_for(corpus_seed, *names)))


def dither(corpus_seed: int, index: int, purpose: str) -> float:
    """The `index`-th value in [0, 1) of a low-discrepancy sequence of its own for `purpose`.

    Rounding an expected count as ``floor(expected + dither)`` makes the counts of many conversations
    add up to their expectation, while each depends on the corpus seed and its own index alone.
    """
    start = float(generator(corpus_seed, "dither", purpose).random())
    return (start + index * GOLDEN) % 1.0


def rounded(expected: float, u: float) -> int:
    """`expected` rounded down or up so that uniform `u` in [0, 1) keeps its mean.

    >>> rounded(2.25, 0.1), rounded(2.25, 0.8)
    (2, 3)
    """
    return int(np.floor(expected + u))
