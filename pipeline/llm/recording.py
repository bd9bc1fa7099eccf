"""A session that records every question and reply."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pipeline.llm.client import Call, Client, response_format
from pipeline.llm.exchange import Exchange, Reply, common_start
from pipeline.llm.session import Messages
from pipeline.llm.slots import Slots


class RecordingSession:
    """One conversation's questions to a client, in order."""

    def __init__(self, client: Client, conversation_id: str, slots: Slots | None = None) -> None:
        self._client = client
        self._id = conversation_id
        self._slots = slots
        self._made: list[Exchange] = []
        self._before = ""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every question asked so far, with its reply."""
        return tuple(self._made)

    def begin(self, prefix: str) -> None:
        """Put the embedded server into the state in which it has just read `prefix` and nothing else."""
        if self._slots:
            self._slots.restore(prefix)

    def complete(
        self, prompt: str, *, purpose: str, seed: int, max_tokens: int, sampling: dict[str, Any], stop: str = "\n"
    ) -> Reply:
        """The continuation of `prompt` up to `stop`."""
        settings = self._client.settings
        parameters = {"max_tokens": max_tokens, "stop": [stop], **settings.sampling, **sampling, **self._seed(seed)}
        reply = self._client.ask("completions", {"prompt": prompt, **parameters})
        self._record("completions", purpose, prompt, parameters, reply)
        return reply

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
        """The reply to `messages`, as JSON by `schema` where the endpoint can."""
        parameters = {self._client.settings.token_limit: max_tokens, **sampling, **self._seed(seed)}
        body = {"messages": messages, **parameters}
        if schema is None:
            reply = self._client.ask("chat", body)
        else:
            reply, mode = self._client.ask_json(body, schema)
            parameters |= response_format(mode, schema)
        self._record("chat", purpose, json.dumps(messages, ensure_ascii=False), parameters, reply)
        return reply

    def _seed(self, seed: int) -> dict[str, int]:
        return {"seed": seed % 2**31} if self._client.settings.seeded else {}

    def _record(self, call: Call, purpose: str, prompt: str, parameters: dict[str, Any], reply: Reply) -> None:
        settings = self._client.settings
        kept = common_start(self._before, prompt)
        exchange = Exchange(
            conversation_id=self._id,
            index=len(self._made),
            purpose=purpose,
            # The embedded server's port differs from run to run and says nothing.
            endpoint=settings.shown_url if settings.kind == "openai" else "embedded",
            model=settings.model,
            call=call,
            parameters=parameters,
            kept=kept,
            prompt=prompt[kept:],
            reply=reply,
        )
        self._made.append(exchange)
        self._before = prompt


@contextmanager
def open_session(client: Client, conversation_id: str) -> Iterator[RecordingSession]:
    """A session for one conversation; on the embedded server it has the server to itself until it ends."""
    slots = Slots.of(client)
    if slots is None:
        yield RecordingSession(client, conversation_id)
        return
    with slots.held():
        yield RecordingSession(client, conversation_id, slots)
