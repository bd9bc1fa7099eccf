"""Generic points, cut-ins and openers, for where the topic bank has none."""

from functools import cache
from typing import Literal

from pipeline.records import InteractionType, Record
from pipeline.resources import resource
from pipeline.writers.reading import read_record
from pipeline.writers.topics import Does

Manner = Literal["against", "along", "asking", "telling", "light"]


class Reaction(Record):
    """A point that fits almost anywhere in conversations of its type."""

    by: Literal["main", "listener", "any"]
    does: Does
    say: str


class Reactions(Record):
    """All of them, by type."""

    reactions: dict[InteractionType, tuple[Reaction, ...]]
    cut_ins: dict[InteractionType, tuple[str, ...]]
    openers: dict[Manner, tuple[str, ...]]


@cache
def load_reactions() -> Reactions:
    """The shipped ones; InputError names a fault in the file."""
    return read_record(resource("prompts", "reactions.yaml"), Reactions)
