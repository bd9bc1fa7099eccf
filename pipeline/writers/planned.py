"""A conversation before any line is voiced: points, the turns made of them, and who plays which part."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.records import ConversationSpec
from pipeline.writers.shapes import ASKING, LENGTH, REPLYING, SHAPES, Shape
from pipeline.writers.topics import CutIn, Does, Topic


@dataclass(frozen=True)
class Point:
    """One move of the bank, or a generic one, in somebody's mouth."""

    speaker: str
    does: Does
    say: str
    cut_in: CutIn | None = None
    words: int = 0
    """How many words it shall have."""
    filler: bool = False
    """Whether it stands where the chosen exchanges left a gap."""


@dataclass(frozen=True)
class PlannedClaim:
    """A claim that cuts into a turn."""

    speaker: str
    say: str
    """Its authored words; empty: any that suit the type."""


@dataclass
class PlannedTurn:
    """A turn: one point or several by the same speaker, and the claims that cut in."""

    points: list[Point]
    claims: list[PlannedClaim] = field(default_factory=list)

    @property
    def speaker(self) -> str:
        """Who has the turn."""
        return self.points[0].speaker

    @property
    def weight(self) -> float:
        """How long it is beside others."""
        return sum(LENGTH[point.does] for point in self.points)

    @property
    def asks(self) -> bool:
        """Whether it ends in a question."""
        return self.points[-1].does in ASKING

    @property
    def replies(self) -> bool:
        """Whether it begins with a reply to the turn before."""
        return self.points[0].does in REPLYING


@dataclass(frozen=True)
class Cast:
    """The speakers of a conversation in the roles of its topic."""

    spec: ConversationSpec
    topic: Topic
    roles: dict[str, list[str]]

    @property
    def shape(self) -> Shape:
        """The rules of the type."""
        return SHAPES[self.spec.type]

    @property
    def everyone(self) -> list[str]:
        """Ids of all speakers."""
        return [speaker.id for speaker in self.spec.speakers]

    @property
    def mains(self) -> set[str]:
        """Those who tell or explain; none in types without such a part."""
        return set(self.roles[self.shape.main]) if self.shape.main else set()

    def mates(self, who: str) -> list[str]:
        """Everybody in the role of `who`."""
        return next((ids for ids in self.roles.values() if who in ids), [])


def cast_of(spec: ConversationSpec, topic: Topic) -> Cast:
    """The speakers by their stance; in order, where a stance is no role or nobody opens or answers."""
    roles: dict[str, list[str]] = {role: [] for role in topic.roles}
    for speaker in spec.speakers:
        if speaker.stance in roles:
            roles[speaker.stance].append(speaker.id)
    first, second, third = topic.roles
    if sum(map(len, roles.values())) == len(spec.speakers) and roles[first] and roles[second]:
        return Cast(spec, topic, roles)
    again = (second, third) if SHAPES[topic.type].main else (first, second, third)
    order = (first, second, third, *again * len(spec.speakers))
    roles = {role: [] for role in topic.roles}
    for speaker, role in zip(spec.speakers, order, strict=False):
        roles[role].append(speaker.id)
    return Cast(spec, topic, roles)


def times_heard(turns: Sequence[PlannedTurn]) -> Counter[str]:
    """How many turns each speaker has."""
    return Counter(turn.speaker for turn in turns)
