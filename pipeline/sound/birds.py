"""Bird-like chirps, far off."""

from typing import Literal

import numpy as np
from pydantic import Field

from pipeline.samples import to_samples
from pipeline.sound.catalogue import Recipe
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, drawn_count, laid


class Birds(Recipe):
    """Songs of a few sweeping notes each, at random times."""

    kind: Literal["birds"]
    songs_hz: float = Field(gt=0)
    """Songs a second, on average."""
    notes: tuple[int, int]
    note_s: Range
    rest_s: Range
    """Between notes of a song."""
    hz: Range
    """Where a song lies."""
    sweep: float = Field(ge=0)
    """Largest glide of a note, as a part of its frequency."""
    level_db: Range
    """Level of a note while it sounds, re the scene's 1 kHz band."""

    def render(self, n: int, rate: int, rng: Rng) -> Samples:
        """All songs of a bed [n]."""
        notes: list[tuple[int, Samples]] = []
        at = rng.exponential(1.0 / self.songs_hz)
        while at * rate < n:
            notes += self._song(at, rate, rng)
            at += rng.exponential(1.0 / self.songs_hz)
        return laid(notes, n)

    def _song(self, at: float, rate: int, rng: Rng) -> list[tuple[int, Samples]]:
        centre, level = drawn(rng, self.hz), drawn(rng, self.level_db)
        out = []
        for _ in range(drawn_count(rng, self.notes)):
            seconds = drawn(rng, self.note_s)
            out.append((to_samples(at, rate), self._note(seconds, centre, level, rate, rng)))
            at += seconds + drawn(rng, self.rest_s)
        return out

    def _note(self, seconds: float, centre: float, level_db: float, rate: int, rng: Rng) -> Samples:
        n = to_samples(seconds, rate)
        x = np.arange(n) / n
        glide = centre * (1.0 + rng.uniform(-self.sweep, self.sweep) * (x - 0.5) + 0.04 * np.sin(np.pi * x))
        tone = np.sin(2.0 * np.pi * np.cumsum(glide) / rate)
        return np.asarray(tone * np.sin(np.pi * x) ** 2 * np.sqrt(2.0) * 10.0 ** (level_db / 20.0))
