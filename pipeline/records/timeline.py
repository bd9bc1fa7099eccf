"""Who sounds when, and who holds the floor, to the sample."""

from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Field, model_validator

from pipeline.records.base import Record
from pipeline.records.pair import Pair
from pipeline.records.span import Span
from pipeline.records.spec import Ident, Speaker
from pipeline.records.utterance import Utterance
from pipeline.samples import RATE

Role = Literal["floor", "claim", "backchannel", "laughter"]
"""What a segment is to the floor; `claim` is one that failed: a successful claim's speech is `floor`."""
Ending = Literal["yield", "hold", "interrupted", "continues"]
"""How a floor segment ends; `continues`: the same holder goes on at once, which ends nothing."""
ToneKind = Literal["fall", "continuation", "rise", "level"]
EventKind = Literal[
    "turn_yield",
    "turn_hold",
    "turn_interrupted",
    "interruption",
    "non_floor_taking",
    "backchannel",
    "laughter",
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
AdjustmentKind = Literal["moved", "shortened", "demoted", "dropped", "waited"]


class BoundaryTone(Record):
    """F0 before a pause or a yield as it was shaped, on the curve from which the sound was made."""

    kind: ToneKind
    window: Span
    """From the first to the last voiced speech that was shaped [samples on the channel]."""
    own: float
    """Movement of the voice's own F0 over the window, by linear regression [semitones]."""
    semitones: float
    """Movement of F0 as rendered."""


class Lift(Record):
    """A stretch of a turn or claim that is raised since another's sounds over it, as it was rendered."""

    span: Span
    """[samples on the channel]"""
    level_db: float
    """Energy over the stretch, against the same speech without the lift [dB]."""
    tilt_db: float
    """What lies above 1 kHz against what lies below [dB]."""
    pitch_st: float
    """Of F0 [semitones]."""


class InnerPause(Record):
    """A silence inside a segment that the voice made by itself [samples on the channel]."""

    planned: Span
    measured: Span | None = None
    tone: BoundaryTone | None = None
    """Of the speech before it; None: the voice's own."""


class Segment(Record):
    """A range of an utterance on a speaker's channel.

    A hold is two segments of one utterance with a pause between; a cut-off is a segment that ends
    inside its utterance; resumed words are a segment of a new utterance.
    """

    id: Ident
    utterance_id: Ident
    speaker: Ident
    channel: int = Field(ge=0)
    role: Role
    source: Span
    """The speech inside the utterance [samples from its start]."""
    lay: Span
    """What is laid onto the channel: `source` with its guards of near-silence on either side."""
    planned: Span
    """Where the clock expects the speech on the channel [samples]."""
    measured: Span | None = None
    """Where the rendered sound is found by energy; None before rendering."""
    ending: Ending | None = None
    """Of a floor segment; None for the others."""
    turn_id: Ident | None = None
    """The turn a floor segment belongs to."""
    during: Ident | None = None
    """The turn that another speaker's claim, backchannel or laugh sounds in."""
    pauses: tuple[InnerPause, ...] = ()
    tone: BoundaryTone | None = None
    """Shaped F0 of its last voiced speech; None: the voice's own."""
    level_db: float | None = None
    """Constant gain on top of the voice's calibration [dB]; None before rendering."""
    lifts: tuple[Lift, ...] | None = None
    """Stretches raised in overlap; None: none."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.role == "floor") != (self.ending is not None):
            raise ValueError(f"segment {self.id}: a floor segment, and no other, has an ending")
        if (self.role == "floor") != (self.turn_id is not None):
            raise ValueError(f"segment {self.id}: a floor segment, and no other, belongs to a turn")
        if self.source.length != self.planned.length:
            raise ValueError(f"segment {self.id}: source and planned span differ in length")
        if not (self.lay.start <= self.source.start and self.source.end <= self.lay.end):
            raise ValueError(f"segment {self.id}: the laid range does not hold the speech")
        return self

    @property
    def bounds(self) -> Span:
        """Measured onset and offset; the planned ones before rendering."""
        return self.measured or self.planned

    @property
    def origin(self) -> int:
        """The channel sample at which the utterance's first sample would stand."""
        return self.planned.start - self.source.start


class Turn(Record):
    """Possession of the floor by one speaker: one or more segments, in order."""

    id: Ident
    speaker: Ident
    segments: tuple[Ident, ...] = Field(min_length=1)
    entry: Literal["opening", "handover", "interruption"]
    interrupts: Ident | None = None
    """The turn that was cut off, when the entry is an interruption."""
    resumes: Ident | None = None
    """The earlier turn whose unspoken words are taken up again."""
    addressee: Ident | None = None
    addressing: Literal["explicit", "implicit", "none"] = "none"


class Links(Record):
    """What an event refers to: ids of turns of the same timeline."""

    interrupts: Ident | None = None
    resumes: Ident | None = None
    contests: Ident | None = None
    responds_to: Ident | None = None


class CutWord(Record):
    """The word in which a speaker was cut off or gave up."""

    word: str
    """As it is written, whole."""
    heard: float = Field(gt=0, lt=1)
    """Share of its time that sounded."""


class Event(Record):
    """A label: its kind, its speaker, and its onset and offset [samples on the speaker's channel].

    ==================  =====================================================================
    turn_yield          the segment that ends by giving up the floor; the anchor is its offset
    turn_hold           the pause, from the offset of one segment to the onset of the next
    turn_interrupted    the segment that is cut off; the cut-off is its offset
    interruption        the claimant's first segment; the anchor is its onset
    non_floor_taking    the whole claim that did not get the floor
    backchannel         the whole vocalisation
    laughter            the whole vocalisation
    ==================  =====================================================================
    """

    id: Ident
    kind: EventKind
    speaker: Ident
    onset: int
    offset: int
    planned: Span
    segment_id: Ident
    turn_id: Ident | None = None
    text: str = ""
    """The written words that were said; the last one in part where there is a `cut`."""
    cut: CutWord | None = None
    """None: its speech ends with a word."""
    links: Links = Links()


class Holding(Record):
    """An interval of the ownership track; `holder` None: nobody holds the floor."""

    holder: Ident | None = None
    start: int
    end: int


class Adjustment(Record):
    """What the simulation could not place as the script asked, and what it did instead."""

    act_id: Ident
    kind: AdjustmentKind
    by: int = 0
    """Samples by which it was moved; negative: earlier."""
    reason: str


Rate = Annotated[int, Field(gt=0)]
_Item = TypeVar("_Item", Segment, Utterance, Turn)


class Timeline(Record):
    """The floor of one conversation.

    The ownership track states who holds the floor: it passes at the cut-off for an interruption, at the
    new onset for a latched hand-over (though the former holder may still sound), at the onset after a gap;
    nobody holds it before the first turn, in a gap, and after the last offset.
    """

    schema_version: Literal[1] = 1
    conversation_id: Ident
    rate: Rate = RATE
    n_samples: int = Field(gt=0)
    speakers: tuple[Speaker, ...]
    utterances: tuple[Utterance, ...]
    segments: tuple[Segment, ...]
    turns: tuple[Turn, ...]
    events: tuple[Event, ...]
    ownership: tuple[Holding, ...]
    adjustments: tuple[Adjustment, ...] = ()
    pair: Pair | None = None

    def segment(self, ident: str) -> Segment:
        """The segment with this id; KeyError when there is none."""
        return _by_id(self.segments, ident)

    def utterance(self, ident: str) -> Utterance:
        """The utterance with this id; KeyError when there is none."""
        return _by_id(self.utterances, ident)

    def turn(self, ident: str) -> Turn:
        """The turn with this id; KeyError when there is none."""
        return _by_id(self.turns, ident)


def _by_id(items: tuple[_Item, ...], ident: str) -> _Item:
    for item in items:
        if item.id == ident:
            return item
    raise KeyError(ident)
