"""Words in text: how they are told apart and found again."""

import re

_WORD = re.compile(r"[\w'’&%£$€-]*\w[\w'’%]*", re.UNICODE)


def words_of(text: str) -> list[str]:
    """The written words, punctuation left out.

    >>> words_of("Well—I'd say four-fifths, no?")
    ['Well', "I'd", 'say', 'four-fifths', 'no']
    """
    return _WORD.findall(text)


def folded(text: str) -> list[str]:
    """The words as they are compared: lower case, one kind of apostrophe."""
    return [word.lower().replace("’", "'") for word in words_of(text)]


def find_words(words: list[str], wanted: str) -> int | None:
    """Index in `words` of the last word of the first occurrence of `wanted`; None when it does not occur.

    >>> find_words(["the", "early", "train"], "early train")
    2
    """
    text = [" ".join(folded(word)) for word in words]
    target = folded(wanted)
    joined = [(part, index) for index, word in enumerate(text) for part in word.split()]
    for at in range(len(joined) - len(target) + 1):
        if target and [part for part, _ in joined[at : at + len(target)]] == target:
            return joined[at + len(target) - 1][1]
    return None


def mark_after(text: str, count: int) -> str:
    """What stands between word number `count` of a text, counted from 1, and the next one.

    >>> mark_after("Was it late? I think so.", 3)
    '? '
    """
    found = list(_WORD.finditer(text))
    if not 0 < count <= len(found):
        return ""
    end = found[count].start() if count < len(found) else len(text)
    return text[found[count - 1].end() : end]


def encodable(text: str) -> str:
    r"""The text with half surrogate pairs, which JSON can carry and UTF-8 cannot, as signs for a broken character.

    >>> encodable("half \ud800 pair")
    'half \ufffd\ufffd\ufffd pair'
    """
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
