"""JSON schemas of the configuration's files, by which an editor completes keys and marks what is wrong.

They are those of the records, with what is true of files alone: every key may be left out, since a file stands on
another one, and Hydra's own keys are allowed.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.editor.docstrings import summary
from pipeline.editor.groups import GROUPS, ROOT, record_of
from pipeline.editor.meaning import meaning
from pipeline.records import Record
from pipeline.workspace import write_text

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_HYDRA = {
    "defaults": {
        "type": "array",
        "description": "Files that this one stands on: a name, or group: choice; _self_ is this file's own place.",
    }
}
_TEXT = {"type": "string"}
_ALSO: dict[tuple[str, str], tuple[dict[str, str], ...]] = {
    ("Settings", "type"): (_TEXT,),
    ("Settings", "speakers"): (_TEXT, {"type": "integer"}),
    ("Settings", "shard"): (_TEXT,),
    ("ExecutorSettings", "options"): (_TEXT,),
}
"""Other forms that a setting may be given in, which its record takes apart."""


def file_schema(name: str) -> dict[str, Any]:
    """The JSON schema of the files of a group, or of all."""
    kind = record_of(name)
    schema = kind.model_json_schema(mode="validation")
    records = {found.__name__: found for found in _records(kind)}
    for title, part in {kind.__name__: schema, **schema.get("$defs", {})}.items():
        part.pop("required", None)
        if title in records:
            _describe(part, records[title])
    schema["properties"] = _HYDRA | schema["properties"]
    if name == ROOT:
        schema["properties"]["experiment"] = {"type": ["string", "null"], "description": "A file of conf/experiment."}
    return {"$schema": DRAFT, **schema, "title": f"turnfloor {name}"}


def write_schemas(folder: Path) -> list[Path]:
    """Write the schema of each group and root, ``NAME.json``; OutputError when that is not possible."""
    found = []
    for name in (ROOT, *GROUPS):
        path = folder / f"{name}.json"
        write_text(path, json.dumps(file_schema(name), indent=1, ensure_ascii=False) + "\n")
        found.append(path)
    return found


def _records(kind: type[Record]) -> Iterator[type[Record]]:
    """A record and all that its fields hold, at any depth."""
    yield kind
    for field in kind.model_fields.values():
        for part in _parts(field.annotation):
            yield from _records(part)


def _parts(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if issubclass(annotation, Record):
            yield annotation
        return
    for argument in getattr(annotation, "__args__", ()):
        yield from _parts(argument)


def _describe(part: dict[str, Any], kind: type[Record]) -> None:
    """Add the meaning of each field, and the other forms that it takes."""
    part["description"] = summary(kind)
    for name, field in part.get("properties", {}).items():
        if also := _ALSO.get((kind.__name__, name)):
            kept = {key: field.pop(key) for key in [*field] if key not in ("title", "default")}
            field["anyOf"] = [*kept.get("anyOf", [kept]), *also]
        if told := meaning(kind, name):
            field["description"] = told
