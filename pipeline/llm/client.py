"""Asks an OpenAI-compatible endpoint through the `openai` package, patiently, within bounds."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import SystemRandom
from typing import Any, Literal, TypeVar

import openai

from pipeline.errors import EndpointError
from pipeline.llm.account import Account, Asked
from pipeline.llm.exchange import Reply
from pipeline.llm.failing import BROKEN, FailedAttemptError, broken, failed
from pipeline.llm.faults import api_key, nonsense_error
from pipeline.llm.replies import read_reply
from pipeline.llm.settings import LlmSettings, Structured

Call = Literal["completions", "chat"]
LARGEST_BODY = 16 * 2**20
"""Bytes after which an answer is taken for endless."""
_REFUSES_FORMAT = (400, 404, 415, 422, 500, 501)
"""How servers refuse a response format that they do not know."""
_MODES: tuple[Structured, ...] = ("json_schema", "json_object", "text")
_T = TypeVar("_T")


class Client:
    """An endpoint that can be asked from several threads; travels to other processes without its connections.

    Parameters
    ----------
    settings
        The endpoint, with its base URL.
    sleep
        Waits between attempts [s]; tests pass their own.
    account
        Counts what is asked, against the budget; None: one of its own. In another process counting begins anew.

    """

    def __init__(
        self,
        settings: LlmSettings,
        sleep: Callable[[float], None] = time.sleep,
        account: Account | None = None,
    ) -> None:
        if settings.base_url is None:
            raise EndpointError("llm.base_url is not set: give the endpoint's address, or choose llm=embedded")
        self.settings = settings
        self.mode: Structured | None = None if settings.structured == "auto" else settings.structured
        """How this endpoint is asked for JSON, once it is known."""
        self._sleep = sleep
        self.account = account or Account(settings)
        self._open()

    def _open(self) -> None:
        self._key = api_key(self.settings.api_key_env)
        self._gate = threading.BoundedSemaphore(self.settings.concurrency)
        self._api = openai.OpenAI(
            base_url=self.settings.base_url, api_key=self._key, timeout=self.settings.timeout_s, max_retries=0
        )

    def __getstate__(self) -> dict[str, Any]:
        """Neither key nor connections are pickled."""
        return {"settings": self.settings, "mode": self.mode, "_sleep": self._sleep}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Connect again, with the key of this process's environment."""
        self.__dict__.update(state)
        self.account = Account(self.settings)
        self._open()

    def close(self) -> None:
        """Drop the connections."""
        self._api.close()

    def ask(self, call: Call, body: dict[str, Any]) -> Reply:
        """The reply to a request; EndpointError when there is none within the attempts allowed, BudgetError unsent."""
        try:
            return self._patiently(lambda: self._once(call, body))
        except FailedAttemptError as failure:
            raise failure.error(self.settings) from None

    def ask_json(self, body: dict[str, Any], schema: dict[str, Any]) -> tuple[Reply, Structured]:
        """The reply to a chat that shall be JSON, and how it was asked for; that is found out once an endpoint."""
        if self.mode is None:
            for mode in _MODES[:-1]:
                try:
                    reply = self._patiently(self._asking(body, mode, schema), final=_REFUSES_FORMAT)
                except FailedAttemptError as failure:
                    if failure.status not in _REFUSES_FORMAT:
                        raise failure.error(self.settings) from None
                else:
                    self.mode = mode
                    return reply, mode
        mode = self.mode or _MODES[-1]
        reply = self.ask("chat", {**body, **response_format(mode, schema)})
        self.mode = mode
        return reply, mode

    def _asking(self, body: dict[str, Any], mode: Structured, schema: dict[str, Any]) -> Callable[[], Reply]:
        return lambda: self._once("chat", {**body, **response_format(mode, schema)})

    def post(self, path: str, body: dict[str, Any]) -> object:
        """Post to a path of the server itself, beside /v1, which no budget counts; EndpointError when it fails."""
        root = (self.settings.base_url or "").removesuffix("/").removesuffix("/v1")
        try:
            return self._api.post(root + path, body=body, cast_to=object)
        except openai.APIError as error:
            raise failed(error, self._key).error(self.settings) from None

    def _patiently(self, attempt: Callable[[], _T], final: tuple[int, ...] = ()) -> _T:
        """`attempt` until it succeeds, waiting longer each time; statuses in `final` are not tried again."""
        number = 1
        while True:
            try:
                with self._gate:
                    return attempt()
            except FailedAttemptError as failure:
                failure.attempts = number
                if number > self.settings.retries or not failure.transient or failure.status in final:
                    raise
                self._sleep(self._wait(number, failure.after))
                number += 1

    def _wait(self, number: int, after: float | None) -> float:
        """Seconds before attempt `number` + 1: what the server asks for, or a drawn part of a doubling time."""
        drawn = SystemRandom().uniform(0.5, 1.0) * self.settings.backoff_s * 2.0 ** (number - 1)
        return min(self.settings.wait_most_s, max(drawn, after or 0.0))

    def _once(self, call: Call, body: dict[str, Any]) -> Reply:
        """One attempt, counted; its answer is read within the time-out as a whole, not byte by byte."""
        with self.account.asking(body) as asked:
            reply = read_reply(self.settings, call, self._answer(call, body, asked), self._key)
            asked.answered(reply)
            return reply

    def _answer(self, call: Call, body: dict[str, Any], asked: Asked) -> bytes:
        deadline = time.monotonic() + self.settings.timeout_s
        try:
            with self._sent(call, dict(body)) as response:
                return b"".join(self._bounded(response.iter_bytes(), deadline))
        except openai.APIError as error:
            failure = failed(error, self._key)
            if not failure.unanswered:
                asked.refused()
            raise failure from None
        except BROKEN as error:
            raise broken(error) from None

    def _sent(self, call: Call, rest: dict[str, Any]) -> AbstractContextManager[Any]:
        model = self.settings.model
        if call == "completions":
            return self._api.completions.with_streaming_response.create(
                model=model, prompt=rest.pop("prompt"), extra_body=rest
            )
        return self._api.chat.completions.with_streaming_response.create(
            model=model, messages=rest.pop("messages"), extra_body=rest
        )

    def _bounded(self, chunks: Iterator[bytes], deadline: float) -> Iterator[bytes]:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if size > LARGEST_BODY:
                raise nonsense_error(self.settings, f"more than {LARGEST_BODY} bytes", "an endless reply")
            if time.monotonic() > deadline:
                raise FailedAttemptError("no whole answer in time", late=True)
            yield chunk


def response_format(mode: Structured, schema: dict[str, Any]) -> dict[str, Any]:
    """The field that asks for JSON in a mode; none for plain text."""
    if mode == "json_schema":
        return {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "script", "schema": schema, "strict": True},
            }
        }
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}
