"""Things that are hit, shoved or handled: keys, dishes, a door, chairs, paper."""

from typing import Literal

import numpy as np

from pipeline.samples import to_samples
from pipeline.sound.catalogue import Recipe
from pipeline.sound.levels import convolve
from pipeline.sound.synthesis import (
    Range,
    Rng,
    Samples,
    coloured,
    drawn,
    drawn_count,
    fade_curve,
    laid,
    modes,
    stretched,
)


def _click(seconds: float, low_hz: float, high_hz: float, rate: int, rng: Rng) -> Samples:
    """A burst of contact noise with peak 1 that starts at once and is gone after `seconds`."""
    n = to_samples(seconds, rate)
    t = np.arange(n) / n
    burst = coloured(n, low_hz, high_hz, rate, rng) * np.exp(-5.0 * t) * (1.0 - np.exp(-60.0 * t)) * (1.0 - t)
    return _to_peak(burst)


class Keyboard(Recipe):
    """Typing: for each key its way down, its landing and its softer way up."""

    recipe: Literal["keyboard"]
    seconds: Range
    interval_s: Range
    """Median time between keys, drawn once."""
    spread: float
    """Deviation of the logarithm of that time."""
    travel_s: Range
    """From first contact to the landing."""
    hold_s: Range
    """From the landing to the release."""
    click_hz: Range
    thump_hz: Range
    thump_db: Range
    """The board's thump re the click of the landing."""
    force_db: float
    """Deviation of how hard keys are struck."""
    release_db: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """A bout of typing."""
        n, interval = to_samples(drawn(rng, self.seconds), rate), drawn(rng, self.interval_s)
        strokes: list[tuple[int, Samples]] = []
        at = 0.02
        while at * rate < n - to_samples(0.25, rate):
            strokes += self._stroke(at, rate, rng)
            at += interval * float(np.exp(rng.normal(0.0, self.spread)))
        return laid(strokes, n)

    def _stroke(self, at: float, rate: int, rng: Rng) -> list[tuple[int, Samples]]:
        force = 10.0 ** (rng.normal(0.0, self.force_db) / 20.0)
        down = at + drawn(rng, self.travel_s)
        up = down + drawn(rng, self.hold_s)
        release = force * 10.0 ** (drawn(rng, self.release_db) / 20.0)
        return [
            (to_samples(at, rate), 0.35 * force * self._contact(0.006, rate, rng)),
            (to_samples(down, rate), force * self._landing(rate, rng)),
            (to_samples(up, rate), release * self._contact(0.010, rate, rng)),
        ]

    def _contact(self, seconds: float, rate: int, rng: Rng) -> Samples:
        centre = drawn(rng, self.click_hz)
        return _click(seconds, centre / 1.6, centre * 1.6, rate, rng)

    def _landing(self, rate: int, rng: Rng) -> Samples:
        n = to_samples(0.05, rate)
        hz = drawn(rng, self.thump_hz) * np.array([1.0, 2.3, 4.1, 7.3])
        body = modes(list(hz), [0.010, 0.007, 0.004, 0.003], [1.0, 1.0, 0.8, 0.6], n, rate)
        body *= 10.0 ** (drawn(rng, self.thump_db) / 20.0)
        body += laid([(0, self._contact(0.014, rate, rng))], n)
        return body


