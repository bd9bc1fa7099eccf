"""The writer that takes the user's own script: one file, or a folder of them by conversation id."""

import json
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pipeline.errors import InputError
from pipeline.records import ConversationSpec, Script
from pipeline.records.base import first_fault
from pipeline.writers.base import Context

SUFFIXES = (".json", ".yaml", ".yml")


class FileWriter:
    """Reads scripts; who wrote an act is the user unless the file says otherwise."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """The user's script for this conversation."""
        if ctx.settings.path is None:
            raise InputError(
                "script=file needs script.path: a script file, or a folder with one ID.json or ID.yaml each"
            )
        path = find_script(ctx.settings.path, spec.id)
        return read_script(path, spec)


def find_script(path: Path, conversation_id: str) -> Path:
    """The script of a conversation: `path` itself, or in a folder the file (or corpus folder) of that id."""
    if path.is_file():
        return path
    candidates = [path / f"{conversation_id}{suffix}" for suffix in SUFFIXES]
    candidates += [base / conversation_id / "script.json" for base in (path, path / "conversations")]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise InputError(
        f"{path}: no script for conversation {conversation_id}: name a file, or a folder with {candidates[0].name}"
    )


def read_script(path: Path, spec: ConversationSpec) -> Script:
    """The script in a JSON or YAML file; InputError names the file, the field and what was found."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not a readable script ({error})") from None
    try:
        return Script.model_validate(_completed(data, spec))
    except ValidationError as error:
        raise InputError(f"{path}: not a valid Script: {first_fault(error)}") from None


def _completed(data: Any, spec: ConversationSpec) -> Any:
    """The user's data with what may be left out: the conversation's id, the writer, the author of each act."""
    if isinstance(data, list):
        data = {"acts": data}
    if not isinstance(data, dict) or not isinstance(data.get("acts"), list):
        return data
    given = [{"author": "user", **act} if isinstance(act, dict) else act for act in data["acts"]]
    return {**data, "conversation_id": spec.id, "writer": data.get("writer", "file"), "acts": _identified(given)}


def _identified(given: list[Any]) -> list[Any]:
    """Acts with the ids that were left out: their place; a claim or vocalisation lands in the turn before it."""
    last, made = None, []
    for place, act in enumerate(given, 1):
        if not isinstance(act, dict):
            made.append(act)
            continue
        kind = act.get("act", "turn")
        full = {"id": f"{str(kind)[:1] or 'x'}{place:03d}", **act, "act": kind}
        if kind != "turn" and last is not None:
            full.setdefault("during", last)
        last = full["id"] if kind == "turn" else last
        made.append(full)
    return made
