"""Asks a speech endpoint through the `openai` package, patiently, within bounds."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

import openai

from pipeline.llm.failing import BROKEN, FailedAttemptError, broken, failed
from pipeline.llm.faults import api_key
from pipeline.speech.endpoint.faults import no_answer, no_sound
from pipeline.speech.endpoint.settings import EndpointSettings

LARGEST_BODY = 64 * 2**20
"""Bytes after which an answer is taken for endless: eleven minutes of 16 bit at 48 kHz."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What an endpoint sent: its bytes, and what it calls them."""

    body: bytes
    content_type: str


class SpeechClient:
    """A speech endpoint that can be asked for one sound after another.

    Parameters
    ----------
    settings
        The endpoint.
    sleep
        Waits between attempts [s]; tests pass their own.

    Raises
    ------
    EndpointError
        when the environment variable holds what cannot be a key.

    """

    def __init__(self, settings: EndpointSettings, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings = settings
        self._sleep = sleep
        self._key = api_key(settings.api_key_env)
        self._api = openai.OpenAI(
            base_url=settings.base_url, api_key=self._key, timeout=settings.timeout_s, max_retries=0
        )

    def ask(self, text: str, voice: str, speed: float) -> Answer:
        """The sound of `text` as the endpoint sends it; EndpointError when there is none within the attempts."""
        number = 1
        while True:
            try:
                return self._once(text, voice, speed)
            except FailedAttemptError as failure:
                failure.attempts = number
                if number > self.settings.retries or not failure.transient:
                    raise no_answer(failure, self.settings) from None
                self._sleep(self._wait(number, failure.after))
                number += 1

    def _wait(self, number: int, after: float | None) -> float:
        """Seconds before attempt `number` + 1: what the server asks for, or a drawn part of a doubling time."""
        drawn = SystemRandom().uniform(0.5, 1.0) * self.settings.backoff_s * 2.0 ** (number - 1)
        return min(self.settings.wait_most_s, max(drawn, after or 0.0))

    def _once(self, text: str, voice: str, speed: float) -> Answer:
        deadline = time.monotonic() + self.settings.timeout_s
        try:
            with self._api.audio.speech.with_streaming_response.create(**self._request(text, voice, speed)) as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > LARGEST_BODY:
                        raise no_sound(f"an endless reply of more than {LARGEST_BODY} bytes", self.settings)
                    if time.monotonic() > deadline:
                        raise FailedAttemptError("no whole answer in time", late=True)
                return Answer(bytes(body), response.headers.get("content-type", ""))
        except openai.APIError as error:
            raise failed(error, self._key) from None
        except BROKEN as error:
            raise broken(error) from None

    def _request(self, text: str, voice: str, speed: float) -> dict[str, Any]:
        """The fields of a request; a speed of 1 is the default and left out, since not every model takes one."""
        settings = self.settings
        return {
            "model": settings.model,
            "voice": voice,
            "input": text,
            "response_format": settings.format,
            "speed": openai.omit if speed == 1.0 else speed,
            "instructions": openai.omit if settings.instructions is None else settings.instructions,
            "extra_body": settings.extra or None,
        }
