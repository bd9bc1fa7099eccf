"""Landing words: where in a turn a claim or vocalisation sets in, said by the last words heard."""

from pipeline.text import find_words
from pipeline.writers.words import words

LONGEST = 6
"""Words a landing has at most where shorter ones would also stand earlier in the turn."""
_CLAUSE_END = (",", ".", "!", "?", ";", ":", "…", "—")


_SENTENCE_END = (".", "!", "?", "…")


def landing_index(text: str, landing: str) -> int | None:
    """Index of the word of `text` that the landing ends with, at its first occurrence; None when absent.

    >>> landing_index("Well, I think it is late, I think.", "i think")
    2
    """
    return find_words(list(words(text)), landing)


def landing_phrase(text: str, index: int) -> str:
    """The last two or three words up to word `index`; more where they would also occur earlier.

    >>> landing_phrase("Well, I think it is late, I think.", 7)
    'late, I think.'
    >>> landing_phrase("Well, I think it is late, I think.", 2)
    'I think'
    """
    heard = words(text)
    for count in range(2, LONGEST + 1):
        phrase = " ".join(heard[max(0, index + 1 - count) : index + 1])
        if landing_index(text, phrase) == index:
            return phrase
    return phrase


def inside_clause(text: str, index: int) -> bool:
    """Whether the clause goes on after word `index`: nothing but a blank separates it from the next."""
    heard = words(text)
    return index + 1 < len(heard) and not heard[index].endswith(_CLAUSE_END)


def inside_sentence(text: str, index: int) -> bool:
    """Whether the sentence goes on after word `index`.

    >>> inside_sentence("Well, I mean it. I do.", 0), inside_sentence("Well, I mean it. I do.", 3)
    (True, False)
    """
    heard = words(text)
    return index + 1 < len(heard) and not heard[index].endswith(_SENTENCE_END)


def clause_ends(text: str) -> tuple[int, ...]:
    """Indices of the words after which a clause ends, the last word left out."""
    heard = words(text)
    return tuple(i for i, word in enumerate(heard[:-1]) if word.endswith(_CLAUSE_END))
