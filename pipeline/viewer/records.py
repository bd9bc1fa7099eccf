"""What the page is given: plain records, written as JSON into scripts, since a page from a file may fetch nothing."""

from typing import Literal

from pydantic import Field

from pipeline.evaluation.scorer import Task
from pipeline.records import Event, Holding, Pair, Record, Speaker, Track, Word
from pipeline.records.spec import Ident
from pipeline.records.timeline import Ending, Role

Outcome = Literal["hit", "false_alarm", "excluded", "other"]
"""Of a decision: claimed by a positive, on a hard negative, in an excluded interval, or none of these."""


class Stretch(Record):
    """A segment as it sounds [samples on the channel]."""

    id: Ident
    speaker: Ident
    role: Role
    ending: Ending | None = None
    start: int
    end: int
    text: str


class Decision(Record):
    """A moment at which a detector decides [s], and what came of it."""

    task: Task
    speaker: Ident
    time_s: float
    outcome: Outcome


class Detector(Record):
    """What one detector decides in one conversation, scored by the protocol of the paper."""

    name: str
    decisions: tuple[Decision, ...] = ()
    latency_ms: dict[str, float] = Field(default_factory=dict)
    """Signed latency of each positive that was found, by event."""
    missed: tuple[str, ...] = ()
    """The events whose positive no decision claims."""
    fired: tuple[str, ...] = ()
    """The events whose hard negative a decision falls on."""


class Talk(Record):
    """One conversation, as its page draws it; times in samples unless they end in `_s`."""

    id: Ident
    title: str
    setting: str
    rate: int
    n_samples: int
    speakers: tuple[Speaker, ...]
    stretches: tuple[Stretch, ...]
    """In order of onset."""
    words: dict[Ident, tuple[Word, ...]]
    """Of each speaker, in order of onset [samples on the channel]."""
    events: tuple[Event, ...]
    """The log, as it is."""
    ownership: tuple[Holding, ...]
    eot: Track
    interruption: Track
    pair: Pair | None = None
    detectors: tuple[Detector, ...] = ()


class Peaks(Record):
    """The outline of each channel: its greatest magnitude in each `hop` samples, a byte each, as base64."""

    hop: int
    clean: dict[Ident, str]
    noisy: dict[Ident, str]


class Row(Record):
    """One conversation in the list."""

    id: Ident
    title: str
    type: str
    split: str
    domain: str
    tone: str
    scene: str
    snr_db: float | None = None
    duration_s: float
    speakers: tuple[str, ...]
    """Their names."""
    events: dict[str, int]
    overlap_share: float
    pair: Pair | None = None


class Figure(Record):
    """A realised figure beside its target, in words and as numbers to draw."""

    table: str
    label: str
    group: str
    said: tuple[str, ...]
    """Realised, target, distance and tolerance, as people read them."""
    verdict: str
    missed: bool
    realised: float | None = None
    target: float
    low: float
    high: float


class Plot(Record):
    """A picture of the corpus's report."""

    path: str
    """From the page on."""
    says: str


class Overview(Record):
    """The corpus, as the first page shows it."""

    schema_version: Literal[1] = 1
    name: str
    sound: str
    """Where the folders of the conversations are, from the page on."""
    headline: str
    notes: tuple[str, ...]
    totals: dict[str, str]
    """What is counted over all conversations, by what it is."""
    figures: tuple[Figure, ...]
    plots: tuple[Plot, ...]
    report: str | None = None
    """The page of the report, from this page on."""
    kinds: dict[str, str]
    """What each kind of event is called."""
    detectors: tuple[str, ...]
    rows: tuple[Row, ...]
