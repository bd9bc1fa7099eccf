"""Settings of how a conversation is heard, one field a key of the configuration group `room`."""

import math
from typing import Self

from pydantic import Field, model_validator

from pipeline.records.base import Record
from pipeline.records.room import Codec, Microphones
from pipeline.sound.synthesis import Range

SEAT_M = 0.7
"""Least arc of the table for a speaker."""
WALL_M = 0.4
"""Nobody and no microphone comes nearer to a wall."""


class AcousticsSettings(Record):
    """A room that all speakers sit in, and its microphones: as many as speakers, one a channel."""

    microphones: Microphones
    """Own: on the table before each speaker. Distant: one for each speaker, far off. Array: a circle in mid-table."""
    size_m: tuple[Range, Range, Range]
    """Length, width and height, drawn uniformly."""
    rt60_s: Range
    """Reverberation time, drawn uniformly."""
    seat_m: Range
    """From the middle of the table to a mouth."""
    distance_m: Range
    """From a mouth to the microphone of its channel; of no account to an array."""
    array_radius_m: float = Field(default=0.1, gt=0, le=0.5)
    """Of the circle of microphones, for an array alone."""
    crosstalk_db: float | None = Field(default=None, ge=0, le=120)
    """How far a voice's power in the other channels (their mean) is below that in its own; None: as the places give."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        spans = {"rt60_s": self.rt60_s, "seat_m": self.seat_m, "distance_m": self.distance_m}
        for name, (low, high) in {**spans, **{f"size_m.{k}": span for k, span in enumerate(self.size_m)}}.items():
            if not 0 < low <= high:
                raise ValueError(f"{name} [{low}, {high}] needs two positive numbers in order")
        if not 0.15 <= self.rt60_s[0] <= self.rt60_s[1] <= 1.0:
            raise ValueError(f"rt60_s {list(self.rt60_s)} is not within 0.15 to 1.0, where image sources keep to it")
        if self.size_m[2][0] < 2.2:
            raise ValueError(f"size_m.2 {list(self.size_m[2])}: a room is at least 2.2 m high")
        if self.microphones == "own" and self.distance_m[1] > 0.6:
            raise ValueError("distance_m of an own microphone is at most 0.6, or a neighbour's would be nearer")
        return self

    def seat_radius(self, speakers: int, drawn_m: float) -> float:
        """From mid-table to a mouth [m], grown where so many speakers need more room."""
        return max(drawn_m, speakers * SEAT_M / (2.0 * math.pi))


class TelephoneSettings(Record):
    """A narrow-band telephone line between each channel and its file."""

    low_hz: float = Field(default=300.0, gt=0)
    """Lower end of the band."""
    high_hz: float = Field(default=3400.0, gt=0, le=3600.0)
    """The band of ITU-T G.712, for a line of 8 kHz."""
    codec: Codec = "mu-law"
    """G.711 mu-law or A-law, GSM 06.10 full rate, Opus at 8 kHz, or the band alone."""
    level_db: float = Field(default=-26.0, ge=-50, le=-9)
    """Active-speech level on the line, below the codec's overload point [dBov]."""

    @model_validator(mode="after")
    def _a_band(self) -> Self:
        if self.low_hz >= self.high_hz:
            raise ValueError(f"low_hz {self.low_hz} needs to be below high_hz {self.high_hz}")
        return self


class RoomSettings(Record):
    """How the conversation is heard; both None: each voice in its own channel, as it was spoken."""

    acoustics: AcousticsSettings | None = None
    telephone: TelephoneSettings | None = None

    @property
    def off(self) -> bool:
        """Whether the sound is left as it is."""
        return self.acoustics is None and self.telephone is None
