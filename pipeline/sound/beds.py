"""Ambient beds without speech, made by recipe: a floor of noise and what is heard above it.

A scene's reference spectrum is that of the whole bed: the floor gives way to tones and babble, so that
the sum has the reference.
"""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from pipeline.errors import InputError
from pipeline.samples import RATE
from pipeline.sound.babble import Babble
from pipeline.sound.birds import Birds
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.synthesis import (
    BANDS_HZ,
    BLOCK,
    REFERENCE_BAND,
    Range,
    Rng,
    Samples,
    band_edges,
    drawn,
    drift,
    noise,
    octave_powers,
    spectrum_amplitude,
    stretched,
)

FLOOR_SHARE = 0.1
"""What the floor keeps of a band's power however much the layers take."""


class Hum(Recipe):
    """A tone and its harmonics, drifting a little: the mains, or the blades of a fan."""

    kind: Literal["hum"]
    hz: Range
    """Fundamental, drawn once a bed."""
    harmonics_db: tuple[float, ...]
    """Level of each harmonic from the fundamental on, re the scene's 1 kHz band [dB]."""
    drift_hz: float = Field(ge=0)
    """Deviation of the slow wander of the fundamental."""
    swell_db: float = Field(ge=0)
    """Deviation of its slow swell."""

    def powers(self, hz: float, rate: int) -> Samples:
        """Power that harmonics of fundamental `hz` put into each octave band [bands]."""
        out = np.zeros(len(BANDS_HZ))
        for k, db in enumerate(self.harmonics_db, 1):
            out += [10.0 ** (db / 10.0) * (lo <= k * hz < hi) for lo, hi in band_edges(rate)]
        return out

    def render(self, n: int, hz: float, rate: int, rng: Rng) -> Samples:
        """The hum [n]; harmonics are cosines of multiples of one phase, by Clenshaw's recurrence."""
        wander, step = drift(n, rate, 0.2, rng, step_s=0.1)
        phase = np.cumsum(2.0 * np.pi / rate * (hz + self.drift_hz * stretched(wander, step, n)))
        twice = 2.0 * np.cos(phase)
        later, latest = np.zeros(n), np.zeros(n)
        for db in reversed(self.harmonics_db):
            later, latest = latest, twice * latest - later + math.sqrt(2.0) * 10.0 ** (db / 20.0)
        out = 0.5 * twice * latest - later
        swell, step = drift(n, rate, 0.3, rng)
        out *= stretched(10.0 ** (self.swell_db * swell / 20.0), step, n)
        return out


class Swell(Recipe):
    """Slow changes of the floor's level: breathing air, or gusts."""

    db: float = Field(ge=0)
    """Deviation of the level."""
    hz: float = Field(gt=0)
    """About how often it turns."""


class Spectrum(Recipe):
    """Octave-band levels re the 1 kHz band, and where they are from."""

    source: str
    db: tuple[float, ...] = Field(min_length=len(BANDS_HZ), max_length=len(BANDS_HZ))

    @model_validator(mode="after")
    def _reference(self) -> "Spectrum":
        if self.db[REFERENCE_BAND] != 0.0:
            raise ValueError("the 1 kHz band is the reference: its level is 0")
        return self

    @property
    def powers(self) -> Samples:
        """The bands as powers [bands]."""
        return np.asarray(10.0 ** (np.array(self.db) / 10.0))


Layer = Annotated[Hum | Babble | Birds, Field(discriminator="kind")]


class Scene(Recipe):
    """What a scene sounds like."""

    spectrum: Spectrum
    snr_db: Range
    """Typical of the place; used where the settings ask for the scene's own range."""
    tilt_db: float = Field(ge=0)
    """The bed's slope strays from the reference by up to this, either way [dB an octave]."""
    swells: tuple[Swell, ...] = ()
    layers: tuple[Layer, ...] = ()

    def render(self, n: int, rng: Rng, rate: int = RATE) -> Samples:
        """`n` samples of the scene at any level: same generator, same samples."""
        tilt = drawn(rng, (-self.tilt_db, self.tilt_db)) * (np.arange(len(BANDS_HZ)) - REFERENCE_BAND)
        bands = self.spectrum.powers * 10.0 ** (tilt / 10.0)
        floor, out = bands.copy(), np.zeros(n)
        for layer in self.layers:
            if isinstance(layer, Hum):
                hz = drawn(rng, layer.hz)
                floor -= layer.powers(hz, rate)
                out += layer.render(n, hz, rate, rng)
            elif isinstance(layer, Babble):
                floor -= layer.powers(bands)
                out += layer.render(n, bands, rate, rng)
            else:
                songs, powers = _within(bands, layer.render(n, rate, rng), rate)
                floor -= powers
                out += songs
        floor = np.maximum(floor, FLOOR_SHARE * bands)
        out += self._swelling(noise(spectrum_amplitude(floor, BLOCK, rate), n, rng), rate, rng)
        return out

    def _swelling(self, samples: Samples, rate: int, rng: Rng) -> Samples:
        for swell in self.swells:
            curve, step = drift(len(samples), rate, swell.hz, rng)
            gain = 10.0 ** (swell.db * curve / 20.0)
            samples *= stretched(gain / math.sqrt(float(np.mean(gain**2))), step, len(samples))
        return samples


def _within(bands: Samples, songs: Samples, rate: int) -> tuple[Samples, Samples]:
    """Songs [n], softer where a dense bed of them would break the scene's bands, and their powers [bands]."""
    powers = octave_powers(songs, rate)
    most = (1.0 - FLOOR_SHARE) * bands
    share = float(np.min(np.divide(most, powers, out=np.ones_like(powers), where=powers > most)))
    return songs * math.sqrt(share), powers * share


class Scenes(Recipe):
    """The catalogue `noise/scenes.yaml`."""

    schema_version: Literal[1]
    scenes: dict[str, Scene]


def scene_named(name: str) -> Scene:
    """The recipe of a scene of the shipped catalogue; InputError, naming those there are, for another."""
    scenes = shipped("scenes.yaml", Scenes).scenes
    if name not in scenes:
        raise InputError(f"no scene {name!r} in noise/scenes.yaml: use one of {', '.join(sorted(scenes))}")
    return scenes[name]
