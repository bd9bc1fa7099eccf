"""Speech from far off: what a snippet is taken from, and what distance does to it."""

import math
from typing import Literal, Protocol

import numpy as np
from pydantic import Field

from pipeline.errors import InputError
from pipeline.records.room import Geometry
from pipeline.rooms.places import arranged
from pipeline.rooms.settings import AcousticsSettings
from pipeline.rooms.simulation import responses
from pipeline.samples import RATE, to_samples
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.levels import Floats, convolve
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, filtered, rng_of

LABEL = "distant speech"
FRAME_S = 0.02
ACTIVE_DB = 30.0
"""A frame this far below the loudest still counts as speech."""


class SpeechSource(Protocol):
    """Speech of voices that are not in the conversation."""

    def snippet(self, rng: Rng, seconds: float) -> tuple[Floats, str]:
        """Speech of about `seconds` at the bank's rate [n], and an id of what it is.

        The same generator gives the same samples, so that a logged seed brings them back.
        """
        ...


class Distance(Recipe):
    """The catalogue `noise/distant.yaml`: what distance does."""

    schema_version: Literal[2]
    low_hz: float = Field(gt=0)
    high_hz: Range
    """Where the air and the walls cut it off."""
    rooms: int = Field(gt=0)
    """So many rooms there are; each snippet is heard in one of them."""
    size_m: tuple[Range, Range, Range]
    rt60_s: Range
    distance_m: Range
    """From the mouth to the microphone."""

    def apply(self, samples: Floats, rng: Rng, rate: int = RATE) -> Samples:
        """`samples` [n] heard from afar, in a simulated room [n], at any level."""
        dry = np.asarray(samples, dtype=np.float64)
        response = responses(self.geometry(int(rng.integers(self.rooms)), rate), rate)[0, 0]
        wet = convolve(dry, response)[: len(dry)]
        return filtered(wet, self.low_hz, drawn(rng, self.high_hz), rate)

    def geometry(self, number: int, rate: int = RATE) -> Geometry:
        """The room of this number, the same for all corpora, so that its response is simulated once."""
        room = AcousticsSettings(
            microphones="distant",
            size_m=self.size_m,
            rt60_s=self.rt60_s,
            seat_m=(0.5, 1.0),
            distance_m=self.distance_m,
        )
        return arranged(room, 1, rng_of(number), rate)[0]


def distance() -> Distance:
    """The shipped one."""
    return shipped("distant.yaml", Distance)


def exactly(samples: Floats, n: int) -> Samples:
    """`samples` brought to `n`: cut at the end, or with silence around them."""
    out = np.zeros(n)
    start = max(0, (n - len(samples)) // 2)
    taken = samples[:n]
    out[start : start + len(taken)] = taken
    return out


def speech_share(samples: Floats, rate: int = RATE) -> Samples:
    """Running count of active frames of 20 ms: entry `i` counts those before frame `i` [frames + 1]."""
    frame = to_samples(FRAME_S, rate)
    count = len(samples) // frame
    powers = np.mean(np.asarray(samples[: count * frame], dtype=np.float64).reshape(count, frame) ** 2, axis=1)
    active = powers > max(float(powers.max(initial=0.0)) * 10.0 ** (-ACTIVE_DB / 10.0), 1e-10)
    return np.concatenate([[0.0], np.cumsum(active)])


def busy_offset(samples: Floats, n: int, rng: Rng, share: float = 0.6, rate: int = RATE) -> int | None:
    """First sample of a window of `n`, drawn from those with at least this share of speech.

    None where there is none: the recording is too short, or too quiet.
    """
    frame = to_samples(FRAME_S, rate)
    count, width = speech_share(samples, rate), math.ceil(n / frame)
    if len(count) <= width:
        return None
    fits = np.flatnonzero(count[width:] - count[:-width] >= share * width)
    fits = fits[fits * frame + n <= len(samples)]
    return int(rng.choice(fits)) * frame if len(fits) else None


def checked_snippet(samples: Floats, source: str) -> Floats:
    """The snippet, unless it is silent or holds what is no number; InputError then."""
    if not np.isfinite(samples).all() or not np.any(samples):
        raise InputError(f"distant speech from {source!r} is silent or no sound: check that source")
    return samples
