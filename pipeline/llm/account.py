"""What a run has asked of the language model and may still ask: requests and tokens, over all its threads."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from pipeline.errors import BudgetError
from pipeline.llm.exchange import Reply
from pipeline.llm.settings import LlmSettings

CHARACTERS_A_TOKEN = 4
"""Of English text, where no tokens are reported (3.96 to 4.06 on prompts of this project with Qwen2.5's tokens)."""


@dataclass(frozen=True)
class Spent:
    """Requests that were sent, and the tokens that they took."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    """Requests whose tokens the endpoint did not report."""

    @property
    def tokens(self) -> int:
        """Of prompts and completions."""
        return self.prompt_tokens + self.completion_tokens

    def line(self, settings: LlmSettings) -> str:
        """What was spent as a person reads it, with its cost where prices are set."""
        tokens = f"{self.prompt_tokens:,} prompt and {self.completion_tokens:,} completion tokens"
        guessed = f" (estimated for {self.estimated:,} of them)" if self.estimated else ""
        cost = price(settings, self.prompt_tokens, self.completion_tokens)
        priced = "" if cost is None else f", {amount(cost, settings.currency)}"
        return f"language model: {self.requests:,} requests, {tokens}{guessed}{priced}"


def price(settings: LlmSettings, prompt_tokens: float, completion_tokens: float) -> float | None:
    """What tokens cost; None where no prices are set."""
    if settings.price_prompt is None or settings.price_completion is None:
        return None
    return (prompt_tokens * settings.price_prompt + completion_tokens * settings.price_completion) / 1e6


def amount(cost: float, currency: str) -> str:
    """A sum of money for people.

    >>> amount(1234.5, "USD"), amount(0.01234, "EUR"), amount(0, "USD")
    ('1,234.50 USD', '0.0123 EUR', '0.00 USD')
    """
    return f"{cost:,.{4 if 0 < cost < 1 else 2}f} {currency}"


def tokens_of(text: str) -> int:
    """About how many tokens a text has.

    >>> tokens_of("hello"), tokens_of("")
    (2, 0)
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


@dataclass
class Asked:
    """A request under way; until more is known of it, it counts as all that it may take."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = True

    def answered(self, reply: Reply) -> None:
        """Take the tokens that the endpoint reports, or an estimate where it reports none."""
        self.estimated = not reply.prompt_tokens or (bool(reply.text) and not reply.completion_tokens)
        self.prompt_tokens = reply.prompt_tokens or self.prompt_tokens
        self.completion_tokens = reply.completion_tokens or tokens_of(reply.text)

    def refused(self) -> None:
        """Nothing was worked on, so that the request took no tokens."""
        self.prompt_tokens = self.completion_tokens = 0
        self.estimated = False


class Account:
    """Counts every request of a run, and refuses what its budget does not hold; to be used from several threads.

    A budget counts for one run: what an earlier run of the same corpus has asked is not part of it. Tokens are passed
    by no more than prompts have more tokens than estimated.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._spent = Spent()
        self._under_way: list[Asked] = []
        self._changed = threading.Condition()
        self._refusal: str | None = None

    @property
    def spent(self) -> Spent:
        """What has been asked so far; requests under way count without their tokens."""
        with self._changed:
            return self._spent

    def check(self) -> None:
        """Begin nothing new once a request did not fit: BudgetError."""
        with self._changed:
            if self._refusal:
                raise BudgetError(self._refusal)

    @contextmanager
    def asking(self, body: dict[str, Any]) -> Iterator[Asked]:
        """Count a request, from before it is sent until its tokens are known.

        Where it does not fit beside those under way it waits for them, as most take less than they may.

        Raises
        ------
        BudgetError
            in one line, before anything is sent, when it could go beyond the budget.

        """
        asked = Asked(_prompt_tokens(body), int(body.get("max_tokens") or body.get("max_completion_tokens") or 0))
        self._begin(asked)
        try:
            yield asked
        finally:
            self._end(asked)

    def _begin(self, asked: Asked) -> None:
        settings, need = self._settings, asked.prompt_tokens + asked.completion_tokens
        with self._changed:
            while True:
                if settings.budget_requests is not None and self._spent.requests >= settings.budget_requests:
                    self._refuse("budget_requests", settings.budget_requests, "")
                left = None if settings.budget_tokens is None else settings.budget_tokens - self._spent.tokens
                if left is None or need + self._held() <= left:
                    break
                if need > left or not self._under_way:
                    self._refuse("budget_tokens", settings.budget_tokens, f", and the next may take {need:,}")
                self._changed.wait()
            self._under_way.append(asked)
            self._spent = replace(self._spent, requests=self._spent.requests + 1)

    def _held(self) -> int:
        """Tokens that the requests under way may take."""
        return sum(asked.prompt_tokens + asked.completion_tokens for asked in self._under_way)

    def _refuse(self, name: str, budget: int | None, why: str) -> NoReturn:
        spent = self._spent
        self._refusal = (
            f"llm.{name}={budget} is spent ({spent.requests:,} requests, {spent.tokens:,} tokens{why}): "
            f"raise llm.{name} and give the same command again, which goes on from here"
        )
        raise BudgetError(self._refusal)

    def _end(self, asked: Asked) -> None:
        with self._changed:
            self._under_way = [other for other in self._under_way if other is not asked]
            self._spent = replace(
                self._spent,
                prompt_tokens=self._spent.prompt_tokens + asked.prompt_tokens,
                completion_tokens=self._spent.completion_tokens + asked.completion_tokens,
                estimated=self._spent.estimated + asked.estimated,
            )
            self._changed.notify_all()


def _prompt_tokens(body: dict[str, Any]) -> int:
    said = [body["prompt"]] if "prompt" in body else [message["content"] for message in body.get("messages", ())]
    return sum(tokens_of(text if isinstance(text, str) else json.dumps(text)) for text in said)
