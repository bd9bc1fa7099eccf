"""Spoken text that remembers which characters of the written text each part of it stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

OPENING_MARKS = ".,;:?!—- "
"""What an utterance cannot start with."""
CLOSE_UP = tuple(",.;:?!—)")
"""Marks that no space stands before."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of text: characters of the written text, and what is spoken in their place."""

    start: int
    end: int
    spoken: str


@dataclass(frozen=True)
class Spoken:
    """Spoken text, and the stretches of the written text that it stands for, in order."""

    text: str
    stretches: tuple[Stretch, ...]

    def spoken_range(self, start: int, end: int) -> tuple[float, float] | None:
        """Characters of the spoken text that stand for characters `start` to `end` of the written text.

        Inside a replaced stretch they are apportioned by length. None when nothing of it is spoken.
        """
        found = []
        at = 0
        for stretch in self.stretches:
            low, high = max(start, stretch.start), min(end, stretch.end)
            if low < high:
                scale = len(stretch.spoken) / (stretch.end - stretch.start)
                found.append((at + (low - stretch.start) * scale, at + (high - stretch.start) * scale))
            at += len(stretch.spoken)
        return (found[0][0], found[-1][1]) if found else None


def text_of(stretches: Sequence[Stretch]) -> str:
    """What the stretches say, one after the other."""
    return "".join(stretch.spoken for stretch in stretches)


def chained(first: Sequence[Stretch], second: Sequence[Stretch]) -> list[Stretch]:
    """Two steps as one: `second` replaces stretches of what `first` says; both leave out nothing.

    >>> chained([Stretch(0, 2, "ab"), Stretch(2, 3, "c")], [Stretch(0, 1, "a"), Stretch(1, 3, "X")])
    [Stretch(start=0, end=3, spoken='aX')]
    """
    found: list[Stretch] = []
    at, rest = 0, list(second)[::-1]
    open_from: int | None = None
    said = ""
    for stretch in first:
        at += len(stretch.spoken)
        open_from = stretch.start if open_from is None else open_from
        while rest and rest[-1].end <= at:
            said += rest.pop().spoken
        if not rest or rest[-1].start >= at:
            found.append(Stretch(open_from, stretch.end, said))
            open_from, said = None, ""
    return found


def tidy(stretches: Sequence[Stretch]) -> Spoken:
    """One space between words, none at the ends or before a mark; only stretches with sound are kept.

    >>> tidy([Stretch(0, 1, " "), Stretch(1, 2, "a"), Stretch(2, 4, "  "), Stretch(4, 5, ",")]).text
    'a,'
    """
    kept: list[Stretch] = []
    last = ""
    for stretch in stretches:
        spoken = _single_spaced(stretch.spoken, last or " ")
        if not last:
            spoken = spoken.lstrip(OPENING_MARKS)
        if spoken.startswith(CLOSE_UP):
            _drop_last_space(kept)
        if spoken:
            kept.append(stretch if spoken == stretch.spoken else replace(stretch, spoken=spoken))
            last = spoken[-1]
    _drop_last_space(kept)
    return Spoken(text_of(kept), tuple(kept))


def _single_spaced(text: str, before: str) -> str:
    """The text without a space that follows another, or that stands before a mark."""
    kept = ""
    for char in text:
        if char == " " and (kept or before)[-1] == " ":
            continue
        if char in CLOSE_UP and kept.endswith(" "):
            kept = kept[:-1]
        kept += char
    return kept


def _drop_last_space(kept: list[Stretch]) -> None:
    if kept and kept[-1].spoken.endswith(" "):
        last = kept.pop()
        if len(last.spoken) > 1:
            kept.append(replace(last, spoken=last.spoken[:-1]))
