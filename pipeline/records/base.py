"""What every record shares: frozen, typed, no unknown field, JSON both ways, a published schema."""

import json
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.errors import InputError


class Record(BaseModel):
    """Base of all records; equal values compare equal and dump to the same bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def to_json(self, indent: int | None = 1) -> str:
        """The record as JSON, fields in the order of the class, ending in a newline."""
        data = self.model_dump(mode="json", exclude_none=True)
        return json.dumps(data, indent=indent, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, place: str = "record") -> Self:
        """Read back what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            in one line that names `place`, the field and what was found.

        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise InputError(f"{place}: not a valid {cls.__name__}: {first_fault(error)}") from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """The record in the file at `path`; InputError when there is none or it is not valid."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read ({error}); give the path of a {cls.__name__}") from None
        return cls.from_json(text, str(path))

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON schema that the record is published under."""
        return cls.model_json_schema(mode="serialization")


def first_fault(error: ValidationError) -> str:
    """The first violation of a pydantic error as 'place: message (found value)'."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(map(str, fault["loc"])) or "whole"
    found = repr(fault.get("input"))
    said = fault["msg"].removeprefix("Value error, ")  # pydantic's own word before what a validator says
    return f"{place}: {said} (found {found[:80]}{'…' if len(found) > 80 else ''})"
