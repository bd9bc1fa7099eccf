"""Laughter from another room: bouts of breathy, vowel-like calls that hold no word."""

from typing import Literal

import numpy as np

from pipeline.samples import to_samples
from pipeline.sound.catalogue import Recipe
from pipeline.sound.synthesis import Range, Rng, Samples, coloured, drawn, drawn_count, filtered, laid

HARMONICS = 16


class Laughter(Recipe):
    """A bout: calls that fall in pitch and strength, each a breath and a short open vowel."""

    recipe: Literal["laughter"]
    calls: tuple[int, int]
    calls_hz: Range
    f0_hz: Range
    """Pitch of the first call."""
    fall: Range
    """Pitch of the last call re the first."""
    voiced: Range
    """Part of a call's time that has a voice."""
    formants_hz: tuple[float, ...]
    bandwidth_hz: float
    breath_db: Range
    muffle_hz: Range
    """What the wall between lets through."""

    def render(self, rng: Rng, rate: int) -> Samples:
        """One bout."""
        count, period = drawn_count(rng, self.calls), 1.0 / drawn(rng, self.calls_hz)
        f0, fall, tract = drawn(rng, self.f0_hz), drawn(rng, self.fall), rng.uniform(0.9, 1.15)
        pieces: list[tuple[int, Samples]] = []
        for k in range(count):
            x = k / max(1, count - 1)
            # The second call is the highest, as in most bouts.
            pitch = f0 * (1.0 + 0.08 * (k == 1)) * fall**x * rng.uniform(0.97, 1.03)
            call = self._call(period, pitch, tract, rate, rng) * 10.0 ** (-(9.0 * x + rng.uniform(0.0, 2.0)) / 20.0)
            pieces.append((to_samples(k * period * (1.0 + 0.15 * x), rate), call))
        bout = laid(pieces, pieces[-1][0] + len(pieces[-1][1]))
        return filtered(bout, 120.0, drawn(rng, self.muffle_hz), rate)

    def _call(self, period: float, f0: float, tract: float, rate: int, rng: Rng) -> Samples:
        n = to_samples(period, rate)
        x = np.arange(n) / n
        breath = 10.0 ** (drawn(rng, self.breath_db) / 20.0) * np.sin(np.pi * x**0.5) ** 2
        voiced = drawn(rng, self.voiced)
        return np.asarray(self._vowel(voiced, f0, tract, n, rate, rng) + breath * coloured(n, 500.0, 3500.0, rate, rng))

    def _vowel(self, voiced: float, f0: float, tract: float, n: int, rate: int, rng: Rng) -> Samples:
        start = (1.0 - voiced) * 0.6
        x = ((np.arange(n) / n - start) / voiced).clip(0.0, 1.0)
        pitch = f0 * (1.06 - 0.14 * x) * (1.0 + 0.01 * np.sin(2.0 * np.pi * rng.random() + 40.0 * x))
        phase = np.cumsum(2.0 * np.pi * pitch / rate)
        hz = f0 * np.arange(1.0, HARMONICS + 1.0)
        levels = self._tract_gain(hz / tract) / np.arange(1.0, HARMONICS + 1.0)
        voice = sum(a * np.sin(k * phase) for k, a in enumerate(levels, 1))
        voice = np.asarray(voice) * np.sin(np.pi * x) ** 1.2
        return np.asarray(voice / np.abs(voice).max())

    def _tract_gain(self, hz: Samples) -> Samples:
        """Gain of the vocal tract at `hz`: resonances side by side."""
        formants = np.array(self.formants_hz)
        return np.asarray((1.0 / (1.0 + ((hz[:, None] - formants) / self.bandwidth_hz) ** 2)).sum(axis=1))
