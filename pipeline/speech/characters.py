"""The characters of a text, one by one: what a reader of English can say, what is left out, what is refused."""

import re
import unicodedata

from pipeline.errors import ScriptError
from pipeline.speech.spoken import Stretch

SPOKEN_MARKS = ".,;:?!—-'()"
"""Marks that the phonemiser reads, beside letters and spaces."""
QUOTES = "\u2018\u2019\u201b\u2032`\u00b4"
SAME = {
    **dict.fromkeys(QUOTES, "'"),
    **dict.fromkeys("\u2010\u2011\ufe63\uff0d", "-"),
    **dict.fromkeys("\u2015\u2e3a\u2e3b", "—"),
    **dict.fromkeys('“”„‟«»\u2039\u203a″"', '"'),
    **dict.fromkeys("、،", ","),
    **dict.fromkeys("。", "."),
    **dict.fromkeys("؟", "?"),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u2217⋅·", "*"),
    **dict.fromkeys("™®℠", ""),
    "‽": "?!",
    "№": "No. ",
    "\u00b5": "\u03bc",
}
"""Characters that are read like another."""
AS_THEY_ARE = frozenset("½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒²³¹…–—")
"""Characters that rules read, and that a compatible form would take apart."""
SIGNS = frozenset("$£€¥₹¢%‰&+=<>±÷°~^|@#*/\\_{}[]§≈≠≤≥√∞\u00d7\u2212")
"""Signs that rules read or leave out."""
FIRST_ACCENTED, LAST_ACCENTED = 0x00C0, 0x017F
"""Letters with accents that espeak reads as their sound; it names those beyond, so they lose their accent."""
GREEK = {chr(code): unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x03B1, 0x03CA)}

_CLUSTER = re.compile(r"(?s:.)[\u0300-\u036f\ufe0e\ufe0f\u20e3]*")


def cleaned(text: str) -> list[Stretch]:
    """The whole text in stretches of one character, with marks that combine with it, each as it can be read.

    Quotation marks, emoji and invisible characters become blanks or nothing.

    Raises
    ------
    ScriptError
        for a letter that no English voice can say.

    """
    return [Stretch(m.start(), m.end(), _readable(m.group(), text, m.start())) for m in _CLUSTER.finditer(text)]


def is_spoken(char: str) -> bool:
    """Whether the phonemiser reads the character: a letter, a space or a mark of speech."""
    return char == " " or char in SPOKEN_MARKS or (char.isascii() and char.isalpha()) or _is_accented(char)


def _is_accented(char: str) -> bool:
    return FIRST_ACCENTED <= ord(char) <= LAST_ACCENTED and char.isalpha()


def _readable(cluster: str, text: str, at: int) -> str:
    if cluster.isascii() and cluster.isprintable() and cluster not in SAME:
        return cluster
    if cluster[0] in SAME:
        return SAME[cluster[0]]
    if cluster[0] in AS_THEY_ARE:
        return cluster[0]
    composed = unicodedata.normalize("NFKC", cluster)
    readable = "".join(_one(char, text, at) for char in composed)
    if cluster[0].isalnum() and not readable.strip():
        raise _refusal(cluster[0], text, at)
    return readable


def _one(char: str, text: str, at: int) -> str:
    if char in SAME:
        return SAME[char]
    if char.isascii() and char.isprintable():
        return char
    if char in AS_THEY_ARE or char in SIGNS or _is_accented(char) or _is_single_greek(char, text, at):
        return char
    kind = unicodedata.category(char)
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if kind[0] in "LN":
        return _without_accent(char, text, at)
    return "" if kind[0] == "M" or kind == "Cf" else " "


def _is_single_greek(char: str, text: str, at: int) -> bool:
    """Whether the character is a Greek letter that is a symbol and no part of a Greek word."""
    beside = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
    return char.lower() in GREEK and not any(unicodedata.name(one, "").startswith("GREEK") for one in beside)


def _without_accent(char: str, text: str, at: int) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if is_spoken(c) or (c.isdigit() and c.isascii()))
    if plain.strip(SPOKEN_MARKS + " "):
        return plain
    raise _refusal(char, text, at)


def _refusal(char: str, text: str, at: int) -> ScriptError:
    before, after = re.search(r"\w*$", text[:at]), re.match(r"\w+", text[at:])
    word = ((before.group() if before else "") + (after.group() if after else char))[:40]
    return ScriptError(f"word {word!r} cannot be said by an English voice ({char!r}): write it in Latin letters")
