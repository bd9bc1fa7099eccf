"""Gate: a speaker's clean channel is silent in that speaker's holds, and wherever the log has no sound of theirs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.records import Segment
from pipeline.samples import to_samples
from pipeline.sound.levels import decibels, merged
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import HOP_S, WINDOW_S, window_power

from .gate import Figure, Gate, Place, judged, place
from .limits import Limits
from .reading import Conversation

ASKS = "Is the holder silent in holds, and everybody where the log has nothing of theirs?"
EDGE_S = 0.015
"""Left out at either end of a hold: windows of 10 ms reach over its bounds [s]."""
BESIDE_S = 0.05
"""Left out beside logged sound elsewhere [s]: speech dies away there."""
LEAST_S = 0.03
"""Shortest stretch between two logged sounds that is asked [s]."""
Kind = Literal["hold", "elsewhere"]
CEILING_DB = 99.0
"""Digital silence counts as this far down [dB]."""


@dataclass(frozen=True)
class Found:
    """The loudest window of a stretch that is to be silent."""

    kind: Kind
    under_db: float
    """How far it lies under the loud speech of its speaker [dB]."""
    where: Place


def find(conversation: Conversation) -> Iterator[Found]:
    """Each hold's pause, and each stretch between logged sounds of one speaker."""
    for speaker in conversation.clean:
        segments = conversation.segments(speaker)
        if segments:
            yield from _holds(conversation, speaker, segments)
            yield from _elsewhere(conversation, speaker, segments)


def _holds(conversation: Conversation, speaker: str, segments: Sequence[Segment]) -> Iterator[Found]:
    edge = to_samples(EDGE_S, conversation.timeline.rate)
    before = {segment.id: segment for segment in segments}
    sound = conversation.clean[speaker]
    for event in conversation.timeline.events:
        if event.kind == "turn_hold" and event.speaker == speaker:
            segment, bounds = event.segment_id, before[event.segment_id].bounds
            loud = loud_db(sound[bounds.start : bounds.end])
            if math.isinf(loud):
                yield Found("hold", 0.0, place(conversation.timeline, speaker, bounds.start, f"{segment} is silent"))
                continue
            yield from _loudest(conversation, speaker, "hold", event.onset + edge, event.offset - edge, loud)


def _elsewhere(conversation: Conversation, speaker: str, segments: Sequence[Segment]) -> Iterator[Found]:
    """The stretches outside all that the speaker utters; the pauses of holds are asked on their own."""
    rate, n = conversation.timeline.rate, conversation.timeline.n_samples
    beside, least = to_samples(BESIDE_S, rate), to_samples(LEAST_S, rate)
    sound = conversation.clean[speaker]
    held = [(e.onset, e.offset) for e in conversation.timeline.events if (e.kind, e.speaker) == ("turn_hold", speaker)]
    logged = [(one.bounds.start - beside, one.bounds.end + beside) for one in segments]
    spoken = np.concatenate([sound[one.bounds.start : one.bounds.end] for one in segments])
    loud = loud_db(spoken)
    if math.isinf(loud):
        yield Found("elsewhere", 0.0, place(conversation.timeline, speaker, 0, "the whole channel is silent"))
        return
    taken = merged([*logged, *held], n)
    for start, end in zip([0, *(b for _, b in taken)], [*(a for a, _ in taken), n], strict=True):
        if end - start >= least:
            yield from _loudest(conversation, speaker, "elsewhere", start, end, loud)


def _loudest(
    conversation: Conversation, speaker: str, kind: Kind, start: int, end: int, loud: float
) -> Iterator[Found]:
    if end <= start:
        return
    rate = conversation.timeline.rate
    hop = to_samples(HOP_S, rate)
    power = window_power(conversation.clean[speaker][start:end], hop, to_samples(WINDOW_S, rate))
    at = int(power.argmax())
    under = min(CEILING_DB, loud - decibels(float(power[at])))
    stretch = "the pause of a hold" if kind == "hold" else "a stretch without logged sound"
    says = f"{stretch} has sound {under:.1f} dB under loud speech" if under < CEILING_DB else f"{stretch} is silent"
    yield Found(kind, under, place(conversation.timeline, speaker, start + at * hop, says))


def loud_db(sound: Floats) -> float:
    """Level of loud speech [dBFS]: the 95th percentile of windows of 10 ms within 40 dB of the loudest.

    -inf where nothing sounds.
    """
    power = window_power(sound, to_samples(HOP_S), to_samples(WINDOW_S))
    return decibels(float(np.percentile(power[power >= power.max() * 1e-4], 95)))


def gate(found: Sequence[Found], limits: Limits) -> Gate:
    """All holds and all stretches of the corpus."""
    figures, loud, nearest, notes = list[Figure](), list[Place](), list[Place](), list[str]()
    for kind, what, of in (
        ("hold", "loudest sound in a hold, under loud speech", "holds"),
        ("elsewhere", "loudest sound elsewhere, under loud speech", "stretches"),
    ):
        some = sorted((one for one in found if one.kind == kind), key=lambda one: one.under_db)
        if not some:
            notes.append(f"There are no {of} to listen to.")
            continue
        least = limits.silence_db
        figures.append(
            Figure(
                what=what, value=round(some[0].under_db, 1), unit="dB", side="at least", limit=least, n=len(some), of=of
            )
        )
        loud += [one.where for one in some if one.under_db < least]
        nearest.append(some[0].where)
    return judged("silence", ASKS, figures, loud or nearest, notes)
