"""The voice pool: 24 voices in two disjoint splits, each with its calibration (level, pace, energy rule)."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import yaml
from pydantic import Field

from pipeline.errors import ConfigError
from pipeline.records.base import Record
from pipeline.resources import resource

Split = Literal["dev", "test"]


class EnergyRule(Record):
    """How Kokoro's energy curve tells where speech starts and ends, for one voice.

    Speech reaches from the first value above `onset` to the last above `offset`, each moved by a shift [ms].
    A stretch below `pause` is silent.
    """

    onset: float = 0.5
    onset_shift_ms: float = 0.0
    offset: float = 0.5
    offset_shift_ms: float = 0.0
    pause: float = 0.0

    @property
    def highest(self) -> float:
        """The threshold above which energy is speech by every part of the rule."""
        return max(self.onset, self.offset, self.pause)


class Calibration(Record):
    """What `python -m pipeline.calibrate` measured of a voice."""

    gain_db: float = 0.0
    """Constant gain that brings the voice to the common loudness [dB]."""
    peak_dbfs: float = 0.0
    """Highest peak at that gain [dBFS]."""
    pace_wpm: float = 180.0
    """Words a minute at speed 1, pauses included."""
    speed: float = Field(default=1.0, gt=0)
    """Speed that brings the pace into a natural range."""
    rule: EnergyRule = EnergyRule()
    onset_error_ms: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Measured minus planned onset: 10th, 50th and 90th percentile [ms]."""
    offset_error_ms: tuple[float, float, float] = (0.0, 0.0, 0.0)
    within_40_ms: float = 0.0
    """Share of utterances whose onset and offset both lie within 40 ms of the plan."""
    lost: float = 0.0
    """Share of utterances that still sound, 35 dB under the loud frames, 60 ms after the planned offset."""
    voice_sha256: str = ""


class Voice(Record):
    """One voice of the pool."""

    id: str
    kokoro: str
    gender: Literal["F", "M"]
    style: str
    split: Split
    language: str = "en"
    grade: str = ""
    """The publisher's own grade of the voice's quality."""
    calibration: Calibration = Calibration()

    @property
    def british(self) -> bool:
        """Whether it speaks British English."""
        return self.language == "en-GB"


@lru_cache(maxsize=1)
def pool() -> dict[str, Voice]:
    """All voices by id, in the order of the pool, with their calibration.

    Raises
    ------
    ConfigError
        when the shipped files state something unusable.

    """
    calibrated = yaml.safe_load(_text("calibration.yaml")) or {}
    rows = yaml.safe_load(_text("pool.yaml"))["voices"]
    try:
        voices = [
            Voice(id=name, **row, calibration=calibrated.get("voices", {}).get(row["kokoro"], {}))
            for name, row in rows.items()
        ]
    except ValueError as error:
        raise ConfigError(f"voices/pool.yaml cannot be used: {error}") from error
    return {voice.id: voice for voice in voices}


def voice(name: str) -> Voice:
    """Return the voice with that id, or with that name of Kokoro's.

    Raises
    ------
    ConfigError
        when the pool has none such.

    """
    for candidate in pool().values():
        if name in (candidate.id, candidate.kokoro):
            return candidate
    raise ConfigError(f"voice {name!r} is not in the pool: known are {', '.join(pool())}")


def split(name: Split, pools: Mapping[Split, Sequence[str]] | None = None) -> list[Voice]:
    """Return the voices of one split: those that `pools` names, in its order, else those of the shipped pool."""
    if pools is None:
        return [candidate for candidate in pool().values() if candidate.split == name]
    return [voice(known) for known in pools.get(name, ())]


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return a sum over the pool, its calibration, its pronunciations and its hums."""
    names = ("pool.yaml", "calibration.yaml", "pronunciations.yaml", "hums.yaml", "phonemes.json")
    return hashlib.sha256("\x1f".join(map(_text, names)).encode()).hexdigest()[:16]


def _text(name: str) -> str:
    return resource("voices", name).read_text(encoding="utf-8")
