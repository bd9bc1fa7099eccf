"""Every question to the language model and its raw reply, as records beside the script."""

from pathlib import Path
from typing import Any, Literal

from pipeline.errors import InputError
from pipeline.records import Record
from pipeline.records.spec import Ident


class Reply(Record):
    """What the model answered, raw."""

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Exchange(Record):
    """One question and its answer; never a key, a header or an address with credentials."""

    schema_version: Literal[1] = 1
    conversation_id: Ident
    index: int
    """Place among the conversation's exchanges, from 0."""
    purpose: str
    """What was asked for, such as ``line t03 candidate 2`` or ``script attempt 1``."""
    endpoint: str
    model: str
    call: Literal["completions", "chat"]
    parameters: dict[str, Any]
    """Everything sent beside the prompt."""
    kept: int = 0
    """Characters that this prompt has in common with the start of the exchange's before."""
    prompt: str
    """The rest of the prompt; of a chat, its messages as JSON."""
    reply: Reply

    def whole_prompt(self, before: str) -> str:
        """The prompt as sent, given the one `before` it (empty for the first)."""
        return before[: self.kept] + self.prompt


def common_start(one: str, other: str) -> int:
    """Number of characters that two texts begin with alike."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def dump_exchanges(exchanges: tuple[Exchange, ...]) -> str:
    """The exchanges as JSON lines."""
    return "".join(exchange.to_json(indent=None) for exchange in exchanges)


def read_exchanges(path: Path) -> tuple[Exchange, ...]:
    """The exchanges in a file of JSON lines; InputError names the file, the line and the fault."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); give an exchange.jsonl") from None
    return tuple(Exchange.from_json(line, f"{path}:{i}") for i, line in enumerate(lines, 1) if line.strip())
