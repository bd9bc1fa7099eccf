"""Generic points, cut-ins and openers, for where the topic bank has none."""

from functools import cache
from typing import Literal

import yaml
from pydantic import ValidationError

from pipeline.errors import InputError
from pipeline.records import InteractionType, Record
from pipeline.records.base import first_fault
from pipeline.resources import resource
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
    path = resource("prompts", "reactions.yaml")
    try:
        return Reactions.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from None
