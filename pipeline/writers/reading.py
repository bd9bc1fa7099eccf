"""Reads the YAML files that writers work from, as records."""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import ValidationError

from pipeline.errors import InputError
from pipeline.records import Record
from pipeline.records.base import first_fault

_Kind = TypeVar("_Kind", bound=Record)


def read_yaml(path: Path) -> object:
    """What a YAML file holds; InputError when it cannot be read."""
    # libyaml reads the whole topic bank in a fifth of a second; the pure reader takes ten times as long.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - both loaders are safe ones
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not a readable YAML file ({error})") from None


def read_record(path: Path, kind: type[_Kind]) -> _Kind:
    """The record in a YAML file; InputError names the fault."""
    try:
        return kind.model_validate(read_yaml(path))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}") from None
