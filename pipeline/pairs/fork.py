"""Where two timelines part: the first sample at which their sound may differ, and what follows for measuring."""

from collections.abc import Iterator

from pipeline.records import Segment, Timeline
from pipeline.samples import to_samples

CUT_FADE_S = 0.01
"""A fork lies this long before a cut-off, so that the fade there comes after it."""


def fork_of(a: Timeline, b: Timeline) -> int:
    """The first sample at which the sound of two planned timelines may differ; their end where it nowhere does.

    Sounds are the same where the same stretch of the same synthesis is laid at the same sample; where one is laid
    longer than the other, they are up to where the shorter one begins to close.
    """
    return min((*_apart(a, b), *_apart(b, a)), default=min(a.n_samples, b.n_samples))


def _apart(one: Timeline, other: Timeline) -> Iterator[int]:
    """Where each segment of `one` begins to differ from what `other` has there."""
    theirs = {(s.channel, s.utterance_id, s.origin + s.lay.start): s for s in other.segments}
    for segment in one.segments:
        start = segment.origin + segment.lay.start
        twin = theirs.get((segment.channel, segment.utterance_id, start))
        if twin is None or not _begin_alike(one, segment, other, twin):
            yield start
        elif (segment.source.end, segment.lay.end) != (twin.source.end, twin.lay.end):
            yield min(_closing(segment), _closing(twin))


def _begin_alike(one: Timeline, segment: Segment, other: Timeline, twin: Segment) -> bool:
    same = (segment.origin, segment.source.start) == (twin.origin, twin.source.start)
    return same and one.utterance(segment.utterance_id) == other.utterance(twin.utterance_id)


def _closing(segment: Segment) -> int:
    """Where a segment begins to fade: over the near-silence after its speech, or shortly before it is cut."""
    cut = segment.lay.end == segment.source.end
    return segment.planned.end - (to_samples(CUT_FADE_S) if cut else 0)


def sounds_at(segment: Segment, fork: int) -> bool:
    """Whether sample `fork` lies inside what is laid for a segment, after its first one."""
    return segment.origin + segment.lay.start < fork < segment.origin + segment.lay.end


def before_fork(segment: Segment, timeline: Timeline) -> int | None:
    """How much of what is laid for a segment comes before the fork of its pair [samples]; None unless it parts it."""
    if timeline.pair is None or not sounds_at(segment, timeline.pair.fork):
        return None
    return timeline.pair.fork - segment.origin - segment.lay.start


def spoken_in(utterance_id: str, timeline: Timeline, first: Timeline | None) -> Timeline:
    """The timeline by which an utterance is spoken: its own, or member a's where it began before the fork.

    `first`: member a as planned, for its sibling; a sound that both have cannot be shaped in either one's own way.
    """
    own = _segments_of(utterance_id, timeline)
    early = any(segment.origin + segment.lay.start < shared_until(timeline) for segment in own)
    return first if first and early and _segments_of(utterance_id, first) else timeline


def spoken_as(utterance_id: str, timeline: Timeline, first: Timeline | None) -> list[Segment]:
    """The segments whose endings decide how an utterance sounds (see :func:`spoken_in`)."""
    return _segments_of(utterance_id, spoken_in(utterance_id, timeline, first))


def _segments_of(utterance_id: str, timeline: Timeline) -> list[Segment]:
    return [segment for segment in timeline.segments if segment.utterance_id == utterance_id]


def shared_until(timeline: Timeline) -> int:
    """The first sample that does not set the levels of a conversation: the fork of its pair, else its end."""
    return timeline.n_samples if timeline.pair is None else timeline.pair.fork


def active_until(segment: Segment, timeline: Timeline) -> int:
    """The end of a segment's activity, alike before the fork in both members, wherever it is cut after it."""
    parted = before_fork(segment, timeline) is not None
    return max(segment.bounds.end, shared_until(timeline)) if parted else segment.bounds.end