class Dishes(Recipe):
    """Plates and cutlery: stiff bodies with inharmonic modes, some of them bouncing."""

    recipe: Literal["dishes"]
    impacts: tuple[int, int]
    gap_s: Range
    hz: Range
    """Lowest mode of a piece."""
    modes: tuple[int, int]
    stretch: Range
    """Each mode re the one below."""
    decay_s: Range
    """Of the lowest mode; higher ones die sooner."""
    bounces: tuple[int, int]
    bounce_s: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """A clatter."""
        pieces: list[tuple[int, Samples]] = []
        at = 0.01
        for _ in range(drawn_count(rng, self.impacts)):
            pieces += self._impact(at, rate, rng)
            at += drawn(rng, self.gap_s)
        return laid(pieces, max(onset + len(piece) for onset, piece in pieces))

    def _impact(self, at: float, rate: int, rng: Rng) -> list[tuple[int, Samples]]:
        body = self._body(rate, rng)
        level, gap = 10.0 ** (-drawn(rng, (0.0, 12.0)) / 20.0), drawn(rng, self.bounce_s)
        out = []
        for _ in range(1 + drawn_count(rng, self.bounces)):
            out.append((to_samples(at, rate), level * body))
            at, gap, level = at + gap, gap * 0.62, level * 0.5
        return out

    def _body(self, rate: int, rng: Rng) -> Samples:
        count, decay = drawn_count(rng, self.modes), drawn(rng, self.decay_s)
        steps = rng.uniform(*self.stretch, count - 1)
        hz = drawn(rng, self.hz) * np.concatenate([[1.0], np.cumprod(steps)])
        decays = decay * (hz[0] / hz) ** 0.8
        ring = modes(list(hz), list(decays), list(rng.uniform(0.3, 1.0, count)), to_samples(8.0 * decay, rate), rate)
        ring *= 1.0 - np.exp(-np.arange(len(ring)) / (0.0002 * rate))
        return np.asarray(
            ring / np.abs(ring).max() + laid([(0, 0.4 * _click(0.004, 2000.0, 9000.0, rate, rng))], len(ring))
        )


class Knock(Recipe):
    """Knuckles on a wooden door."""

    recipe: Literal["knock"]
    knocks: tuple[int, int]
    gap_s: Range
    hz: Range
    """The panel's lowest mode."""
    ratios: tuple[float, ...]
    decay_s: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """One knocking."""
        hz, gap, decay = drawn(rng, self.hz), drawn(rng, self.gap_s), drawn(rng, self.decay_s)
        pieces: list[tuple[int, Samples]] = []
        at = 0.01
        for _ in range(drawn_count(rng, self.knocks)):
            pieces.append((to_samples(at, rate), self._knock(hz, decay, rate, rng)))
            at += gap * rng.uniform(0.9, 1.1)
        return laid(pieces, pieces[-1][0] + len(pieces[-1][1]))

    def _knock(self, hz: float, decay: float, rate: int, rng: Rng) -> Samples:
        ratios = np.array(self.ratios)
        levels = rng.uniform(0.5, 1.0, len(ratios)) / ratios**0.3
        n = to_samples(8.0 * decay, rate)
        body = modes(list(hz * ratios), list(decay / ratios**0.6), list(levels), n, rate)
        body += laid([(0, 0.5 * _click(0.006, 700.0, 4000.0, rate, rng))], n)
        return np.asarray(body * 10.0 ** (rng.normal(0.0, 1.5) / 20.0))


