"""What detectors are scored against, derived from the events alone."""

from typing import Literal

from pydantic import Field

from pipeline.records.base import Record
from pipeline.records.spec import Ident


class Anchor(Record):
    """A positive: the moment a detector should find on this speaker's channel."""

    speaker: Ident
    sample: int
    time_s: float
    event_id: Ident


class GoldSpan(Record):
    """A hard negative or an excluded interval on a speaker's channel."""

    speaker: Ident
    start: int
    end: int
    start_s: float
    end_s: float
    event_id: Ident


class Track(Record):
    """One task's positives, hard negatives and excluded intervals, in order of time."""

    positives: tuple[Anchor, ...]
    negatives: tuple[GoldSpan, ...]
    excluded: tuple[GoldSpan, ...]


class Gold(Record):
    """End-of-turn and interruption gold of one conversation."""

    schema_version: Literal[1] = 1
    conversation_id: Ident
    rate: int = Field(gt=0)
    duration_s: float
    holds: Literal["planned", "all"] = "planned"
    """`planned`: planned holds are EOT negatives; `all`: every pause of 0.2 s and more inside a turn."""
    eot: Track
    interruption: Track
