"""What was mixed over the speech: clips, where and how loud they stand, and the levels that came out."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pipeline.records.base import Record
from pipeline.records.room import RoomRecord

Kind = Literal["bed", "effect", "distant"]
Count = Annotated[int, Field(ge=0)]


class Clip(Record):
    """Where a sound came from, exactly enough that its bank makes the same samples again."""

    bank: Literal["embedded", "musan"]
    kind: Kind
    id: str
    """A scene or effect of the catalogue, the id of a speech source, or the file stem of a recording."""
    label: str
    """The scene or effect that was asked for; with recordings it may be nominal."""
    title: str = ""
    licence: str
    attribution: str = ""
    url: str = ""
    seed: int | None = None
    """Seed of whatever is made or treated by chance: the whole sound, or the room of a distant one."""
    source_rate: int | None = Field(default=None, gt=0)
    """Rate of a recording [Hz]; None for what was made here."""
    offset: Count = 0
    """First sample used of a recording, at its own rate; for a bed it counts in the recording's loop."""
    length: Count
    """Samples at the corpus rate."""


class Tap(Record):
    """How a source reaches a channel: a gain (linear) and a delay [samples]."""

    gain: float = 1.0
    delay: Count = 0


class Taps(Record):
    """The matrix source x channel; identity: a voice in its own channel alone, each noise alike in all."""

    speech: tuple[tuple[Tap, ...], ...]
    """Row `i`: how stem `i` reaches each channel."""
    noise: tuple[Tap, ...]
    """How a bed, an effect or a distant voice reaches each channel."""

    @model_validator(mode="after")
    def _rectangular(self) -> Self:
        if any(len(row) != len(self.noise) for row in self.speech):
            raise ValueError(f"each row of taps needs {len(self.noise)} channels")
        return self

    @classmethod
    def identity(cls, channels: int) -> Self:
        """Taps that leave each stem in its own channel and put noise equally into all.

        >>> Taps.identity(2).speech[0]
        (Tap(gain=1.0, delay=0), Tap(gain=0.0, delay=0))
        """
        rows = (tuple(Tap(gain=float(i == j)) for j in range(channels)) for i in range(channels))
        return cls(speech=tuple(rows), noise=(Tap(),) * channels)


class NuisanceRecord(Record):
    """One sound in the noise: its clip, its place, what was done to it. It carries no event label."""

    id: str
    kind: Kind
    clip: Clip
    onset: Count
    """First sample at the source, before the delay of a tap."""
    length: Count
    """Samples of the clip that sound; below the clip's own only where the conversation is shorter."""
    gain: float
    """Linear factor on the clip's samples."""
    fade: Count
    """Samples of the raised-cosine fade at either end."""
    level_db: float
    """Level that was mixed: a bed's RMS over the conversation, the active RMS of the others [dBFS]."""
    wanted_db: float
    """Level that was meant [dBFS]; above `level_db` where the peak cap bit."""
    capped: bool = False
    """Whether the gain was lowered to keep the peak within its cap."""
    clear: bool = True
    """False where no place was left outside the spans to be avoided."""
    taps: tuple[Tap, ...]
    """How it reaches each channel."""


class LevelRecord(Record):
    """The levels of a conversation before its one gain [dB re full scale 1.0, mean square]."""

    active_speech_db: float
    """Active energy of all stems over their active samples."""
    active_samples: int = Field(gt=0)
    channel_active_db: tuple[float | None, ...]
    """The same a channel; None where a channel has no active sample or no energy in them."""
    bed_db: float | None = None
    snr_drawn_db: float | None = None
    """None where there is no bed, as for the two beside it."""
    snr_db: float | None = None
    """Realised: active-speech level over the bed as it was mixed, before taps."""
    peak: float
    """Largest absolute sample of the noisy channels; above 1.0 the stage after this has to turn it down."""


class NuisanceLog(Record):
    """All of stage 4 that a corpus keeps."""

    schema_version: Literal[1] = 1
    rate: int = Field(gt=0)
    scene: str
    levels: LevelRecord
    taps: Taps
    nuisance: tuple[NuisanceRecord, ...]
    room: RoomRecord | None = None
    """How it was heard; None: each voice in its own channel, as it was spoken."""