class Chairs(Recipe):
    """A chair pushed over the floor: slips and sticks that shake its frame, and a thump where it stops."""

    recipe: Literal["chairs"]
    scrapes: tuple[int, int]
    scrape_s: Range
    rest_s: Range
    slips_hz: Range
    """Slips a second in the middle of a scrape."""
    hz: Range
    """Lowest mode of the frame."""
    modes: tuple[int, int]
    decay_s: Range
    thump_db: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """One chair moved."""
        count = drawn_count(rng, self.modes)
        hz = np.sort(drawn(rng, self.hz) * rng.uniform(1.0, 14.0, count))
        decays = drawn(rng, self.decay_s) * (hz[0] / hz) ** 0.5
        frame = modes(list(hz), list(decays), list(rng.uniform(0.2, 1.0, count)), to_samples(0.15, rate), rate)
        pieces: list[tuple[int, Samples]] = []
        at = 0.0
        for _ in range(drawn_count(rng, self.scrapes)):
            seconds = drawn(rng, self.scrape_s)
            pieces.append((to_samples(at, rate), self._scrape(seconds, frame, rate, rng)))
            at += seconds + drawn(rng, self.rest_s)
        pieces.append((to_samples(at - 0.05, rate), self._thump(rate, rng)))
        return laid(pieces, max(onset + len(piece) for onset, piece in pieces))

    def _scrape(self, seconds: float, frame: Samples, rate: int, rng: Rng) -> Samples:
        n = to_samples(seconds, rate)
        x = np.arange(n) / n
        push = np.sin(np.pi * x**0.8) ** 0.7
        speed = drawn(rng, self.slips_hz) * (0.5 + 0.5 * push) * (1.0 + 0.25 * _wobble(n, rate, rng))
        slips = np.flatnonzero(np.diff(np.floor(np.cumsum(speed / rate))) > 0)
        force = np.zeros(n)
        force[slips] = push[slips] * rng.lognormal(0.0, 0.6, len(slips))
        force += 0.04 * push * coloured(n, 300.0, 6000.0, rate, rng)
        return _to_peak(convolve(force, frame))

    def _thump(self, rate: int, rng: Rng) -> Samples:
        hz = rng.uniform(70.0, 110.0) * np.array([1.0, 1.9, 3.2, 5.1])
        body = modes(list(hz), [0.05, 0.03, 0.02, 0.01], [1.0, 0.7, 0.4, 0.3], to_samples(0.3, rate), rate)
        return np.asarray(_to_peak(body) * 10.0 ** (drawn(rng, self.thump_db) / 20.0))


class Paper(Recipe):
    """Sheets shuffled: strokes of many tiny crackles over a hiss."""

    recipe: Literal["paper"]
    strokes: tuple[int, int]
    stroke_s: Range
    rest_s: Range
    crackles_hz: Range
    """Crackles a second at the height of a stroke."""
    low_hz: Range
    high_hz: Range

    def render(self, rng: Rng, rate: int) -> Samples:
        """One shuffle."""
        pieces: list[tuple[int, Samples]] = []
        at = 0.0
        for _ in range(drawn_count(rng, self.strokes)):
            seconds = drawn(rng, self.stroke_s)
            pieces.append((to_samples(at, rate), self._stroke(seconds, rate, rng)))
            at += seconds + drawn(rng, self.rest_s)
        return laid(pieces, pieces[-1][0] + len(pieces[-1][1]))

    def _stroke(self, seconds: float, rate: int, rng: Rng) -> Samples:
        n = to_samples(seconds, rate)
        x = np.arange(n) / n
        hand = np.sin(np.pi * x ** rng.uniform(0.6, 1.6)) ** 1.5 * (1.0 + 0.4 * _wobble(n, rate, rng)).clip(0.1)
        crackle = rng.random(n) < hand * drawn(rng, self.crackles_hz) / rate
        force = np.where(crackle, rng.standard_normal(n) * rng.lognormal(0.0, 0.4, n), 0.0)
        sheet = coloured(to_samples(0.004, rate), drawn(rng, self.low_hz), drawn(rng, self.high_hz), rate, rng)
        sheet *= fade_curve(len(sheet))[::-1]
        hiss = 0.5 * hand * coloured(n, 1500.0, 8000.0, rate, rng)
        crackles = convolve(force, sheet)[:n]
        return _to_peak(crackles / np.sqrt(np.mean(crackles**2)) + hiss / np.sqrt(np.mean(hiss**2)) * 0.5)


def _wobble(n: int, rate: int, rng: Rng, hz: float = 18.0) -> Samples:
    """A rough random curve of about `hz`, deviation 1 [n]."""
    step = to_samples(1.0 / hz, rate)
    return stretched(rng.standard_normal(n // step + 2), step, n)


def _to_peak(samples: Samples) -> Samples:
    return np.asarray(samples / np.abs(samples).max())
