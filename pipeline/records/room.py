"""What a corpus keeps of how a conversation was heard: enough to hear it so again to the last bit."""

from typing import Literal

from pydantic import Field

from pipeline.records.base import Record

Microphones = Literal["own", "distant", "array"]
Codec = Literal["none", "mu-law", "a-law", "gsm", "opus"]
Point = tuple[float, float, float]
"""Metres from a corner of the room: along its length, its width, its height."""
Matrix = tuple[tuple[float, ...], ...]
"""Row: a speaker; column: a channel."""


class Geometry(Record):
    """A room with places in it; its responses follow from this alone."""

    size_m: Point
    absorption: float = Field(gt=0, lt=1)
    """Energy absorption of all surfaces, set so that the reverberation time is the one asked for."""
    order: int = Field(ge=1)
    """Of the reflections that are simulated at most."""
    mouths: tuple[Point, ...]
    microphones: tuple[Point, ...]
    """One a channel, as many as speakers."""
    lead: int = Field(ge=0)
    """Samples that direct sound comes after its logged time at the nearest microphone, by choice."""


class Acoustics(Record):
    """The room of a conversation and what came of it."""

    microphones: Microphones
    geometry: Geometry
    rt60_asked_s: float
    rt60_s: float
    """Measured on the response from the first mouth to the microphone farthest from it (ISO 3382-1, T30)."""
    removed: tuple[int, ...]
    """Samples by which each voice is advanced: its travel to the microphone nearest to it, less the lead."""
    delays: Matrix
    """What direct sound of a speaker is late by in a channel, against the log [samples, fractional]."""
    gains: Matrix
    """Linear factor of each response."""
    crosstalk_asked_db: float | None = None
    crosstalk_db: tuple[float | None, ...]
    """A voice in its own channel over its mean power in the others, realised; None where it says nothing."""
    responses_sha256: str
    """Over all responses as single floats."""
    simulator: str


class Telephone(Record):
    """The line of a conversation."""

    low_hz: float
    high_hz: float
    codec: Codec
    rate: int
    """Of the line [Hz]."""
    gain: float
    """Linear factor onto the line; taken off again behind it."""
    delay: int = Field(ge=0)
    """What the line is late by, which is left in: the peak of its response [samples at the corpus rate]."""
    library: str
    """What encodes."""


class RoomRecord(Record):
    """How a conversation was heard."""

    until: int = Field(ge=0)
    """The sound before this sample depends on nothing at or after it: the fork of a pair, else the end."""
    acoustics: Acoustics | None = None
    telephone: Telephone | None = None
