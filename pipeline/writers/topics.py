"""The topic bank: authored points, one file a domain under `prompts/topics`, six topics a file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from pipeline.errors import InputError
from pipeline.records import TYPES, InteractionType, Record, Relation
from pipeline.records.base import first_fault
from pipeline.resources import resource
from pipeline.writers.reading import read_yaml

ROLES: Mapping[InteractionType, tuple[str, str, str]] = {
    "argumentative": ("pro", "con", "open"),
    "casual": ("first", "second", "third"),
    "collaborative": ("first", "second", "third"),
    "instructional": ("explainer", "learner", "other"),
    "narrative": ("teller", "listener", "other"),
    "task_oriented": ("lead", "mate", "third"),
}
"""The three parts of a topic of each type; the first opens the conversation."""

Does = Literal[
    "opens", "objects", "agrees", "asks", "answers", "tells", "adds", "explains", "checks", "proposes",
    "doubts", "jokes", "admits", "decides", "corrects", "reacts", "sums_up", "closes",
]  # fmt: skip
"""What a move does in the conversation."""

Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class CutIn(Record):
    """What another role blurts into a move while it is being said."""

    by: str
    say: str = Field(min_length=1, max_length=100)


class Aside(Record):
    """An authored point that fits almost anywhere in its topic: who makes it, what it does, and its words."""

    by: str
    does: Does
    say: str = Field(min_length=1, max_length=400)
    """What is said; spoken as it stands where the model's own words fail."""


class Move(Aside):
    """An authored point at its place in an exchange."""

    cut_in: CutIn | None = None

    @model_validator(mode="after")
    def _not_own(self) -> Self:
        if self.cut_in and self.cut_in.by == self.by:
            raise ValueError(f"role {self.by!r} cuts into its own move {self.say!r}")
        return self


class Topic(Record):
    """What one conversation is about, move by move."""

    slug: Slug
    domain: str
    type: InteractionType
    title: str
    setting: str
    roles: dict[str, str]
    """Stance and manner of each of the three parts."""
    relation: Relation | None = None
    """What the speakers are to each other."""
    exchanges: tuple[tuple[Move, ...], ...] = Field(min_length=2)
    """The first opens, the last closes; those between make sense when others are left out."""
    asides: tuple[Aside, ...] = ()
    """For turns that the chosen exchanges have no move for."""
    cut_ins: tuple[str, ...] = ()
    """For claims where no move has a cut-in of its own; anybody may say them at any place."""

    @model_validator(mode="after")
    def _roles_known(self) -> Self:
        if tuple(self.roles) != ROLES[self.type]:
            raise ValueError(f"roles {list(self.roles)} of type {self.type}: must be {list(ROLES[self.type])}")
        said = [(point.by, point.say) for point in (*self.moves, *self.asides)]
        for by, say in (*said, *((move.cut_in.by, move.say) for move in self.moves if move.cut_in)):
            if by not in self.roles:
                raise ValueError(f"unknown role {by!r} in move {say!r}: must be of {list(self.roles)}")
        return self

    @property
    def key(self) -> str:
        """The topic's name in a conversation spec: ``slug/type``."""
        return f"{self.slug}/{self.type}"

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves, in order."""
        return tuple(move for exchange in self.exchanges for move in exchange)


class Bank:
    """All topics, by key."""

    def __init__(self, topics: tuple[Topic, ...]) -> None:
        self._topics = {topic.key: topic for topic in topics}

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the domains, sorted."""
        return tuple(sorted({topic.domain for topic in self._topics.values()}))

    def keys(self, type: InteractionType | None = None, domain: str | None = None) -> tuple[str, ...]:
        """Keys of the topics of a type and domain (None: any), sorted."""
        return tuple(
            sorted(
                key
                for key, topic in self._topics.items()
                if type in (None, topic.type) and domain in (None, topic.domain)
            )
        )

    def topic(self, key: str) -> Topic:
        """The topic named `key`; InputError when the bank has none of that name."""
        if key not in self._topics:
            raise InputError(
                f"topic {key[:80]!r} is not in the topic bank: name one as DOMAIN_FILE/TYPE, such as "
                f"{next(iter(self._topics), 'none there')!r}, or write the script with script=whole"
            )
        return self._topics[key]


@cache
def load_bank(folder: Path | None = None) -> Bank:
    """The bank in the YAML files of `folder`; None: the shipped one.

    Raises
    ------
    InputError
        in one line that names the file, the place in it and what was found.

    """
    folder = folder or resource("prompts", "topics")
    return Bank(tuple(topic for path in sorted(folder.glob("*.yaml")) for topic in read_topics(path)))


def read_topics(path: Path) -> tuple[Topic, ...]:
    """The topics of one domain file; InputError names the fault."""
    data = read_yaml(path)
    topics = data.get("topics") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(topics, list):
        raise InputError(f"{path}: a topic file holds `domain` and a list `topics`")
    return tuple(_topic(path, data, entry, place) for place, entry in enumerate(topics))


def _topic(path: Path, data: dict[str, Any], entry: object, place: int) -> Topic:
    try:
        fields = dict(entry) if isinstance(entry, dict) else {"title": entry}
        return Topic.model_validate({"slug": path.stem, "domain": data.get("domain"), **fields})
    except ValidationError as error:
        raise InputError(f"{path}: topics.{place}: {first_fault(error)}") from None


assert set(ROLES) == set(TYPES)  # noqa: S101 - a type without roles is a mistake of this file
