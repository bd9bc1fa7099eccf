"""Words in text: how they are told apart and found again."""

import re

_LETTER = r"[^\W_][\u0300-\u036f]*"
_WORD = re.compile(
    rf"""
    (?:(?<![^\W_])[-\u2212](?=[\d£$€]))?        # a minus before a number
    ['\u2019£$€¥₹]*                            # an apostrophe, a currency
    {_LETTER}
    (?:(?:['\u2019_&°@+\u00ad\u200b-\u200d\u2060]+|%?[-\u2010\u2011][£$€]?
         |(?<=\d)%?\u2013(?=[\d£$€])              # 7–9
         |(?<=\d),(?=\d{{3}}(?!\d))|(?<=\d):(?=\d) # 1,250 and 3:30
         |\.(?!(?<=[a-z]\.)[A-Z])                 # 3.50, a.m and x.org, but not "end.Then"
         |/|://)? {_LETTER})*
    [%°¢'\u2019]*
    |(?<!\S)[&+=@%$£€¥₹¢°§±×÷≈≠≤≥√∞](?!\S)                     # signs that are spoken by themselves
    """,
    re.VERBOSE,
)


def words_of(text: str) -> list[str]:
    """The written words, punctuation left out; a number, a time or an address is one word.

    >>> words_of("Well—I'd say four-fifths, no?")
    ['Well', "I'd", 'say', 'four-fifths', 'no']
    >>> words_of("At 3:30 p.m., for $1,250.50 & tips: see x.org/a.")
    ['At', '3:30', 'p.m', 'for', '$1,250.50', '&', 'tips', 'see', 'x.org/a']
    """
    return _WORD.findall(text)


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """The written words, each with where it starts and ends [characters].

    >>> word_spans("no, a no")
    [('no', 0, 2), ('a', 4, 5), ('no', 6, 8)]
    """
    return [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


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
