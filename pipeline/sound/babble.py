"""Many talkers at once, none intelligible: speech-shaped noise that moves as syllables do.

Each talker is a power envelope over time and frequency; the powers add, the room smears them, and one
noise is shaped by the sum. No talker has a pitch or a word, so there is nothing for a speech detector.
"""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pipeline.sound.catalogue import Recipe
from pipeline.sound.synthesis import (
    BANDS_HZ,
    Range,
    Rng,
    Samples,
    bins_hz,
    blocks_for,
    drawn,
    noise,
    spectrum_amplitude,
)

FRAME = 2048
"""Samples of a frame; half of one is the step in time."""
SILENCE = 1e-3
Share = Annotated[float, Field(gt=0, lt=1)]
LOUDNESS_DB = 3.0
"""Deviation of how loud or how near talkers are."""


class Babble(Recipe):
    """A crowd."""

    kind: Literal["babble"]
    talkers: int = Field(ge=6)
    """Fewer would leave single voices to be heard."""
    share: tuple[Share, ...] = Field(min_length=len(BANDS_HZ), max_length=len(BANDS_HZ))
    """Part of the scene's power that is babble, by octave band."""
    syllables_hz: Range
    """Syllables a second of a talker."""
    spurt_s: Range
    """How long a talker speaks on."""
    pause_s: Range
    """How long a talker is silent."""
    formant_db: float = Field(ge=0)
    """Deviation of a syllable's bands from the long-term spectrum."""
    rt60_s: float = Field(gt=0)
    """Reverberation that smears it."""
    scene_db: float = Field(default=0.0, ge=0)
    """Deviation of level steps of the whole, such as a programme's cuts."""
    scene_s: float = Field(default=4.0, gt=0)
    """Mean time between such steps."""

    def powers(self, bands: Samples) -> Samples:
        """Its part of the scene's octave-band powers [bands]."""
        return np.asarray(bands * np.array(self.share))

    def render(self, n: int, bands: Samples, rate: int, rng: Rng) -> Samples:
        """The babble [n] of a scene whose octave-band powers are `bands`."""
        frames = blocks_for(n, FRAME, FRAME // 2)
        frame_s = FRAME / 2.0 / rate
        lead = math.ceil(self.rt60_s / frame_s)
        power = sum(self._talker(frames + lead, frame_s, rng) for _ in range(self.talkers))
        power = np.asarray(power) * self._cuts(frames + lead, frame_s, rng)[:, None]
        power = _smeared(power, self.rt60_s, frame_s)[lead:]
        power /= power.mean(axis=0)
        spectrum = spectrum_amplitude(self.powers(bands), FRAME, rate)
        return noise(np.sqrt(_over_bins(power, rate)) * spectrum, n, rng, FRAME // 2)

    def _talker(self, frames: int, frame_s: float, rng: Rng) -> Samples:
        """Power over time and octave band of one talker [frames, bands]."""
        rate_hz = drawn(rng, self.syllables_hz)
        count = math.ceil(frames * frame_s * rate_hz) + 2
        shapes = rng.normal(0.0, self.formant_db, (count, len(BANDS_HZ)))
        place = np.arange(frames) * frame_s * rate_hz + rng.random()
        syllable = place.astype(np.int64)
        swing = 0.5 - 0.5 * np.cos(2.0 * np.pi * (place - syllable))
        power = 10.0 ** (shapes[syllable] / 10.0) * (swing**2)[:, None]
        loudness = 10.0 ** (rng.normal(0.0, LOUDNESS_DB) / 10.0)
        return np.asarray(power * self._spurts(frames, frame_s, rng)[:, None] * loudness)

    def _spurts(self, frames: int, frame_s: float, rng: Rng) -> Samples:
        """1 while a talker speaks, a little above 0 while not [frames]."""
        rounds = math.ceil(frames * frame_s / (self.spurt_s[0] + self.pause_s[0])) + 1
        lengths = np.stack([rng.uniform(*self.spurt_s, rounds), rng.uniform(*self.pause_s, rounds)], axis=1)
        edges = np.cumsum(lengths.reshape(-1)) - rng.random() * lengths[0].sum()
        place = np.searchsorted(edges, np.arange(frames) * frame_s, side="right")
        return np.where(place % 2 == 0, 1.0, SILENCE)

    def _cuts(self, frames: int, frame_s: float, rng: Rng) -> Samples:
        """Power factor of the whole, a step at each cut [frames]."""
        count = math.ceil(frames * frame_s / self.scene_s * 2.0) + 8
        edges = np.cumsum(rng.exponential(self.scene_s, count))
        levels = rng.normal(0.0, self.scene_db, count + 1)
        place = np.searchsorted(edges, np.arange(frames) * frame_s)
        return np.asarray(10.0 ** (levels[place] / 10.0))


def _smeared(power: Samples, rt60_s: float, frame_s: float) -> Samples:
    """Power [frames, bands] through a room that loses 60 dB in `rt60_s`."""
    decay = 10.0 ** (-6.0 * np.arange(math.ceil(rt60_s / frame_s)) * frame_s / rt60_s)
    return np.stack([np.convolve(band, decay)[: len(power)] for band in power.T], axis=1)


def _over_bins(power: Samples, rate: int) -> Samples:
    """Band factors [frames, bands] spread over the bins of a frame [frames, bins], straight between centres."""
    octaves = np.log2(np.maximum(bins_hz(FRAME, rate), 1.0))
    x = np.interp(octaves, np.log2(BANDS_HZ), np.arange(len(BANDS_HZ)))
    low = np.minimum(x.astype(np.int64), len(BANDS_HZ) - 2)
    below = power[:, low]
    return np.asarray(below + (power[:, low + 1] - below) * (x - low))
