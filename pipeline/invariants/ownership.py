"""Who holds the floor when: the track is whole, and it is the one that the turns imply."""

import itertools
from collections.abc import Iterator

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, possession, when
from pipeline.records import Timeline


def one_holder(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The track covers every sample once; neighbours differ."""
    at: int = 0
    for holding in timeline.ownership:
        if holding.start != at or holding.end <= holding.start:
            yield FloorError(
                "one-holder",
                f"the interval of {holding.holder or 'nobody'} is {when(timeline, holding.start, holding.end)}; "
                f"the one before ends at {when(timeline, at)}",
            )
        at = holding.end
    if at != timeline.n_samples:
        yield FloorError(
            "one-holder",
            f"ownership ends at {when(timeline, at)}, the conversation at {when(timeline, timeline.n_samples)}",
        )
    for one, other in itertools.pairwise(timeline.ownership):
        if one.holder == other.holder:
            yield FloorError(
                "one-holder", f"{one.holder or 'nobody'} holds twice in a row at {when(timeline, one.end)}"
            )


def ownership_rule(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """The track is the one that turns and sound imply."""
    stated = [(h.holder, h.start, h.end) for h in timeline.ownership]
    for due, found in itertools.zip_longest(_implied(timeline), stated):
        if due != found:
            yield FloorError(
                "ownership-rule",
                f"the track says {_interval(timeline, found)} where the turns give {_interval(timeline, due)}",
            )
            return


def _implied(timeline: Timeline) -> Iterator[tuple[str | None, int, int]]:
    at = 0
    for ident, span in possession(timeline).items():
        if span.start > at:
            yield None, at, span.start
        yield timeline.turn(ident).speaker, span.start, span.end
        at = span.end
    if at < timeline.n_samples:
        yield None, at, timeline.n_samples


def _interval(timeline: Timeline, item: tuple[str | None, int, int] | None) -> str:
    return "nothing" if item is None else f"{item[0] or 'nobody'} {when(timeline, *item[1:])}"
