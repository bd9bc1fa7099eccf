"""Sounds that are synthetic in real life too, or struck metal: chime, phone, school bell, alarm."""

from typing import Literal

import numpy as np

from pipeline.samples import to_samples
from pipeline.sound.catalogue import Recipe
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, drawn_count, faded, laid, modes


class Chime(Recipe):
    """A notification: a few bell-like tones in rising or falling steps."""

    recipe: Literal["chime"]
    hz: Range
    steps: tuple[tuple[int, ...], ...]
    """Melodies in semitones above `hz`; one is drawn."""
    gap_s: Range
    decay_s: Range
    partials: tuple[float, ...]
    """Frequencies of a tone's partials re its fundamental."""
    partials_db: tuple[float, ...]

    def render(self, rng: Rng, rate: int) -> Samples:
        """One chime."""
        base, gap, decay = drawn(rng, self.hz), drawn(rng, self.gap_s), drawn(rng, self.decay_s)
        melody = self.steps[int(rng.integers(len(self.steps)))]
        n = to_samples(gap * (len(melody) - 1) + 8.0 * decay, rate)
        tones = []
        for k, step in enumerate(melody):
            hz = base * 2.0 ** (step / 12.0)
            onset = to_samples(k * gap, rate)
            tones.append((onset, self._tone(hz, decay, n - onset, rate)))
        return laid(tones, n)

    def _tone(self, hz: float, decay_s: float, n: int, rate: int) -> Samples:
        levels = [10.0 ** (db / 20.0) for db in self.partials_db]
        decays = [decay_s / ratio**0.7 for ratio in self.partials]
        tone = modes([hz * ratio for ratio in self.partials], decays, levels, n, rate)
        return tone * (1.0 - np.exp(-np.arange(n) / (0.004 * rate)))


class PhoneRing(Recipe):
    """An electronic trill: two tones that take turns, in bursts."""

    recipe: Literal["phone_ring"]
    hz: Range
    ratio: Range
    """The second tone re the first."""
    trill_hz: Range
    ring_s: Range
    rest_s: Range
    rings: tuple[int, int]
    harmonics_db: tuple[float, ...]

    def render(self, rng: Rng, rate: int) -> Samples:
        """One call's rings."""
        hz, ratio, trill = drawn(rng, self.hz), drawn(rng, self.ratio), drawn(rng, self.trill_hz)
        ring_s, rest_s = drawn(rng, self.ring_s), drawn(rng, self.rest_s)
        ring = self._ring(hz, ratio, trill, to_samples(ring_s, rate), rate)
        count = drawn_count(rng, self.rings)
        onsets = [to_samples(k * (ring_s + rest_s), rate) for k in range(count)]
        return laid([(onset, ring) for onset in onsets], onsets[-1] + len(ring))

    def _ring(self, hz: float, ratio: float, trill: float, n: int, rate: int) -> Samples:
        t = np.arange(n) / rate
        # The switch between the two tones is rounded, so that it does not click.
        upper = 0.5 + 0.5 * np.tanh(6.0 * np.sin(2.0 * np.pi * trill * t))
        phase = np.cumsum(2.0 * np.pi * hz * (1.0 + (ratio - 1.0) * upper) / rate)
        return faded(_harmonics(phase, self.harmonics_db), to_samples(0.012, rate))


class SchoolBell(Recipe):
    """An electric bell: a hammer that strikes a gong many times a second."""

    recipe: Literal["school_bell"]
    strikes_hz: Range
    seconds: Range
    hz: Range
    """The gong's lowest mode."""
    ratios: tuple[float, ...]
    decay_s: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """One ring of the bell and its dying away."""
        strikes, seconds, decay = drawn(rng, self.strikes_hz), drawn(rng, self.seconds), drawn(rng, self.decay_s)
        hz = drawn(rng, self.hz) * np.array(self.ratios) * rng.uniform(0.99, 1.01, len(self.ratios))
        decays = [decay / ratio**0.5 for ratio in self.ratios]
        levels = rng.uniform(0.4, 1.0, len(hz)) / np.sqrt(self.ratios)
        gong = modes(list(hz), decays, list(levels), to_samples(8.0 * decay, rate), rate)
        gong *= 1.0 - np.exp(-np.arange(len(gong)) / (0.0008 * rate))
        count = int(seconds * strikes)
        onsets = np.cumsum(rng.normal(1.0, 0.03, count)) / strikes
        pieces = [(to_samples(float(at), rate), float(rng.uniform(0.8, 1.0)) * gong) for at in onsets]
        return laid(pieces, to_samples(seconds + 8.0 * decay, rate))


class AlarmBeep(Recipe):
    """Beeps of a small sounder, in groups."""

    recipe: Literal["alarm_beep"]
    hz: Range
    beep_s: Range
    gap_s: Range
    beeps: tuple[int, int]
    groups: tuple[int, int]
    rest_s: Range
    harmonics_db: tuple[float, ...]

    def render(self, rng: Rng, rate: int) -> Samples:
        """One alarm."""
        hz, beep_s, gap_s = drawn(rng, self.hz), drawn(rng, self.beep_s), drawn(rng, self.gap_s)
        n = to_samples(beep_s, rate)
        beep = _harmonics(2.0 * np.pi * hz * np.arange(n) / rate, self.harmonics_db)
        beep = faded(beep, to_samples(0.004, rate))
        beeps, rest = drawn_count(rng, self.beeps), drawn(rng, self.rest_s)
        group_s = beeps * (beep_s + gap_s) + rest
        at = [g * group_s + b * (beep_s + gap_s) for g in range(drawn_count(rng, self.groups)) for b in range(beeps)]
        return laid([(to_samples(t, rate), beep) for t in at], to_samples(at[-1], rate) + n)


def _harmonics(phase: Samples, levels_db: tuple[float, ...]) -> Samples:
    """Sines at multiples of a phase [n]."""
    return np.asarray(sum(10.0 ** (db / 20.0) * np.sin(k * phase) for k, db in enumerate(levels_db, 1)))
