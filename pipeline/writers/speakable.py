"""What a voice cannot say, found in a text: the gate between any writer and the phonemiser."""

import re
import unicodedata
from collections.abc import Iterator

PUNCTUATION = frozenset(" .,?!'\"-;:%$&+=\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u00a3\u20ac\u00b0")
"""Characters beside Latin letters and digits that the speech normaliser can say or skip."""

_IN_PATTERNS = frozenset("()[]{}<>*_#`~|\\/")
"""Characters that the patterns below judge by what stands around them."""

_PATTERNS = (
    ("a URL or address", re.compile(r"https?:|www\.|\S+@\S+|\b[\w-]+\.(?:com|org|net|io|co|uk|de|edu|gov)\b", re.I)),
    ("a markup tag", re.compile(r"</?\s*[A-Za-z!?][^>]*>|&#?\w+;")),
    ("a stage direction or bracket", re.compile(r"[()\[\]{}<>][^()\[\]{}<>]{0,30}")),
    ("markdown", re.compile(r"[*_#`~|][^*_#`~|]{0,20}|^\s*(?:[-+]|\d+[.)])\s")),
    ("a speaker label", re.compile(r"^\W*[A-Z][\w.-]*(?: [A-Z][\w.-]*)?\s?:(?=\s|$)|\b(?i:speaker ?\w?:)")),
    ("a path or slash", re.compile(r"\\|(?<!\d)/|/(?!\d)")),
)


def unspeakable(text: str) -> Iterator[tuple[str, str]]:
    """Each kind of thing in `text` that a voice cannot say, with the first place it was found.

    >>> list(unspeakable("Well (laughs), it's *great*"))
    [('a stage direction or bracket', '(laughs'), ('markdown', '*great')]
    >>> list(unspeakable("It's 1/2 past ten, Renée — or 24/7!"))
    []
    """
    found = dict(_by_pattern(text))
    named = "".join(found.values())
    for char in text:
        kind = _foreign(char)
        if kind and char not in named:
            found.setdefault(kind, f"U+{ord(char):04X}" if not char.isprintable() else char)
    yield from found.items()
    if not any(map(str.isalpha, text)) and not any(map(str.isdigit, text)):
        yield "no word at all", text[:20]


def _by_pattern(text: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in _PATTERNS:
        match = pattern.search(text)
        if match:
            yield kind, match.group()[:40]


def _foreign(char: str) -> str | None:
    """What is wrong with one character; None when a voice can say it or may skip it."""
    if char in PUNCTUATION or char in _IN_PATTERNS or (char.isascii() and char.isalnum()):
        return None
    category = unicodedata.category(char)
    if category.startswith("L"):
        return None if unicodedata.name(char, "").startswith("LATIN") else "another script"
    if category.startswith("M"):
        return "another script"
    if category.startswith(("C", "Z")):
        return "a control or invisible character"
    return "an emoji or symbol"


def plain(text: str, limit: int = 300) -> str:
    r"""User-given text made harmless for a prompt: one line, printable, no markup, at most `limit` characters.

    Templates receive it as a value and never compile it; what it says remains what the user wrote.

    >>> plain("a {{ 7*7 }} <speak>shop</speak>\u202e now\n[x, for: y]")
    'a 77 shop now x, for, y'
    """
    text = re.sub(r"</?[A-Za-z!?][^>]*>", "", unicodedata.normalize("NFKC", text))
    kept = (" " if char.isspace() else char for char in text)
    shown = "".join(char for char in kept if char.isprintable() and char not in "{}[]<>*_`#|\\~%^=@")
    return " ".join(shown.replace(":", ",").replace("/", " ").split())[:limit].strip()
