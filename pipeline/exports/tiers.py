"""A conversation as tiers, for annotation editors: intervals that neither overlap nor are empty, as Praat and ELAN ask.

What would overlap within a tier goes to a further one, named after it with a number; what is shorter than the least
interval is given that length. Nothing is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.exports.speech import said
from pipeline.loader import Conversation
from pipeline.records import EVENT_KINDS, Event


@dataclass(frozen=True)
class Mark:
    """A labelled interval [samples]."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Tier:
    """Marks in order of time; `speaker` is empty for what belongs to all."""

    name: str
    speaker: str
    marks: tuple[Mark, ...]


def tiers(conversation: Conversation, least: int) -> list[Tier]:
    """Who holds the floor; then for each speaker words, segments, and a tier for each kind of event that occurs.

    Parameters
    ----------
    conversation
        The conversation.
    least
        The shortest interval that the format can hold [samples].

    """
    timeline, total = conversation.timeline, conversation.n_samples
    floor = [Mark(span.start, span.end, span.holder) for span in timeline.ownership if span.holder]
    found = list(_rows("floor", "", floor, least, total))
    spoken = said(timeline)
    for one in (speaker.id for speaker in timeline.speakers):
        own = [part for part in spoken if part.speaker == one]
        words = [Mark(word.start, word.end, word.text) for part in own for word in part.words]
        found += _rows(f"{one} words", one, words, least, total)
        found += _rows(f"{one} speech", one, [Mark(part.start, part.end, part.text) for part in own], least, total)
        for kind in EVENT_KINDS:
            events = [event for event in conversation.events if (event.speaker, event.kind) == (one, kind)]
            marks = [Mark(event.onset, event.offset, label(event) or event.id) for event in events]
            found += _rows(f"{one} {kind}", one, marks, least, total)
    return found


def label(event: Event) -> str:
    """The words of an event on one line; none for a hold, which is a pause."""
    return "" if event.kind == "turn_hold" else " ".join(event.text.split())


def _rows(name: str, speaker: str, marks: Iterable[Mark], least: int, total: int) -> Iterator[Tier]:
    rows: list[list[Mark]] = []
    for mark in sorted((_widened(mark, least, total) for mark in marks), key=lambda mark: (mark.start, mark.end)):
        row = next((row for row in rows if row[-1].end <= mark.start), None)
        if row is None:
            rows.append([mark])
        else:
            row.append(mark)
    for number, row in enumerate(rows, 1):
        yield Tier(name if number == 1 else f"{name} {number}", speaker, tuple(row))


def _widened(mark: Mark, least: int, total: int) -> Mark:
    start = max(0, min(mark.start, total - least))
    return Mark(start, max(mark.end, start + least), mark.text)
