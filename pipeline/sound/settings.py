"""Settings of stage 4, one field a key of the configuration group `noise`."""

from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from pipeline.errors import ConfigError
from pipeline.records.base import Record, first_fault
from pipeline.resources import resource
from pipeline.sound.beds import scene_named
from pipeline.sound.effects import effect_named
from pipeline.sound.synthesis import Range


class EffectSettings(Record):
    """Sound effects."""

    slots: tuple[int, ...] = Field(min_length=1)
    """How many a conversation gets: one of these, drawn uniformly."""
    labels: tuple[str, ...]
    """What they may be; those of one conversation differ."""
    max_s: float = Field(gt=0)
    """Longest effect."""
    below_db: float
    """Active RMS below the active-speech level."""
    peak_db: float
    """Cap of the peak, above the active-speech level."""
    fade_s: float = Field(ge=0)

    @model_validator(mode="after")
    def _enough_labels(self) -> Self:
        if min(self.slots) < 0 or max(self.slots) > len(self.labels):
            raise ValueError(f"slots {list(self.slots)} need as many labels, and there are {len(self.labels)}")
        return self


class DistantSettings(Record):
    """Distant speech."""

    probability: float = Field(ge=0, le=1)
    """That a conversation has any."""
    snippets: tuple[int, int]
    """Fewest and most."""
    seconds: Range
    """Shortest and longest snippet."""
    below_db: float
    """Active RMS below the active-speech level."""
    fade_s: float = Field(ge=0)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for name, (low, high) in (("snippets", self.snippets), ("seconds", self.seconds)):
            if not 0 < low <= high:
                raise ValueError(f"{name} [{low}, {high}] needs two positive numbers in order")
        return self


class NoiseSettings(Record):
    """Stage 4."""

    kind: Literal["embedded", "musan"]
    """The bank: the project's own sounds, or a MUSAN directory."""
    musan: Path | None = None
    """The folder that holds `noise` and `speech` of MUSAN; None: where `make musan` puts it."""
    scene: str | None = None
    """A scene for all conversations, in place of the one planned."""
    scenes: dict[str, float] = Field(min_length=1)
    """Weight of each scene in the plan."""
    bed: bool
    """Whether there is an ambient bed."""
    snr_db: Range
    """Active-speech level over the bed, drawn uniformly."""
    snr_by_scene: bool = False
    """Draw from the scene's own typical range instead of `snr_db`."""
    effects: EffectSettings
    distant: DistantSettings

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.snr_db[0] > self.snr_db[1]:
            raise ValueError(f"snr_db {list(self.snr_db)} needs its lower end first")
        if min(self.scenes.values()) < 0 or sum(self.scenes.values()) <= 0:
            raise ValueError("the weights of scenes need to be 0 or more, one of them above")
        return self

    @model_validator(mode="after")
    def _in_catalogue(self) -> Self:
        """Names of the project's own sounds are known before anything is made; MUSAN's are nominal."""
        if self.kind == "embedded":
            for scene in (*self.scenes, *([self.scene] if self.scene else [])):
                scene_named(scene)
            for label in self.effects.labels:
                effect_named(label)
        return self

    @property
    def silent(self) -> bool:
        """Whether nothing is mixed in, so that noisy equals clean."""
        return not (self.bed or any(self.effects.slots) or self.distant.probability)

    @classmethod
    def shipped(cls, **changes: Any) -> Self:
        """The settings of `conf/noise/embedded.yaml` with top-level fields changed.

        Raises
        ------
        ConfigError
            in one line, when a change cannot be used.

        """
        data = yaml.safe_load(resource("conf", "noise", "embedded.yaml").read_text(encoding="utf-8"))
        try:
            return cls.model_validate({**data, **changes})
        except ValidationError as error:
            raise ConfigError(f"noise: {first_fault(error)}") from None
