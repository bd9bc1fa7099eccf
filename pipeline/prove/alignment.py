"""Gate: logged times are those of the sound, by forced alignment of the words and by the energy of each stretch.

The aligner's own bias is measured on phrases of the same corpus that are laid at known samples, and at sibilants
(:mod:`pipeline.boundaries`), and taken off.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pipeline.boundaries.figures import biases, corrected, row
from pipeline.boundaries.judging import knows
from pipeline.boundaries.known import TOGETHER, tracks
from pipeline.boundaries.landmarks import with_landmarks
from pipeline.boundaries.logged import Channels, outer_errors, stated_words
from pipeline.boundaries.sphinx import Sphinx
from pipeline.boundaries.stated import Mark, Stated, heard, marks
from pipeline.records import Segment
from pipeline.speech.backend import Floats

from .gate import Figure, Gate, Place, judged, place, share
from .limits import Limits
from .reading import Conversation

ASKS = "Are logged times those of the sound?"
LEAST_MARKS = 20
"""A channel with fewer word edges heard has no median to speak of."""


@dataclass(frozen=True)
class Found:
    """What one conversation shows."""

    known: tuple[Mark, ...]
    """At known places: the aligner's own errors."""
    logged: tuple[Mark, ...]
    """At logged places; `where` is the segment's number in `places`."""
    outer: tuple[tuple[int, float, float], ...]
    """Of each segment: its number, and logged less found onset and offset by energy [ms]."""
    places: tuple[Place, ...]
    """Of each segment of the timeline."""


@cache
def _aligner() -> Sphinx:
    """The aligner, opened once a process."""
    return Sphinx()


def find(conversation: Conversation, seed: int) -> Found:
    """Word edges and outer bounds of all segments; phrases with known bounds are drawn by `seed`."""
    timeline, aligner = conversation.timeline, _aligner()
    number = {f"{timeline.conversation_id} {segment.id}": str(n) for n, segment in enumerate(timeline.segments)}
    channels = _channels(conversation)
    stated = [one for one in stated_words(timeline, channels) if knows(aligner, one)]
    known, logged = list[Mark](), list[Mark]()
    for one in stated:
        spans = heard(one, aligner)
        logged += (replace(mark, where=number[one.where]) for mark in marks(one, spans))
        known += marks(with_landmarks(one), spans)
    known += _beside_silence(stated, seed)
    outer = [(n, onset, offset) for n, (_, onset, offset) in enumerate(outer_errors(timeline, channels))]
    places = [place(timeline, segment.speaker, segment.bounds.start, segment.id) for segment in timeline.segments]
    return Found(tuple(known), tuple(logged), tuple(outer), tuple(places))


def _channels(conversation: Conversation) -> Channels:
    def channel(segment: Segment) -> Floats:
        return conversation.clean[segment.speaker]

    return channel


def _beside_silence(stated: Sequence[Stated], seed: int) -> Iterator[Mark]:
    """The aligner's errors on phrases with pauses between them; a track for each voice."""
    for voice in sorted({one.voice for one in stated}):
        for track in tracks([one for one in stated if one.voice == voice], seed, TOGETHER):
            if not track.abutting:
                found = marks(track.stated, heard(track.stated, _aligner()))
                yield from (mark for mark in found if not mark.in_speech)


def gate(found: Sequence[Found], limits: Limits) -> Gate:
    """All word edges and outer bounds of the corpus."""
    bias = biases(mark for one in found for mark in one.known)
    edges = [(one.places[int(mark.where)], mark.error_ms) for one in found for mark in corrected(one.logged, bias)]
    outer = [(one.places[n], error) for one in found for n, *errors in one.outer for error in errors]
    figures, late = list[Figure](), list[tuple[float, Place]]()
    if edges:
        figures += _words(edges, limits)
    if outer:
        within = sum(abs(error) <= limits.outer_ms for _, error in outer)
        figures.append(
            Figure(
                what=f"bounds of speech within {limits.outer_ms:g} ms of its energy's",
                value=share(within, len(outer)),
                unit="%",
                side="at least",
                limit=limits.outer_within,
                n=len(outer),
                of="bounds",
            )
        )
    channels = _by_channel(edges)
    if channels:
        figures.append(
            Figure(
                what="median error of the channel that is farthest off",
                value=round(abs(channels[0][0]), 1),
                unit="ms",
                side="at most",
                limit=limits.channel_off_ms,
                n=len(channels),
                of="channels",
            )
        )
        late = [one for one in channels if abs(one[0]) > limits.channel_off_ms]
    far = [*map(_late, late), *_far_bounds(outer, limits)]
    return judged("alignment", ASKS, figures, far or map(_late, channels[:1]))


def _words(edges: Sequence[tuple[Place, float]], limits: Limits) -> Iterator[Figure]:
    found = row([error for _, error in edges])
    n = len(edges)
    yield Figure(
        what="median error of word times",
        value=abs(found.median_ms),
        unit="ms",
        side="at most",
        limit=limits.words_off_ms,
        n=n,
        of="word edges",
    )
    yield Figure(
        what="word times within 60 ms of the aligner's",
        value=round(100 * found.within_60, 2),
        unit="%",
        side="at least",
        limit=limits.words_within_60,
        n=n,
        of="word edges",
    )


def _by_channel(edges: Sequence[tuple[Place, float]]) -> list[tuple[float, Place]]:
    """Median error of each channel with enough word edges, and where it starts to speak; the farthest off first."""
    errors = defaultdict[tuple[str, str], list[tuple[Place, float]]](list)
    for at, error in edges:
        errors[at.conversation, at.speaker].append((at, error))
    found = [
        (float(np.median([error for _, error in some])), min((at for at, _ in some), key=lambda at: at.at_s or 0.0))
        for some in errors.values()
        if len(some) >= LEAST_MARKS
    ]
    return sorted(found, key=lambda one: -abs(one[0]))


def _late(channel: tuple[float, Place]) -> Place:
    """A channel with its median error, as a place."""
    error_ms, at = channel
    side = "is behind" if error_ms > 0 else "is ahead of"
    return at.model_copy(update={"says": f"log {side} its words by {abs(error_ms):.0f} ms"})


def _far_bounds(outer: Sequence[tuple[Place, float]], limits: Limits) -> Iterator[Place]:
    """Bounds that energy finds elsewhere, the farthest first; named where there are too many of them."""
    far = [(at, error) for at, error in outer if abs(error) > limits.outer_ms]
    if share(len(outer) - len(far), max(1, len(outer))) >= limits.outer_within:
        return
    for at, error in sorted(far, key=lambda one: -abs(one[1])):
        side = "after" if error > 0 else "before"
        says = "nothing sounds" if math.isinf(error) else f"a bound {abs(error):.0f} ms {side} its sound's"
        yield at.model_copy(update={"says": f"{at.says}: {says}"})
