"""What happened, as it happened: the sounds, the turns and what had to be moved."""

from dataclasses import dataclass, field

from pipeline.records import Adjustment, Span, TurnAct, Utterance
from pipeline.records.timeline import AdjustmentKind, Ending, Role
from pipeline.simulation.performance import Performance


@dataclass(frozen=True)
class Sound:
    """A range of an utterance that was sounded [samples]; becomes a segment."""

    utterance: Utterance
    speaker: str
    role: Role
    source: Span
    planned: Span
    ending: Ending | None = None
    turn_id: str | None = None
    during: str | None = None


@dataclass
class OpenTurn:
    """A turn as it was begun."""

    id: str
    speaker: str
    entry: str
    interrupts: str | None = None
    resumes: str | None = None
    act: TurnAct | None = None


@dataclass
class Ledger:
    """Filled by the participants while the simulation runs."""

    sounds: list[Sound] = field(default_factory=list)
    turns: list[OpenTurn] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)

    def open_turn(self, turn: OpenTurn) -> None:
        """Note that a turn has begun."""
        self.turns.append(turn)

    def next_turn_id(self) -> str:
        """The id of the turn that begins next."""
        return f"T{len(self.turns) + 1}"

    def floor(self, performance: Performance, last: Ending) -> None:
        """Note all parts of a performance that held the floor."""
        for part, ending in zip(performance.parts, performance.endings(last), strict=True):
            self.sounds.append(
                Sound(
                    performance.utterance,
                    performance.speaker,
                    "floor",
                    part.source,
                    part.planned,
                    ending,
                    turn_id=performance.turn_id,
                )
            )

    def aside(self, utterance: Utterance, speaker: str, role: Role, onset: int, length: int, during: str) -> None:
        """Note a sound that left the floor where it was: the first `length` samples of its speech."""
        source = Span(start=utterance.speech.start, end=utterance.speech.start + length)
        self.sounds.append(
            Sound(utterance, speaker, role, source, Span(start=onset, end=onset + length), during=during)
        )

    def adjust(self, act_id: str, kind: AdjustmentKind, reason: str, by: int = 0) -> None:
        """Count something that could not be as the script asked."""
        self.adjustments.append(Adjustment(act_id=act_id, kind=kind, by=by, reason=reason))
