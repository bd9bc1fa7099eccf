"""Reads the catalogues of `noise/`: what scenes and effects are made of, as typed recipes."""

from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.errors import InputError
from pipeline.records.base import first_fault
from pipeline.resources import resource


class Recipe(BaseModel):
    """Base of what a catalogue holds: frozen, no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid")


R = TypeVar("R", bound=Recipe)


def read_catalogue(path: Path, kind: type[R]) -> R:
    """The catalogue in the YAML file at `path`; InputError in one line when it is not a valid one."""
    try:
        return kind.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise InputError(f"{path}: not a valid {kind.__name__}: {first_fault(error)}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None


def shipped(name: str, kind: type[R]) -> R:
    """The catalogue that the installation carries under `noise/`, read once."""
    return cast(R, _shipped(name, kind))


@cache
def _shipped(name: str, kind: type[Recipe]) -> Recipe:
    return read_catalogue(resource("noise", name), kind)
