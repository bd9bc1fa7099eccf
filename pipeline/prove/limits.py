"""The limits of the gates: what a sound corpus keeps to with room to spare, and a damaged one does not."""

from pydantic import Field

from pipeline.records import Record


class Limits(Record):
    """How far a corpus may be off; each with what it rests on."""

    word_errors: float = Field(default=2.0, ge=0)
    """Words of turns that a recogniser hears otherwise [%]."""
    lost_stretches: float = Field(default=0.01, ge=0, le=1)
    """Share of stretches of which it may mishear most."""
    words_off_ms: float = Field(default=15.0, ge=0)
    words_within_60: float = Field(default=90.0, ge=0, le=100)
    """[%]"""
    channel_off_ms: float = Field(default=30.0, ge=0)
    outer_ms: float = Field(default=30.0, ge=0)
    outer_within: float = Field(default=98.0, ge=0, le=100)
    """Bounds of speech that lie within `outer_ms` of where energy finds them [%]."""
    silence_db: float = 35.0
    """How far what sounds outside speech lies under loud speech, at least [dB]; speech ends where it is 40 under it."""
    likeness: float = Field(default=0.93, ge=-1, le=1)
    """Of two voices: between the most alike ones of the pool and one with itself (:mod:`pipeline.prove.separation`)."""
    snr_off_db: float = Field(default=0.5, ge=0)
    background_off_db: float = Field(default=1.5, ge=0)
    clipped_files: int = Field(default=0, ge=0)
    peak_dbfs: float = 0.0
    faults: int = Field(default=0, ge=0)
    missed: int = Field(default=0, ge=0)
    """Figures out of tolerance that chance does not explain."""
    unproved: int = Field(default=0, ge=0)
    """Proofs of a stress corpus that do not hold."""
