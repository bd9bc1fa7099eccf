"""Where claims and vocalisations land: spread over the conversation, to the counts asked for."""

from collections.abc import Sequence

import numpy as np

from pipeline.writers.landing import clause_ends, inside_clause
from pipeline.writers.words import words

ROOM_AFTER = 5
"""Words left unsaid after a claim where the turn is long enough: the longest overlap (Table 21) lasts four."""
ROOM_BEFORE = 2
"""Words heard before anybody responds."""
SNAP = 3
"""Words within which a backchannel moves to the end of a clause."""


def claim_turns(count: int, lengths: Sequence[int], preferred: set[int], rng: np.random.Generator) -> list[int]:
    """Indices of the turns that `count` claims cut into, in order; one may stand twice.

    Each claim has a stretch of the conversation of its own and takes the best turn in it: a `preferred`
    one (it has a cut-in of its own), then a long one.
    """
    n = len(lengths)
    rounds, rest = divmod(count, n)
    taken = [index for index in range(n) for _ in range(rounds)]
    jitter = rng.random(n)
    for stretch in np.array_split(np.arange(n), rest) if rest else ():
        taken.append(max(map(int, stretch), key=lambda i: (i in preferred, lengths[i] + 6 * jitter[i])))
    return sorted(taken)


def claim_landing(text: str, unfinished: bool, taken: Sequence[int], rng: np.random.Generator) -> int:
    """Index of the word after which a claim sets in: in the middle half, away from the `taken` ones.

    `unfinished`: inside a clause, as in argumentative and collaborative talk (Figure 6); else at any word.
    """
    n = len(words(text))
    first, last = max(min(ROOM_BEFORE, n - 2), round(0.35 * n)), max(n - 1 - ROOM_AFTER, n // 2)
    open_places = [i for i in range(max(0, first), max(1, last + 1)) if i < max(1, n - 1)] or [max(0, n - 2)]
    inside = [i for i in open_places if not unfinished or inside_clause(text, i)] or open_places
    apart = [i for i in inside if all(abs(i - other) > SNAP for other in taken)]
    free = [i for i in inside if i not in taken]
    return int(rng.choice(apart or free or inside))


def vocalisation_places(
    texts: Sequence[str], count: int, stacked: float, listeners: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """(turn, word) after which each of `count` vocalisations sets in, evenly over all words, in order.

    `stacked` is the share that joins the one before it, as several `listeners` of a story do.
    """
    open_words = [(t, w) for t, text in enumerate(texts) for w in _open(text)]
    open_words = open_words or [(t, max(0, len(words(text)) - 1)) for t, text in enumerate(texts)]
    places: list[tuple[int, int]] = []
    last = (-1, -1)
    for i in range(count):
        turn, word = open_words[int((i + rng.random()) / count * len(open_words))]
        if 0 < places[-listeners:].count(last) < listeners and rng.random() < stacked:
            turn, word = last
        elif rng.random() < 0.6:
            word = _snapped(texts[turn], word)
        last = (turn, word)
        places.append(last)
    return sorted(places)


def _open(text: str) -> range:
    """Words after which a listener may respond: not at once, and not when the turn is all but over."""
    return range(ROOM_BEFORE, len(words(text)) - 1)


def _snapped(text: str, word: int) -> int:
    near = [end for end in clause_ends(text) if abs(end - word) <= SNAP and end > ROOM_BEFORE]
    return min(near, key=lambda end: abs(end - word), default=word)
