"""Single phenomena of the floor, counted: what a stress corpus has more of than others.

- A **takeover** is the turn of an interrupter: its words until it yields or is cut off itself.
- A **short** takeover has at most three words, a **long** backchannel more than three.
- A backchannel is **stacked** when it sounds together with a backchannel or laugh of another listener.
- A claim **competes** when it sounds together with a claim of another speaker; a claim that succeeds counts until its
  cut-off.
- A **question hold** is a hold before which its speaker has asked a question.
- **Three at once** is the share of the whole duration in which three or more sound.
- **Distant speech** is below the active-speech level by what stage 4 logged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from pipeline.output.rounding import percentiles, ratio
from pipeline.records import Segment, Span, Timeline
from pipeline.samples import to_seconds

SHORT_WORDS = 3
"""Most words of a short takeover; a backchannel of more is long."""


@dataclass(frozen=True)
class Phenomena:
    """Counts and lists of values that can be pooled."""

    duration_s: float = 0.0
    mixed_s: float = 0.0
    """Duration of the conversations that stage 4 has been over."""
    three_s: float = 0.0
    """Time in which three or more sound."""
    holds: int = 0
    question_holds: int = 0
    claims: int = 0
    competing_claims: int = 0
    stacked_backchannels: int = 0
    backchannel_words: tuple[int, ...] = ()
    takeover_words: tuple[int, ...] = ()
    speakers: tuple[int, ...] = ()
    """Who takes a turn, of each conversation."""
    distant_db: tuple[float, ...] = ()
    """How far each snippet of distant speech is below the active-speech level [dB]."""

    def __add__(self, other: "Phenomena") -> "Phenomena":
        """Both, pooled."""
        return Phenomena(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    def summary(self) -> dict[str, Any]:
        """The figures ready for JSON; None where nothing was counted."""
        short = sum(words <= SHORT_WORDS for words in self.takeover_words)
        long = sum(words > SHORT_WORDS for words in self.backchannel_words)
        return {
            "question_holds_share": ratio(self.question_holds, self.holds),
            "short_takeovers_share": ratio(short, len(self.takeover_words)),
            "takeover_words": percentiles(self.takeover_words),
            "competing_claims_share": ratio(self.competing_claims, self.claims),
            "long_backchannels_share": ratio(long, len(self.backchannel_words)),
            "stacked_backchannels_share": ratio(self.stacked_backchannels, len(self.backchannel_words)),
            "backchannel_words": percentiles(self.backchannel_words),
            "three_at_once_share": ratio(self.three_s, self.duration_s),
            "speakers": percentiles(self.speakers),
            "distant_speech_per_min": ratio(60.0 * len(self.distant_db), self.mixed_s),
            "distant_speech_below_db": percentiles(self.distant_db),
        }


def phenomena(timeline: Timeline, nuisance: Mapping[str, Any] | None = None) -> Phenomena:
    """The phenomena of one conversation; `nuisance`: the record of stage 4, where there is one."""
    claims = list(_claims(timeline))
    listeners = [s for s in timeline.segments if s.role in ("backchannel", "laughter")]
    backchannels = [s for s in listeners if s.role == "backchannel"]
    holds = [s for s in timeline.segments if s.ending == "hold"]
    duration_s = to_seconds(timeline.n_samples, timeline.rate)
    return Phenomena(
        duration_s=duration_s,
        mixed_s=duration_s if nuisance else 0.0,
        three_s=_three_s(timeline),
        holds=len(holds),
        question_holds=sum("?" in _mark_before_end(hold, timeline) for hold in holds),
        claims=len(claims),
        competing_claims=sum(_meets(who, span, claims) for who, span in claims),
        stacked_backchannels=sum(
            _meets(s.speaker, s.bounds, [(other.speaker, other.bounds) for other in listeners]) for s in backchannels
        ),
        backchannel_words=tuple(_words(segment, timeline) for segment in backchannels),
        takeover_words=tuple(
            sum(_words(timeline.segment(ident), timeline) for ident in turn.segments)
            for turn in timeline.turns
            if turn.entry == "interruption"
        ),
        speakers=(len({turn.speaker for turn in timeline.turns}),),
        distant_db=tuple(_distant_db(nuisance or {})),
    )


def _claims(timeline: Timeline) -> Iterator[tuple[str, Span]]:
    """Speaker and extent of each claim, failed or not."""
    for segment in timeline.segments:
        if segment.role == "claim":
            yield segment.speaker, segment.bounds
    for before, turn in pairwise(timeline.turns):
        if turn.entry == "interruption":
            onset, cut = (
                timeline.segment(turn.segments[0]).bounds.start,
                timeline.segment(before.segments[-1]).bounds.end,
            )
            yield turn.speaker, Span(start=onset, end=max(onset, cut))


def _meets(speaker: str, span: Span, others: Sequence[tuple[str, Span]]) -> bool:
    """Whether a sound of `speaker` overlaps one of somebody else's."""
    return any(who != speaker and span.overlap(other) > 0 for who, other in others)


def _mark_before_end(segment: Segment, timeline: Timeline) -> str:
    return timeline.utterance(segment.utterance_id).mark_before(segment.source.end)


def _words(segment: Segment, timeline: Timeline) -> int:
    """Words of a segment that were begun."""
    words = timeline.utterance(segment.utterance_id).words
    return sum(segment.source.start <= word.start < segment.source.end for word in words)


def _three_s(timeline: Timeline) -> float:
    """Seconds in which three or more sound."""
    edges = sorted(edge for s in timeline.segments for edge in ((s.bounds.start, 1), (s.bounds.end, -1)))
    three = sounding = before = 0
    for at, change in edges:
        three += (at - before) * (sounding >= 3)
        sounding, before = sounding + change, at
    return to_seconds(three, timeline.rate)


def _distant_db(nuisance: Mapping[str, Any]) -> Iterator[float]:
    """Level of each snippet of distant speech under the active-speech level [dB]."""
    for record in nuisance.get("nuisance", ()):
        if record["kind"] == "distant":
            yield float(nuisance["levels"]["active_speech_db"]) - float(record["level_db"])
