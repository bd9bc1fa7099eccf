"""Who follows whom on the floor: changes of holder, counted by order of entry and by part.

- **Order of entry**: the first speaker to hold the floor in a conversation is 1, the next new one 2, and so on.
- **Part**: what the speaker is in the topic, such as `pro` or `teller`; several may play the same.
"""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.records import Timeline

Change = tuple[str, str, str]
"""A group, what held the floor in it, and what held it next."""


@dataclass(frozen=True)
class Transitions:
    """Counted changes of holder."""

    by_entry: Counter[Change] = field(default_factory=Counter)
    """By number of speakers and order of entry."""
    by_part: Counter[Change] = field(default_factory=Counter)
    """By interaction type and part; speakers without a part are left out."""

    def __add__(self, other: "Transitions") -> "Transitions":
        """Both, pooled."""
        return Transitions(self.by_entry + other.by_entry, self.by_part + other.by_part)


@dataclass(frozen=True)
class Matrix:
    """The changes within one group: rows held the floor, columns held it next."""

    group: str
    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def shares(self) -> tuple[tuple[float, ...], ...]:
        """Of each row: the share of its changes that went to each column; rows without changes are nought."""
        return tuple(tuple(n / (sum(row) or 1) for n in row) for row in self.counts)


def transitions(timeline: Timeline, kind: str) -> Transitions:
    """The changes of holder of one conversation of interaction type `kind`."""
    holders = [turn.speaker for turn in timeline.turns]
    entered = {speaker: str(place) for place, speaker in enumerate(dict.fromkeys(holders), 1)}
    parts = {speaker.id: speaker.stance for speaker in timeline.speakers}
    changes = list(itertools.pairwise(holders))
    number = str(len(timeline.speakers))
    return Transitions(
        Counter((number, entered[before], entered[after]) for before, after in changes),
        Counter((kind, parts[b], parts[a]) for b, a in changes if parts[b] and parts[a]),
    )


def matrices(counted: Counter[Change], most: int = 6) -> list[Matrix]:
    """A matrix a group, in order of their names; of more than `most` rows, those with the most changes are shown."""
    return [_matrix(group, counted, most) for group in sorted({change[0] for change in counted})]


def _matrix(group: str, counted: Counter[Change], most: int) -> Matrix:
    mine = {change: n for change, n in counted.items() if change[0] == group}
    seen = Counter(_named(mine))
    names = tuple(sorted(name for name, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:most]))
    counts = tuple(tuple(mine.get((group, before, after), 0) for after in names) for before in names)
    return Matrix(group, names, counts)


def _named(changes: dict[Change, int]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for (_, before, after), n in changes.items():
        total[before] += n
        total[after] += n
    return dict(total)


def together(parts: Iterable[Transitions]) -> Transitions:
    """The changes of several conversations as those of one corpus."""
    return sum(parts, Transitions())
