"""From marks to figures: how far stated times lie from heard ones, once the aligner's bias is taken off."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.records import Record

from .stated import Kind, Mark

GROUPS: Mapping[str, tuple[Kind, ...]] = {
    **{kind.value: (kind,) for kind in Kind},
    "word onsets": (Kind.ONSET_AFTER_SILENCE, Kind.ONSET_IN_SPEECH),
    "word offsets": (Kind.OFFSET_IN_SPEECH, Kind.OFFSET_BEFORE_SILENCE),
    "all word times": tuple(Kind),
}
"""Rows of a table."""


class Row(Record):
    """Distribution of errors [ms] and the shares that lie within so many milliseconds of zero."""

    n: int
    median_ms: float
    p5_ms: float
    p95_ms: float
    within_15: float
    within_30: float
    within_60: float


class Judged(Record):
    """What one aligner says."""

    own: dict[str, Row]
    """Its own errors on known boundaries: known less heard, by kind; the medians are its bias."""
    own_spread: dict[str, Row]
    """The same with the bias taken off: what the aligner cannot tell."""
    seams: dict[str, Row]
    """Known less heard where phrases were joined without a pause: for comparison, since no fluent speech ends so."""
    logged: dict[str, Row]
    """Logged less heard, the bias of each kind taken off, by kind and together."""
    voices: dict[str, Row]
    """The same of all word times, by voice."""
    words: int
    """Words judged."""
    left_out: int
    """Words of segments in which it did not know a word or found no alignment."""


class Figures(Record):
    """All that the command measures."""

    seed: int
    material: str
    outer: dict[str, Row]
    """Logged less found outer bounds of segments, by energy."""
    landmarks: dict[str, Row]
    """Logged less found word boundaries where a sibilant shows them; no aligner is asked."""
    aligners: dict[str, Judged]


def row(errors_ms: Sequence[float]) -> Row:
    """Figures of at least one error.

    >>> row([-20.0, 0.0, 10.0, 70.0]).within_60
    0.75
    """
    errors = np.asarray(errors_ms, np.float64)
    low, middle, high = np.percentile(errors, [5, 50, 95])
    within = [float(np.mean(np.abs(errors) <= limit)) for limit in (15, 30, 60)]
    return Row(
        n=len(errors),
        median_ms=round(float(middle), 1),
        p5_ms=round(float(low), 1),
        p95_ms=round(float(high), 1),
        within_15=round(within[0], 4),
        within_30=round(within[1], 4),
        within_60=round(within[2], 4),
    )


def biases(known: Iterable[Mark]) -> dict[Kind, float]:
    """Median error of an aligner on known boundaries, by kind [ms]."""
    known = list(known)
    found = {kind: [mark.error_ms for mark in known if mark.kind == kind] for kind in Kind}
    return {kind: float(np.median(errors)) for kind, errors in found.items() if errors}


def corrected(marks: Iterable[Mark], bias: Mapping[Kind, float]) -> list[Mark]:
    """The marks as an aligner without bias would have left them."""
    return [replace(mark, error_ms=mark.error_ms - bias[mark.kind]) for mark in marks if mark.kind in bias]


def judged(known: Sequence[Mark], logged: Sequence[Mark], seams: Sequence[Mark] = (), left_out: int = 0) -> Judged:
    """Figures of one aligner from its marks on known boundaries, on logged ones and at seams."""
    bias = biases(known)
    found = corrected(logged, bias)
    return Judged(
        own=grouped(known),
        own_spread=grouped(corrected(known, bias)),
        seams={kind.value: row(errors) for kind in Kind if (errors := [m.error_ms for m in seams if m.kind == kind])},
        logged=grouped(found),
        voices={
            voice: row([mark.error_ms for mark in found if mark.voice == voice])
            for voice in sorted({mark.voice for mark in found})
        },
        words=len(logged) // 2,
        left_out=left_out,
    )


def grouped(marks: Sequence[Mark]) -> dict[str, Row]:
    """A row for each group that has marks."""
    errors = {name: [mark.error_ms for mark in marks if mark.kind in kinds] for name, kinds in GROUPS.items()}
    return {name: row(found) for name, found in errors.items() if found}
