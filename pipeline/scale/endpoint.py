"""The language model behind its limits: requests and tokens a minute, and replies that fail and are asked for again."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

from pipeline.llm.settings import LlmSettings
from pipeline.scale.measured import Asked
from pipeline.scale.pace import Pace
from pipeline.scale.scenario import Scenario

Steps = Generator[simpy.Event, Any, Any]


@dataclass
class Bill:
    """What was asked of the endpoint."""

    requests: int = 0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    failed: int = 0
    """Requests that were tried again or given up."""
    replying_s: float = 0.0
    """Time that replies took, over all of them."""
    last_s: float = 0.0
    """When the last one came."""


class Endpoint:
    """One endpoint for all runs. Limits are kept by waiting, as a client does that heeds `Retry-After`.

    Waiting after a failure is that of :class:`pipeline.llm.client.Client`: a drawn part of a doubling time.
    """

    def __init__(self, env: simpy.Environment, scenario: Scenario, rng: np.random.Generator) -> None:
        self._env = env
        self._scenario = scenario
        self._rng = rng
        self._client = LlmSettings()
        self.requests = Pace(env)
        self.tokens = Pace(env)
        self.bill = Bill()

    def write(self, asked: Asked, gate: simpy.Resource) -> Steps:
        """Ask for one script, reply by reply, through the `gate` of a run; returns whether it was had."""
        mended = int(self._rng.poisson(self._scenario.repairs)) if self._scenario.repairs else 0
        count = max(1, round(asked.requests))
        each = Asked(
            requests=1, prompt_tokens=asked.prompt_tokens / count, completion_tokens=asked.completion_tokens / count
        )
        for _ in range(count + mended):
            had = yield from self._reply(each, gate)
            if not had:
                return False
        return True

    def _reply(self, asked: Asked, gate: simpy.Resource) -> Steps:
        for attempt in range(1 + self._client.retries):
            with gate.request() as place:
                yield place
                yield from self._answered(asked)
            if self._rng.random() >= self._scenario.request_failures:
                return True
            self.bill.failed += 1
            drawn = self._rng.uniform(0.5, 1.0) * self._client.backoff_s * 2.0**attempt
            yield self._env.timeout(min(self._client.wait_most_s, drawn))
        return False

    def _answered(self, asked: Asked) -> Steps:
        """One attempt, whatever comes of it: it has taken its share of the limits, and its tokens are paid for."""
        wait = 0.0
        if self._scenario.requests_a_minute:
            wait = self.requests.take(60.0 / self._scenario.requests_a_minute)
        if self._scenario.tokens_a_minute:
            tokens = asked.prompt_tokens + asked.completion_tokens
            wait = max(wait, self.tokens.take(60.0 * tokens / self._scenario.tokens_a_minute))
        takes = asked.completion_tokens / self._scenario.tokens_a_second
        yield self._env.timeout(wait + takes)
        self.bill.requests += 1
        self.bill.prompt_tokens += asked.prompt_tokens
        self.bill.completion_tokens += asked.completion_tokens
        self.bill.replying_s += takes
        self.bill.last_s = float(self._env.now)
