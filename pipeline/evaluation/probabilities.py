"""Files of frame-wise probabilities in TurnBench's layout, generalised to any number of speakers.

::

    {"schema_version": 1, "task": "eot", "frame_rate_hz": 12.5, "probs": [
      {"conversation_id": "c0000", "speaker_1": {"prob": [0.01, 0.93]}, "speaker_2": {"prob": [0.0, 0.02]}}]}

Frame ``i`` covers the time from ``i / frame_rate_hz`` to ``(i + 1) / frame_rate_hz``; there are as many as fit wholly.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from pipeline.errors import InputError
from pipeline.evaluation.keyed import Keyed
from pipeline.evaluation.matching import ROUNDING_S
from pipeline.evaluation.predictions import by_conversation, check_speakers
from pipeline.evaluation.scorer import Task
from pipeline.records import Record

TASK_OF: dict[str, Task] = {"eot": "eot", "int": "interruption"}


class ChannelProbabilities(Record):
    """How probable the event is in each frame of a channel."""

    prob: tuple[Annotated[float, Field(ge=0, le=1)], ...]


class ConversationProbabilities(Keyed):
    """A detector's probabilities in one conversation, by `speaker_1` … `speaker_N`."""

    speakers: dict[str, ChannelProbabilities]


class ProbabilityFile(Record):
    """A detector's probabilities for one task of a corpus."""

    schema_version: Literal[1] = 1
    task: Literal["eot", "int"]
    frame_rate_hz: float = Field(gt=0)
    probs: tuple[ConversationProbabilities, ...]

    def by_conversation(self, place: str = "probs") -> dict[str, ConversationProbabilities]:
        """The entries by conversation; InputError where one comes twice."""
        return by_conversation(self.probs, place)


def probabilities_of(
    entry: ConversationProbabilities, frame_rate_hz: float, keys: Mapping[str, str], duration_s: float, place: str
) -> dict[str, tuple[float, ...]]:
    """The probabilities of each of a conversation's speakers, by id.

    Raises
    ------
    InputError
        where a speaker is missing or one too many, or there are more or fewer frames than fit wholly.

    """
    check_speakers(entry.speakers, keys, f"{place}: conversation {entry.conversation_id!r}")
    frames = math.floor(duration_s * frame_rate_hz + ROUNDING_S)
    for key, channel in entry.speakers.items():
        if len(channel.prob) != frames:
            raise InputError(
                f"{place}: conversation {entry.conversation_id!r}, {key}: {len(channel.prob)} values, where "
                f"{frames} frames at {frame_rate_hz:g} Hz fit into {duration_s} s; give one a frame"
            )
    return {ident: entry.speakers[key].prob for ident, key in keys.items()}
