"""Reads what an endpoint sent, trusting nothing about it."""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.llm.exchange import Reply
from pipeline.llm.faults import nonsense_error, scrubbed
from pipeline.llm.settings import LlmSettings
from pipeline.records.base import first_fault
from pipeline.text import encodable


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Message(_Loose):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Choice(_Loose):
    text: str | None = None
    message: _Message | None = None
    finish_reason: str | None = None


class _Usage(_Loose):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(_Loose):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


def read_reply(settings: LlmSettings, call: Literal["completions", "chat"], body: bytes, key: str) -> Reply:
    """The reply in the `body` of a successful answer; FaultyReplyError when it holds none."""
    said = scrubbed(body[:400].decode("utf-8", "replace"), key, 80)
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise nonsense_error(settings, "what is not JSON", said) from None
    if isinstance(data, dict) and data.get("error") and not data.get("choices"):
        raise nonsense_error(settings, "an error in place of a reply", scrubbed(str(data["error"]), key, 80))
    try:
        answer = _Answer.model_validate(data)
    except ValidationError as error:
        raise nonsense_error(settings, f"no completion, {scrubbed(first_fault(error), key)}", said) from None
    choice, usage = answer.choices[0], answer.usage or _Usage()
    text = choice.text if call == "completions" else _content(choice.message)
    if text is None:
        raise nonsense_error(settings, f"a choice without {'text' if call == 'completions' else 'content'}", said)
    return Reply(
        text=encodable(text),
        finish_reason=scrubbed(choice.finish_reason or "unstated", key, 40),
        prompt_tokens=max(0, usage.prompt_tokens or 0),
        completion_tokens=max(0, usage.completion_tokens or 0),
    )


def _content(message: _Message | None) -> str | None:
    if message is None:
        return None
    if isinstance(message.content, list):
        return "".join(str(part.get("text", "")) for part in message.content)
    return message.content if message.content is not None else message.refusal
