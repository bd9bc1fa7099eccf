"""Recorded exchanges again: the writer that made them, answered from the recording."""

from pathlib import Path

from pipeline.errors import InputError
from pipeline.llm.exchange import read_exchanges
from pipeline.llm.replaying import ReplaySession
from pipeline.records import ConversationSpec
from pipeline.writers.settings import ScriptSettings


def replaying(spec: ConversationSpec, settings: ScriptSettings) -> tuple[ScriptSettings, ReplaySession]:
    """The settings of the writer that was recorded, and the session that answers it.

    Raises
    ------
    InputError
        when there is no recording of the conversation, or it is not readable.

    """
    if settings.path is None:
        raise InputError("script=replay needs script.path: an exchange.jsonl, or a corpus that holds them")
    path = find_recording(settings.path, spec.id)
    recorded = tuple(exchange for exchange in read_exchanges(path) if exchange.conversation_id == spec.id)
    if not recorded:
        raise InputError(f"{path}: holds no exchange of conversation {spec.id}: its script was not asked of a model")
    writer = "whole" if recorded[0].purpose.startswith("script") else "lines"
    return settings.model_copy(update={"writer": writer}), ReplaySession(recorded, str(path))


def find_recording(path: Path, conversation_id: str) -> Path:
    """The recording of a conversation: `path` itself, or in a folder or corpus the one of that id."""
    if path.is_file():
        return path
    candidates = [
        path / "conversations" / conversation_id / "exchange.jsonl",
        path / conversation_id / "exchange.jsonl",
        path / f"{conversation_id}.jsonl",
    ]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise InputError(f"{path}: no exchange.jsonl of conversation {conversation_id}: name the file, or its corpus")
