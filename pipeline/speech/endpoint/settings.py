"""Settings of a speech endpoint: where it is, what it is asked for, and the voices that it has."""

from collections import Counter
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_serializer, field_validator

from pipeline.llm.settings import shown
from pipeline.records.base import Record
from pipeline.speech.voices import Calibration, Split, Voice

RESERVED = frozenset({"input", "model", "voice", "response_format", "speed", "instructions", "stream_format"})
"""Fields of a request that have settings of their own, or none."""


class EndpointVoice(Record):
    """A voice of the endpoint, as the planner and the writer are to know it."""

    name: str = Field(min_length=1, max_length=200)
    """What the endpoint calls it."""
    gender: Literal["F", "M"]
    """As it is heard."""
    split: Split
    """The one split that it speaks in."""
    style: str = "natural"
    """What it is like, for the card and for personas."""
    language: Literal["en-US", "en-GB"] = "en-US"
    """Whose pronunciation it has."""
    speed: float = Field(default=1.0, ge=0.25, le=4.0)
    """Speed at which its pace is natural."""
    gain_db: float | None = None
    """Constant gain [dB]; None: measured on a turn that the voice is asked for once."""

    def voice(self, gain_db: float) -> Voice:
        """The voice as every other part knows one."""
        return Voice(
            id=self.name,
            kokoro=self.name,
            gender=self.gender,
            style=self.style,
            split=self.split,
            language=self.language,
            calibration=Calibration(gain_db=gain_db, speed=self.speed),
        )


class EndpointSettings(Record):
    """Which endpoint and voices, and how patiently it is asked; the key itself is never part of it."""

    base_url: str
    """Usually ends in /v1; credentials in it are never recorded."""
    model: str = Field(min_length=1)
    """Name of the voice model at the endpoint."""
    api_key_env: str = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the environment variable that holds the key."""
    format: Literal["wav", "flac", "pcm"] = "wav"
    """Of the sound; `pcm` is 16 bit mono without a header."""
    pcm_rate: int = Field(default=24_000, ge=8_000, le=192_000)
    """Samples a second of `pcm`; the other formats say it themselves."""
    instructions: str | None = None
    """How to speak, for models that are told."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of each request, which the endpoint takes."""
    timeout_s: float = Field(gt=0, default=120.0)
    """For one whole answer, not for a byte of it."""
    retries: int = Field(ge=0, default=6)
    """Further attempts after 429, 5xx, a time-out or a broken connection."""
    backoff_s: float = Field(ge=0, default=1.0)
    """Longest wait before the first of them; doubled each time, and drawn below that."""
    wait_most_s: float = Field(ge=0, default=120.0)
    """Longest single wait, whatever Retry-After asks for."""
    voices: tuple[EndpointVoice, ...] = Field(min_length=2)

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
            raise ValueError("must be an http:// or https:// address")
        return value

    @field_serializer("base_url")
    def _recorded(self, value: str) -> str:
        return shown(value)

    @field_validator("extra")
    @classmethod
    def _no_field_twice(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name in sorted(RESERVED & value.keys()):
            raise ValueError(f"{name} has a setting of its own or cannot be chosen")
        return value

    @field_validator("voices")
    @classmethod
    def _each_once(cls, value: tuple[EndpointVoice, ...]) -> tuple[EndpointVoice, ...]:
        for name, count in Counter(voice.name for voice in value).items():
            if count > 1:
                raise ValueError(f"voice {name} stands there {count} times; dev and test may not share one")
        return value

    def of_split(self, split: Split) -> list[Voice]:
        """The voices of one split, in the order of the configuration; without their gain where none is stated."""
        return [voice.voice(voice.gain_db or 0.0) for voice in self.voices if voice.split == split]

    @property
    def shown_url(self) -> str:
        """The address without credentials and query, for messages and records."""
        return shown(self.base_url)

    @property
    def decides(self) -> dict[str, Any]:
        """Everything of the endpoint that decides its sound, apart from voice, text and speed."""
        names = {"base_url", "model", "format", "pcm_rate", "instructions", "extra"}
        return self.model_dump(mode="json", include=names)
