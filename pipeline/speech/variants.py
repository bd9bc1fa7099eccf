"""How a listener's "yeah" differs from that same voice's next one: its pace, F0 and energy, drawn for each.

The pace is the clock's, so that planned times are those of the variant; F0 and energy are shaped between prosody and
decoder, which moves no time. All of it stands in the utterance's `speed` and `prosody`.

What is varied is what backchannels have of their own: pitch, intensity and slope of pitch (Benus, Gravano & Hirschberg
2007, The prosody of backchannels in American English, ICPhS XVI). The spreads are our own choice.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.samples import to_samples
from pipeline.speech.backend import Backend, Clocked
from pipeline.speech.prosody import LIMITS
from pipeline.speech.voices import Voice
from pipeline.text import words_of

SHORTEST_S, LONGEST_S = 0.2, 1.2
"""Of a backchannel from onset to offset; the latter of one of three words at most."""
MOST_WORDS = 3
SPREADS = {"pitch": 0.09, "span": 0.30, "final": 0.10, "force": 0.10, "swell": 0.18}
"""Standard deviation of each edit's logarithm (see :data:`pipeline.speech.prosody.EDITS`): 1.6 semitones of pitch."""
STRETCH = 0.16
"""Standard deviation of the logarithm of the duration."""
WIDEST = 2.0
"""Standard deviations at which a draw is cut."""
MARGIN = 1.05
"""A sound that is too long or too short is said this much faster or slower than the limit asks."""
TRIES = 4


@dataclass(frozen=True)
class Variant:
    """One way to say something: a factor on its duration, and edits of its prosody."""

    stretch: float
    edits: dict[str, float]


def variant(rng: np.random.Generator, variety: float = 1.0) -> Variant:
    """Draw one; `variety` 1 has the spreads that are stated here, 0 none at all."""
    stretch, *factors = (_factor(spread * variety, rng) for spread in (STRETCH, *SPREADS.values()))
    edits = dict(zip(SPREADS, factors, strict=True))
    return Variant(stretch, {name: factor for name, factor in edits.items() if factor != 1.0})


def clocked_variant(
    backend: Backend,
    written: str,
    voice: Voice,
    rng: np.random.Generator,
    speed: float | None = None,
    variety: float = 1.0,
) -> Clocked:
    """Time a backchannel in a way of its own, at such a pace that it lasts 0.2 to 1.2 s.

    More than three words may last longer. Around `speed` (None: the voice's own) the pace is drawn.

    Raises
    ------
    ScriptError
        when nothing in the text can be said.

    """
    made = variant(rng, variety)
    speed = (speed or voice.calibration.speed) / made.stretch
    for _ in range(TRIES):
        clocked = backend.clock(written, voice, round(speed, 4), made.edits)
        excess = _excess(clocked)
        if excess == 1.0:
            break
        speed *= excess * (MARGIN if excess > 1 else 1 / MARGIN)
    return clocked


def _factor(spread: float, rng: np.random.Generator) -> float:
    """A factor around 1, lognormal, cut at both ends."""
    factor = np.exp(spread * np.clip(rng.standard_normal(), -WIDEST, WIDEST))
    return round(float(np.clip(factor, *LIMITS)), 3)


def _excess(clocked: Clocked) -> float:
    """How many times too long the speech is; below 1: too short; 1: neither."""
    length = clocked.speech.length
    longest = to_samples(LONGEST_S) if len(words_of(clocked.written)) <= MOST_WORDS else length
    return length / min(max(length, to_samples(SHORTEST_S)), longest)
