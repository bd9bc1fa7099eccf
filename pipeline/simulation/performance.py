"""One utterance as it is being spoken: where its words, pauses and end fall on the channel."""

from dataclasses import dataclass, field
from itertools import pairwise

import simpy

from pipeline.records import ClaimAct, Pause, Span, TurnAct, Utterance
from pipeline.records.timeline import Ending
from pipeline.text import find_words


@dataclass(frozen=True)
class Hold:
    """A pause of the synthesis that is lengthened to `length` samples."""

    pause: Pause
    length: int
    resumed: bool = True
    """False: its speaker gives the floor up there after all, which nobody can tell before the pause."""


@dataclass(frozen=True)
class Part:
    """A stretch of the utterance without a hold inside, and where it sounds [samples]."""

    source: Span
    planned: Span


@dataclass
class Contest:
    """A claim that is sounding; `broken` fires when a rival makes its speaker give up."""

    speaker: str
    strength: float
    presses: bool
    cut_at: int
    """When the holder will be cut off, if it presses."""
    broken: simpy.Event


@dataclass
class Performance:
    """An utterance spoken from channel sample `start` on, with its holds; it may be cut.

    `over` fires once when it stops: with "cut" when the floor was taken, with "done" at its natural end.
    """

    utterance: Utterance
    act: TurnAct | ClaimAct
    turn_id: str
    start: int
    over: simpy.Event
    holds: tuple[Hold, ...] = ()
    cut: int | None = None
    contests: list["Contest"] = field(default_factory=list)
    """Claims that are being made on it now."""
    taken_by: "Performance | None" = None
    """The claimant's performance that cut it off."""
    stopped: bool = False
    """Whether it is over at a hold that is not resumed."""

    @property
    def speaker(self) -> str:
        """Who speaks."""
        return self.act.speaker

    @property
    def parts(self) -> list[Part]:
        """The stretches between holds, as far as they sound, in order."""
        parts, at = [], self.start
        for source, pause_after in self._stretches():
            part = Part(source, Span(start=at, end=at + source.length))
            if self.cut is not None and part.planned.end >= self.cut:
                kept = self.cut - at
                parts.append(Part(Span(start=source.start, end=source.start + kept), Span(start=at, end=self.cut)))
                break
            parts.append(part)
            at = part.planned.end + pause_after
        return parts

    def _stretches(self) -> list[tuple[Span, int]]:
        speech, stretches, begin = self.utterance.speech, [], self.utterance.speech.start
        for hold in self.holds:
            stretches.append((Span(start=begin, end=hold.pause.start), hold.length))
            if self.stopped and not hold.resumed:
                return stretches
            begin = hold.pause.end
        return [*stretches, (Span(start=begin, end=speech.end), 0)]

    @property
    def end(self) -> int:
        """The offset, as projected now."""
        return self.parts[-1].planned.end

    @property
    def stops_at(self) -> int:
        """Where its speaker leaves off: at a hold that is not resumed, else at the end."""
        given_up = (p.planned.end for p, hold in zip(self.parts, self.holds, strict=False) if not hold.resumed)
        return next(given_up, self.end)

    @property
    def hold_spans(self) -> list[Span]:
        """The pauses of the holds on the channel."""
        parts = self.parts
        return [Span(start=a.planned.end, end=b.planned.start) for a, b in pairwise(parts)]

    def endings(self, last: Ending) -> list[Ending]:
        """How each part ends; `last` is the ending of the last one."""
        holds: list[Ending] = ["hold"] * (len(self.parts) - 1)
        return [*holds, last]

    def on_channel(self, sample: int) -> int:
        """Where a sample of the utterance sounds; a sample inside a hold's pause counts to its start."""
        parts = self.parts
        for part in reversed(parts):
            if sample >= part.source.start:
                return part.planned.start + min(sample, part.source.end) - part.source.start
        return parts[0].planned.start

    def heard(self, landing: str) -> int | None:
        """The channel sample at which the words `landing` have been heard; None where they don't occur."""
        last = find_words([word.text for word in self.utterance.words], landing)
        return None if last is None else self.on_channel(self.utterance.words[last].end)

    def silences(self) -> list[Span]:
        """Holds and inner pauses on the channel, in order."""
        inner = [
            Span(start=self.on_channel(p.start), end=self.on_channel(p.start) + p.end - p.start)
            for p in self.utterance.pauses
            if p not in [hold.pause for hold in self.holds]
        ]
        return sorted([*self.hold_spans, *inner], key=lambda span: span.start)

    def cut_places(self, sample: int, margin: int) -> list[int]:
        """Samples near `sample` at which a cut-off would be heard, the best first.

        A cut-off inside a silence could not be told from its start: it moves `margin` into the speech
        after the silence, or before it.
        """
        for silence in self.silences():
            if silence.start - margin < sample < silence.end + margin:
                return [silence.end + margin, silence.start - margin]
        return [sample]
