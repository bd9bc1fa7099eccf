"""What no line may hold whatever it says: names of people alive today, and coarse words."""

import re
from collections.abc import Iterator
from functools import cache

from pipeline.records import Record
from pipeline.resources import resource
from pipeline.writers.reading import read_record


class _Barred(Record):
    persons: tuple[str, ...]
    known_by_one_name: tuple[str, ...]
    profanity: tuple[str, ...]


def real_persons(text: str) -> Iterator[str]:
    """Names in `text` of living people whom everybody knows, as the shipped list has them.

    >>> list(real_persons("I met Tom Hanks's dentist, and Tom's dog trumped us all."))
    ['Tom Hanks']
    """
    yield from (match.group() for match in _persons().finditer(text))


def coarse_words(text: str) -> Iterator[str]:
    """Coarse words in `text`.

    >>> list(coarse_words("Well, shit, the Shitake are gone."))
    ['shit']
    """
    yield from (match.group() for match in _profanity().finditer(text))


@cache
def _barred() -> _Barred:
    return read_record(resource("prompts", "barred.yaml"), _Barred)


@cache
def _persons() -> re.Pattern[str]:
    names = _items(_barred().persons) + _items(_barred().known_by_one_name)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


@cache
def _profanity() -> re.Pattern[str]:
    words = [re.escape(word).replace(r"\*", r"\w*") for word in _items(_barred().profanity)]
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


def _items(lines: tuple[str, ...]) -> list[str]:
    """The items of all lines, the longest first, so that a name is found whole."""
    return sorted((item.strip() for line in lines for item in line.split(";")), key=len, reverse=True)
