"""Settings of the corpus design: what each interaction type asks for and what is balanced."""

from pydantic import Field

from pipeline.by_speakers import BySpeakers
from pipeline.records.base import Record
from pipeline.records.spec import InteractionType
from pipeline.timing import Uniform


class TypeSettings(Record):
    """One interaction type's soft targets."""

    turn_s: float = Field(gt=0)
    """Mean floor-holding turn [s]."""
    bc_per_min: float = Field(ge=0)
    """Backchannels and laughs a minute, before the factors."""
    int_per_min: float = Field(ge=0)
    """Claims on the floor a minute, before the factors."""
    words_per_min: float = Field(gt=0)
    """Words a minute that a script is asked for."""
    mean_s: float = Field(gt=0)
    """Mean length of a conversation [s]."""
    segments: float = Field(gt=0)
    """Factor on the formula's floor segments that makes the realised rate come out as published."""
    vocalisations: float = Field(ge=0)
    """The same for backchannels and laughter."""
    style: str
    """The manner of talk, in the words that a model is given."""


class DesignSettings(Record):
    """The whole design; defaults stand in ``conf/design/paper.yaml``, with their tables."""

    types: dict[InteractionType, TypeSettings]
    claims: BySpeakers
    """Factor on the formula's floor claims."""
    vocalisations: float = Field(ge=0, default=1.0)
    """Factor on the backchannels and laughs of every type, beyond its own."""
    laughter_share: float = Field(ge=0, le=1)
    """Share of laughter among the non-floor vocalisations."""
    length_spread: float = Field(ge=0)
    length_s: Uniform
    """Bounds of a conversation's target length."""
    dev_of_ten: int = Field(ge=0, le=10, default=2)
    """With `split=both`: how many of every ten conversations of a cell (type and number of speakers) are in dev."""
    tones: dict[str, float]
