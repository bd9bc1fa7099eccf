"""A session that answers from a recording."""

import json
from typing import Any

from pipeline.errors import ScriptError
from pipeline.llm.exchange import Exchange, Reply
from pipeline.llm.session import Messages


class ReplaySession:
    """Gives the recorded replies in order, as long as the same is asked."""

    def __init__(self, recorded: tuple[Exchange, ...], place: str) -> None:
        self._recorded = recorded
        self._place = place
        self._next = 0
        self._before = ""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Those replayed so far."""
        return self._recorded[: self._next]

    def begin(self, prefix: str) -> None:
        """Nothing to make ready."""

    def complete(
        self, prompt: str, *, purpose: str, seed: int, max_tokens: int, sampling: dict[str, Any], stop: str = "\n"
    ) -> Reply:
        """The recorded continuation."""
        return self._reply(prompt, purpose)

    def chat(
        self,
        messages: Messages,
        *,
        purpose: str,
        seed: int,
        max_tokens: int,
        sampling: dict[str, Any],
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """The recorded reply."""
        return self._reply(json.dumps(messages, ensure_ascii=False), purpose)

    def _reply(self, prompt: str, purpose: str) -> Reply:
        if self._next >= len(self._recorded):
            raise ScriptError(
                f"{self._place}: ends after {self._next} exchanges, and {purpose!r} is asked: record it again"
            )
        exchange = self._recorded[self._next]
        if exchange.whole_prompt(self._before) != prompt or exchange.purpose != purpose:
            raise ScriptError(
                f"{self._place}: exchange {self._next} answers another question than {purpose!r}: the request, the "
                "settings or the prompts have changed since it was recorded; use script=file with its script.json"
            )
        self._next += 1
        self._before = prompt
        return exchange.reply
