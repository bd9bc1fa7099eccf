"""Recordings of the embedded bank: `noise/clips`, with their licences in `noise/clips.yaml`."""

from functools import cache
from typing import Literal

import numpy as np
import soundfile
import soxr

from pipeline.errors import InputError
from pipeline.resources import resource
from pipeline.samples import to_samples
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, faded

CUT_FADE_S = 0.01


class ClipTerms(Recipe):
    """Who made a recording, and under which terms it may be used."""

    title: str
    licence: str
    attribution: str
    url: str


class Clips(Recipe):
    """The catalogue `noise/clips.yaml`."""

    schema_version: Literal[1]
    clips: dict[str, ClipTerms]


class Recording(Recipe):
    """A piece of a recording, at another place and speed each time."""

    recipe: Literal["recording"]
    clip: str
    """Its name in `noise/clips.yaml`."""
    seconds: Range
    """How long a piece."""
    speed: Range
    """Faster and higher, or slower and lower, by this factor."""

    def render(self, rng: Rng, rate: int) -> Samples:
        """One piece."""
        whole, recorded = recording(self.clip)
        speed = drawn(rng, self.speed)
        n = min(len(whole), to_samples(drawn(rng, self.seconds) * speed, recorded))
        start = int(rng.integers(len(whole) - n + 1))
        piece = np.asarray(soxr.resample(whole[start : start + n], recorded * speed, rate))
        return faded(piece, to_samples(CUT_FADE_S, rate))


def terms_of(clip: str) -> ClipTerms:
    """The terms of a recording; InputError, naming those there are, for another."""
    clips = shipped("clips.yaml", Clips).clips
    if clip not in clips:
        raise InputError(f"no recording {clip!r} in noise/clips.yaml: use one of {', '.join(sorted(clips))}")
    return clips[clip]


@cache
def recording(clip: str) -> tuple[Samples, int]:
    """Samples [n] of a recording and its rate [Hz], read once; not to be written to."""
    terms_of(clip)
    samples, rate = soundfile.read(str(resource("noise", "clips", f"{clip}.flac")), dtype="float64")
    samples.flags.writeable = False
    return samples, int(rate)
