"""Words on a line, each as near to its onset as its neighbours leave room for."""

from collections.abc import Sequence

WIDE, NARROW = frozenset("mMwW—@%"), frozenset("iIjlft.,:;!'’|()r ")
GAP = 3.5
"""Room between two words [px]."""
EDGE = 4.0
"""Room at either end of a bar [px]."""


def drawn_width(text: str) -> float:
    """Width of a word at 11.5 px [px], rather too much than too little: fonts differ."""
    return sum(11.0 if c in WIDE else 4.6 if c in NARROW else 7.2 for c in text)


def placed(texts: Sequence[str], onsets: Sequence[float], start: float, end: float) -> list[tuple[float, float | None]]:
    """For each word its place and, where all are pressed to fit from `start` to `end`, its width [px].

    A word stands at its onset, or after the word before it; where the last ones would pass the end, they and
    those before them move back. Words that are too many for the bar are all pressed alike.

    >>> placed(["one", "two"], [10.0, 90.0], 10.0, 200.0)
    [(14.0, None), (94.0, None)]
    """
    widths = [drawn_width(text) for text in texts]
    room = max(1.0, end - start - 2 * EDGE - GAP * (len(texts) - 1))
    pressed = min(1.0, room / max(1.0, sum(widths)))
    fitted = [width * pressed for width in widths]
    places = _from_the_right(_from_the_left([x + EDGE for x in onsets], fitted, start + EDGE), fitted, end - EDGE)
    return [(round(x, 2), round(width, 1) if pressed < 1.0 else None) for x, width in zip(places, fitted, strict=True)]


def _from_the_left(onsets: Sequence[float], widths: Sequence[float], least: float) -> list[float]:
    places = []
    for onset, width in zip(onsets, widths, strict=True):
        places.append(max(onset, least))
        least = places[-1] + width + GAP
    return places


def _from_the_right(places: Sequence[float], widths: Sequence[float], most: float) -> list[float]:
    moved = []
    for place, width in zip(reversed(places), reversed(widths), strict=True):
        moved.append(min(place, most - width))
        most = moved[-1] - GAP
    return moved[::-1]
