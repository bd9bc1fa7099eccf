"""Settings of the language model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field, field_validator, model_validator

from pipeline.records import Record

LLAMA_SAMPLING: Mapping[str, Any] = {
    "min_p": 0.05,
    "dry_multiplier": 0.6,
    "dry_base": 1.75,
    "dry_allowed_length": 6,
    "dry_penalty_last_n": 400,
    "cache_prompt": True,
    "grammar": 'root ::= " "? [A-Za-z0-9\'] [A-Za-z0-9 ,.?!\'%-]+ "\\n"',
}
"""Sampling of single lines that keeps a small model from what a voice cannot say, and from its note's very words.

The penalty on long repetitions (DRY) now and then glues two words together, which `writers.candidates` finds.
"""
Structured = Literal["json_schema", "json_object", "text"]


class LlmSettings(Record):
    """Which language model, and how patiently it is asked; the key itself is never part of it."""

    kind: Literal["embedded", "openai"] = "embedded"
    """`embedded`: a server of our own on this machine; `openai`: any compatible endpoint."""
    base_url: str | None = None
    """Of an `openai` endpoint; usually ends in /v1."""
    model: str = "writer-1.5b"
    """Name at the endpoint; of the embedded server, its entry in the models' catalogue."""
    model_path: Path | None = None
    """A GGUF file of your own for the embedded server, in place of the catalogue's."""
    api_key_env: str = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the environment variable that holds the key."""
    timeout_s: float = Field(gt=0, default=600.0)
    """For one whole answer, not for a byte of it."""
    retries: int = Field(ge=0, default=6)
    """Further attempts after 429, 5xx, a time-out or a broken connection."""
    backoff_s: float = Field(ge=0, default=1.0)
    """Longest wait before the first of them; doubled each time, and drawn below that."""
    wait_most_s: float = Field(ge=0, default=120.0)
    """Longest single wait, whatever Retry-After asks for."""
    concurrency: int = Field(ge=1, default=4)
    """Questions in flight at once; the embedded server takes one."""
    structured: Literal["auto", "json_schema", "json_object", "text"] = "auto"
    """How JSON is asked for; `auto` tries in that order, once."""
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - a field's name
    """What the endpoint calls the limit of a chat reply."""
    seeded: bool = True
    """Whether the endpoint takes a `seed`."""
    sampling: dict[str, Any] = Field(default_factory=lambda: dict(LLAMA_SAMPLING))
    """Further sampling fields that the endpoint takes for single lines; the default suits llama.cpp's server."""
    threads: int = Field(ge=1, default=2)
    """Of the embedded server; another number gives another text."""
    context: int = Field(ge=1024, default=8192)
    """Tokens the embedded server can hold."""
    budget_requests: int | None = Field(ge=1, default=None)
    """Most requests of one run, over all conversations and with every retry; None: any number.

    It counts from the start of a run: what an earlier run of the same corpus has asked is not part of it.
    """
    budget_tokens: int | None = Field(ge=1, default=None)
    """Most tokens of one run, prompts and completions together; None: any number.

    A request that could go beyond it, by its limit and an estimate of its prompt, is not sent.
    """
    price_prompt: float | None = Field(ge=0, default=None)
    """Of a million prompt tokens; None: unknown."""
    price_completion: float | None = Field(ge=0, default=None)
    """Of a million completion tokens; None: unknown."""
    currency: str = Field(default="USD", pattern=r"^[A-Za-z]{1,8}$")
    """Of both prices."""
    slot_folder: Path | None = None
    """Set by the embedded server itself: where it saves its slot."""
    start_s: float = Field(gt=0, default=120.0)
    """Longest wait for the embedded server to start."""

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname):
            raise ValueError("must be an http:// or https:// address")
        return value

    @model_validator(mode="after")
    def _both_prices(self) -> "LlmSettings":
        if (self.price_prompt is None) != (self.price_completion is None):
            raise ValueError("price_prompt and price_completion belong together: set both, 0 for what is free")
        return self

    @property
    def shown_url(self) -> str:
        """The address without credentials and query, for messages and records."""
        return shown(self.base_url or "")

    def public(self) -> dict[str, Any]:
        """The settings as they may be recorded: the address without credentials."""
        return {**self.model_dump(mode="json"), "base_url": self.shown_url or None}


def shown(url: str) -> str:
    """An address without credentials, query and fragment.

    >>> shown("https://me:secret@host:8000/v1?key=abc#x")
    'https://host:8000/v1'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
