"""Speech from far off: what a snippet is taken from, and what distance does to it."""

import math
from typing import Literal, Protocol

import numpy as np
from pydantic import Field

from pipeline.errors import InputError
from pipeline.samples import RATE, to_samples
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.levels import Floats
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, filtered, room

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

    schema_version: Literal[1]
    low_hz: float = Field(gt=0)
    high_hz: Range
    """Where the air and the walls cut it off."""
    rt60_s: Range
    direct_db: Range
    """Energy of the direct sound over the room's: below 0 beyond the critical distance."""

    def apply(self, samples: Floats, rng: Rng, rate: int = RATE) -> Samples:
        """`samples` [n] heard from afar [n], at any level."""
        dry = np.asarray(samples, dtype=np.float64)
        wet = room(dry, drawn(rng, self.rt60_s), drawn(rng, self.direct_db), rate, rng)
        return filtered(wet, self.low_hz, drawn(rng, self.high_hz), rate)


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
