"""What a writer may ask of a language model while it writes one conversation."""

from typing import Any, Protocol

from pipeline.llm.exchange import Exchange, Reply

Messages = list[dict[str, str]]


class Session(Protocol):
    """A language model for the length of one conversation; every question is recorded."""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every question asked so far, with its reply."""

    def begin(self, prefix: str) -> None:
        """Make ready for prompts that start with `prefix`, forgetting all that was asked before."""

    def complete(
        self, prompt: str, *, purpose: str, seed: int, max_tokens: int, sampling: dict[str, Any], stop: str = "\n"
    ) -> Reply:
        """The continuation of `prompt` up to `stop`; EndpointError when there is none."""

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
        """The reply to `messages`, held to the JSON `schema` where the server can; EndpointError when there is none."""
