"""Gate: the validator finds no fault: the floor's invariants hold, and the files agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.validate import corpus_faults

from .gate import Figure, Gate, Place, judged
from .limits import Limits

ASKS = "Do the floor's invariants hold, and do the files agree?"


@dataclass(frozen=True)
class Found:
    """What the validator says of one conversation."""

    conversation: str
    faults: tuple[str, ...]
    bounds: int
    """Bounds that were measured."""
    near: int
    """Those within `NEAR_S` of where they were planned."""


NEAR_S = 0.04


def find(corpus: Path) -> list[Found]:
    """Every conversation, by :mod:`pipeline.validate`."""
    return [
        Found(ident, tuple(map(str, faults)), len(away), sum(one <= NEAR_S for one in away))
        for ident, faults, away in corpus_faults(corpus)
    ]


def gate(found: Sequence[Found], limits: Limits) -> Gate:
    """All conversations of the corpus."""
    figure = Figure(
        what="faults",
        value=sum(len(one.faults) for one in found),
        side="at most",
        limit=limits.faults,
        n=len(found),
        of="conversations",
    )
    bounds, near = sum(one.bounds for one in found), sum(one.near for one in found)
    notes = [f"{100 * near / bounds:.1f} % of {bounds} bounds measured within {1000 * NEAR_S:g} ms of the plan."]
    places = [Place(conversation=one.conversation, says=fault) for one in found for fault in one.faults]
    return judged("validator", ASKS, [figure], places, notes if bounds else [])
