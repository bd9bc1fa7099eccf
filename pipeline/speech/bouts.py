"""When a laugh's calls sound, how high and how loud: bouts of calls, each bout ended by an inhalation.

The terms and the numbers are those of the literature:

- Provine & Yong (1991), Laughter: a stereotyped human vocalization, Ethology 89: notes of 75 ms, 210 ms from one
  onset to the next, a level that falls along the bout.
- Bachorowski, Smoski & Owren (2001), The acoustic features of human laughter, JASA 110: 4.4 calls a second, voiced
  and unvoiced calls mixed, F0 far above that of speech (272 Hz in men, 405 Hz in women), central vowels.
- Vettin & Todt (2004), Laughter in conversation, J. Nonverbal Behavior 28: about five calls a second, F0 that falls.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.samples import RATE, to_samples

Range = tuple[float, float]

PERIOD_S: Range = (0.19, 0.22)
"""From one call's onset to the next."""
VOICED_SHARE: Range = (0.38, 0.52)
"""Part of a call's time that has a voice: 75 to 115 ms."""
ONSET_SHARE: Range = (0.28, 0.42)
"""Part of the breath that comes before the voice, as in "ha"; the rest follows it."""
SLOWING = 1.02
"""Factor on the period from call to call."""
MOST_CALLS = 9
"""Calls on one breath."""
LIFT: Range = (1.8, 2.15)
"""F0 of the first call over that of the voice's vowels."""
F0_FALL: Range = (0.945, 0.975)
"""Factor on F0 from call to call."""
FALL_DB: Range = (1.6, 2.4)
"""Fall of level from call to call."""
DEEPEST_DB = 16.0
"""Most that the level falls in one bout: its last call is still heard."""
SECOND_LOUDEST = 0.35
"""Probability that the second call, not the first, is the loudest."""
UNVOICED = 0.35
"""Probability that a bout dies away in unvoiced calls, panted without a voice."""
OTHER_VOWEL = 0.2
"""Probability that a call has another vowel than its bout."""
INHALATION_S: Range = (0.26, 0.4)
INHALATION_SHARE = 0.3
"""Most of a bout's time that its inhalation takes."""
BREATHLESS_S = 0.9
"""A laugh shorter than this ends without an inhalation."""
LATER_BOUTS = 0.8
"""Length of a bout over that of the one before."""


@dataclass(frozen=True)
class Call:
    """One call. Times in samples; `start` from the start of the laugh, `onset` from the start of the call."""

    start: int
    length: int
    onset: int
    """Where the voice sets in, after breath."""
    voiced: int
    """How long it sounds; 0 in an unvoiced call."""
    vowel: int
    lift: float
    """F0 over that of the voice's vowels."""
    level_db: float
    """Level re the loudest call of the laugh."""


@dataclass(frozen=True)
class Bout:
    """Calls on one breath, and the length of the inhalation that follows the last [samples]; 0: none."""

    calls: tuple[Call, ...]
    inhalation: int

    @property
    def end(self) -> int:
        """Where the last call ends [samples from the start of the laugh]."""
        return self.calls[-1].start + self.calls[-1].length


def plan_bouts(n_samples: int, vowels: int, rng: np.random.Generator) -> list[Bout]:
    """Bouts that fill a laugh of `n_samples`: the first call starts at 0, what is last ends at `n_samples`.

    `vowels` is how many there are to choose from.
    """
    longest = to_samples(MOST_CALLS * PERIOD_S[0])
    count = -(-n_samples // (longest + to_samples(INHALATION_S[1])))
    edges = _edges(n_samples, LATER_BOUTS ** np.arange(count) * rng.uniform(0.9, 1.1, count))
    short = n_samples < to_samples(BREATHLESS_S)
    bouts = []
    for number in range(count):
        length = int(edges[number + 1] - edges[number])
        inhaled = min(to_samples(rng.uniform(*INHALATION_S)), round(INHALATION_SHARE * length))
        inhaled = 0 if short else inhaled
        bouts.append(Bout(_calls(int(edges[number]), length - inhaled, -2.0 * number, vowels, rng), inhaled))
    return bouts


def _calls(start: int, length: int, level_db: float, vowels: int, rng: np.random.Generator) -> tuple[Call, ...]:
    """Calls that fill `length` samples: nearly even, each a little longer, lower and softer than the one before."""
    count = max(1, round(length / RATE / rng.uniform(*PERIOD_S)))
    edges = start + _edges(length, SLOWING ** np.arange(count) * rng.normal(1.0, 0.06, count).clip(0.82, 1.18))
    levels = level_db + _levels(count, rng)
    lift, fall = rng.uniform(*LIFT), rng.uniform(*F0_FALL)
    vowel = int(rng.integers(vowels))
    unvoiced = int(rng.integers(1, 3)) if count > 3 and rng.random() < UNVOICED else 0
    calls = []
    for number in range(count):
        size = int(edges[number + 1] - edges[number])
        voiced = round(size * rng.uniform(*VOICED_SHARE)) if number < count - unvoiced else 0
        calls.append(
            Call(
                start=int(edges[number]),
                length=size,
                onset=round((size - voiced) * rng.uniform(*ONSET_SHARE)),
                voiced=voiced,
                vowel=int(rng.integers(vowels)) if rng.random() < OTHER_VOWEL else vowel,
                lift=lift * fall**number * rng.normal(1.0, 0.03),
                level_db=float(levels[number]),
            )
        )
    return tuple(calls)


def _levels(count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Level of each call of a bout [dB re its loudest]: falling, now and then from the second on, never evenly."""
    fall = min(rng.uniform(*FALL_DB), DEEPEST_DB / max(1, count - 1))
    levels = -fall * np.arange(count) + rng.normal(0.0, 0.8, count)
    if count > 1 and rng.random() < SECOND_LOUDEST:
        levels[0] = levels[1] - rng.uniform(1.0, 3.0)
    return np.asarray(levels - levels.max())


def _edges(length: int, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Cut `length` samples into parts of these weights: where each begins, and the end."""
    return np.round(np.concatenate([[0.0], np.cumsum(weights) / weights.sum()]) * length).astype(np.int64)
