"""Where noise comes from: one interface, met by the project's own sounds and by a MUSAN directory."""

from dataclasses import dataclass
from typing import Protocol

from pipeline.records.nuisance import Clip
from pipeline.sound.synthesis import Rng, Samples


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples [n] at any level, and where they came from."""

    samples: Samples
    clip: Clip


class NoiseBank(Protocol):
    """Draws sounds, and makes a drawn one again from its clip alone."""

    @property
    def rate(self) -> int:
        """Rate of all samples [Hz]."""
        ...

    def identity(self) -> str:
        """What its sounds depend on beside the generator and the voices: part of fingerprints."""
        ...

    def bed(self, scene: str, n: int, rng: Rng) -> Sound:
        """`n` samples of ambience without speech."""
        ...

    def effect(self, label: str, max_s: float, rng: Rng) -> Sound:
        """A sound effect of at most `max_s`."""
        ...

    def distant(self, seconds: float, rng: Rng) -> Sound:
        """A snippet of distant speech."""
        ...

    def recall(self, clip: Clip) -> Samples:
        """The samples that were drawn with this clip, to the last bit."""
        ...
