"""The records that everything rests on: frozen, typed, JSON both ways. Times are integer samples."""

from pipeline.records.base import Record
from pipeline.records.gold import Anchor, Gold, GoldSpan, Track
from pipeline.records.pair import PAIR_KINDS, Pair, PairKind
from pipeline.records.script import Act, ClaimAct, Script, TurnAct, VocalisationAct, WritingReport
from pipeline.records.span import Span
from pipeline.records.spec import (
    TYPES,
    Amounts,
    ConversationSpec,
    Dithers,
    InteractionType,
    Language,
    Membership,
    Position,
    Relation,
    Speaker,
    Split,
)
from pipeline.records.timeline import (
    EVENT_KINDS,
    Adjustment,
    BoundaryTone,
    Event,
    EventKind,
    Holding,
    InnerPause,
    Lift,
    Links,
    Segment,
    Timeline,
    Turn,
)
from pipeline.records.utterance import Pause, Utterance, Word

__all__ = [
    "EVENT_KINDS",
    "PAIR_KINDS",
    "TYPES",
    "Act",
    "Adjustment",
    "Amounts",
    "Anchor",
    "BoundaryTone",
    "ClaimAct",
    "ConversationSpec",
    "Dithers",
    "Event",
    "EventKind",
    "Gold",
    "GoldSpan",
    "Holding",
    "InnerPause",
    "InteractionType",
    "Language",
    "Lift",
    "Links",
    "Membership",
    "Pair",
    "PairKind",
    "Pause",
    "Position",
    "Record",
    "Relation",
    "Script",
    "Segment",
    "Span",
    "Speaker",
    "Split",
    "Timeline",
    "Track",
    "Turn",
    "TurnAct",
    "Utterance",
    "VocalisationAct",
    "Word",
    "WritingReport",
]
