"""The one place where seconds become samples and back."""

import math

RATE = 24_000
"""The corpus rate [Hz] unless configured: the rate at which Kokoro speaks."""


def to_samples(seconds: float, rate: int = RATE) -> int:
    """Nearest sample, halves rounded up.

    >>> to_samples(0.3)
    7200
    >>> to_samples(-0.06)
    -1440
    """
    return math.floor(seconds * rate + 0.5)


def to_seconds(samples: int, rate: int = RATE) -> float:
    """Seconds, to the microsecond, so that a printed time converts back to the same sample.

    >>> to_seconds(7200)
    0.3
    >>> all(to_samples(to_seconds(n)) == n for n in range(100_000))
    True
    """
    return round(samples / rate, 6)
