"""The writer that takes the shipped scripts, written for this project text by text."""

from pathlib import Path

from pipeline.errors import InputError
from pipeline.records import ConversationSpec, Script
from pipeline.resources import resource
from pipeline.writers.base import Context
from pipeline.writers.screenplay import read_screenplay


class ReferenceWriter:
    """Reads the screenplay that the conversation is named after."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """The shipped script of this conversation, or the one in `script.path`, a folder of screenplays."""
        path = _folder(ctx.settings.path) / f"{spec.id}.txt"
        return read_screenplay(path).script()


def reference_files(folder: Path | None = None) -> list[Path]:
    """All screenplays, sorted by name; InputError when there are none."""
    found = sorted(_folder(folder).glob("*.txt"))
    if not found:
        raise InputError(f"{folder or 'the installation'}: no screenplays there; name a folder that holds ID.txt files")
    return found


def _folder(path: Path | None) -> Path:
    return path or resource("prompts", "reference")
