"""What a gate says: what it measured, the limits, where it failed."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pipeline.records import Record, Timeline
from pipeline.samples import to_seconds

Outcome = Literal["pass", "FAIL", "not judged"]
SHOWN = 20
"""Places that a gate names at most."""


class Place(Record):
    """Somewhere in a corpus that a person can look up."""

    conversation: str = ""
    """Empty: the corpus as a whole."""
    speaker: str = ""
    at_s: float | None = None
    """[s] from the start of the conversation."""
    says: str

    def __str__(self) -> str:
        """The place as one line."""
        at = "" if self.at_s is None else f"at {self.at_s:.2f} s"
        return f"{' '.join(filter(None, (self.conversation, self.speaker, at)))}: {self.says}".removeprefix(": ")


class Figure(Record):
    """One measurement beside its limit."""

    what: str
    value: float
    unit: str = ""
    side: Literal["at most", "at least"]
    limit: float
    n: int
    """How many of what was measured it rests on."""
    of: str
    """What these are."""

    @property
    def holds(self) -> bool:
        """Whether the value keeps to the limit."""
        return self.value <= self.limit if self.side == "at most" else self.value >= self.limit


class Gate(Record):
    """One question to a corpus, answered."""

    name: str
    asks: str
    outcome: Outcome
    figures: tuple[Figure, ...] = ()
    places: tuple[Place, ...] = ()
    """Where it failed; where it passed, what came nearest to it. The worst first."""
    more: int = 0
    """Places that are not named."""
    notes: tuple[str, ...] = ()


def judged(
    name: str, asks: str, figures: Sequence[Figure], places: Iterable[Place] = (), notes: Sequence[str] = ()
) -> Gate:
    """A gate that fails with any of its figures; without figures it is not judged, and `notes` say why."""
    outcome: Outcome = "not judged" if not figures else "pass" if all(one.holds for one in figures) else "FAIL"
    found = list(places)
    return Gate(
        name=name,
        asks=asks,
        outcome=outcome,
        figures=tuple(figures),
        places=tuple(found[:SHOWN]),
        more=max(0, len(found) - SHOWN),
        notes=tuple(notes),
    )


def failed(gate: Gate, what: str, places: Sequence[Place], of: int) -> Gate:
    """The gate, failed by `places`, which come first; `of`: conversations there are."""
    figure = Figure(what=what, value=len(places), side="at most", limit=0, n=of, of="conversations")
    shown = gate.places if gate.outcome == "FAIL" else ()
    found = judged(gate.name, gate.asks, (*gate.figures, figure), (*places, *shown), gate.notes)
    return found.model_copy(update={"more": found.more + gate.more})


def place(timeline: Timeline, speaker: str, sample: int, says: str) -> Place:
    """A place on a speaker's channel."""
    return Place(
        conversation=timeline.conversation_id, speaker=speaker, at_s=to_seconds(sample, timeline.rate), says=says
    )


def share(part: int, whole: int) -> float:
    """Per cent.

    >>> share(1, 3)
    33.33
    """
    return round(100 * part / whole, 2)
