"""Gate: the voices of a conversation are different ones, by a speaker encoder on their clean channels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pipeline.samples import to_samples
from pipeline.speech.backend import Floats

from .embedding import Vector, likeness, together, voice_vectors
from .gate import Figure, Gate, Place, judged
from .limits import Limits
from .reading import Conversation

ASKS = "Are the voices of a conversation different ones?"
LISTEN_S = 30.0
"""Speech of a speaker that is listened to at most [s]; the longest utterances first."""
LEAST_S = 8.0
"""A speaker with less speech is not judged [s]."""


@dataclass(frozen=True)
class Found:
    """Two speakers of one conversation."""

    likeness: float
    where: Place


def find(conversation: Conversation) -> Iterator[Found]:
    """Each pair of speakers with enough speech."""
    voices: dict[str, Vector] = {}
    for speaker in conversation.timeline.speakers:
        speech = speech_of(conversation, speaker.id)
        if len(speech) >= to_samples(LEAST_S, conversation.timeline.rate):
            voices[speaker.id] = together(voice_vectors(speech))
    named = {speaker.id: f"{speaker.name} ({speaker.voice})" for speaker in conversation.timeline.speakers}
    for one, other in combinations(voices, 2):
        found = likeness(voices[one], voices[other])
        says = f"{named[one]} and {named[other]} are {found:.3f} alike"
        yield Found(found, Place(conversation=conversation.id, speaker=f"{one} and {other}", says=says))


def speech_of(conversation: Conversation, speaker: str) -> Floats:
    """What a speaker says, without laughter, joined: the longest segments first, up to `LISTEN_S`."""
    sound = conversation.clean[speaker]
    spoken = [one for one in conversation.segments(speaker) if one.role != "laughter"]
    parts = [sound[one.bounds.start : one.bounds.end] for one in sorted(spoken, key=lambda one: -one.bounds.length)]
    joined = np.concatenate([*parts, np.zeros(0, np.float32)])
    return joined[: to_samples(LISTEN_S, conversation.timeline.rate)]


def gate(found: Sequence[Found], limits: Limits) -> Gate:
    """All pairs of the corpus."""
    if not found:
        return judged("voices", ASKS, [], notes=["No two speakers of a conversation have speech enough."])
    most = sorted(found, key=lambda one: -one.likeness)
    figure = Figure(
        what="likeness of the two most alike voices of a conversation",
        value=round(most[0].likeness, 3),
        side="at most",
        limit=limits.likeness,
        n=len(most),
        of="pairs",
    )
    alike = [one.where for one in most if one.likeness > limits.likeness] or [most[0].where]
    return judged("voices", ASKS, [figure], alike)
