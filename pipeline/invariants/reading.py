"""What the invariants read off a timeline, and how they name it in a message."""

from collections.abc import Iterator

from pipeline.records import Record, Segment, Span, Timeline, Turn
from pipeline.samples import to_seconds


class Rules(Record):
    """What a corpus may configure of the invariants."""

    max_words: int = 3
    """Most words of a backchannel (table 2 of the paper)."""
    tail_s: float = 3.0
    """Least silence after the last offset [s], so that a final yield can be found in its window."""
    latch_s: float = 0.25
    """Most overlap of a hand-over that is no interruption [s]: 0.12 planned (table 17), and measuring."""


def when(timeline: Timeline, *samples: int) -> str:
    """Times for a message: '2.800 s' or '2.800 to 3.600 s'."""
    return " to ".join(f"{to_seconds(sample, timeline.rate):.3f}" for sample in samples) + " s"


def name_of(segment: Segment, timeline: Timeline) -> str:
    """A segment for a message: id, speaker and times."""
    return f"segment {segment.id} of {segment.speaker} ({when(timeline, segment.bounds.start, segment.bounds.end)})"


def first_of(timeline: Timeline, turn: Turn) -> Segment:
    """The segment that a turn starts with."""
    return timeline.segment(turn.segments[0])


def last_of(timeline: Timeline, turn: Turn) -> Segment:
    """The segment that a turn ends with."""
    return timeline.segment(turn.segments[-1])


def extent_of(timeline: Timeline, turn: Turn) -> Span:
    """From the first onset of a turn to its last offset, pauses included."""
    return Span(start=first_of(timeline, turn).bounds.start, end=last_of(timeline, turn).bounds.end)


def with_role(timeline: Timeline, *roles: str) -> Iterator[Segment]:
    """The segments that are one of `roles` to the floor."""
    return (segment for segment in timeline.segments if segment.role in roles)


def possession(timeline: Timeline) -> dict[str, Span]:
    """When each turn holds the floor, worked out from sound and entries alone, in order of the turns.

    A turn takes the floor at the cut-off of the turn that it interrupts, else at its own onset; it has it
    until its own offset or until the next turn takes it.
    """
    taken: list[int] = []
    cut = 0
    for turn in timeline.turns:
        extent = extent_of(timeline, turn)
        taken.append(cut if turn.entry == "interruption" else extent.start)
        cut = extent.end
    held = {}
    for turn, start, following in zip(timeline.turns, taken, [*taken[1:], None], strict=True):
        stop = extent_of(timeline, turn).end
        end = stop if following is None else min(stop, following)
        held[turn.id] = Span(start=start, end=max(start, end))
    return held
