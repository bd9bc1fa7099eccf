"""Files of predictions in TurnBench's layout, generalised to any number of speakers.

::

    {"schema_version": 1, "predictions": [
      {"conversation_id": "c0000",
       "speaker_1": {"eot": [3.21], "interruption": []}, "speaker_2": {"eot": [], "interruption": [7.5]}}]}

Times are seconds from the start of the conversation at which all the audio that a decision depends on has been heard.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field

from pipeline.errors import InputError
from pipeline.evaluation.keyed import Keyed
from pipeline.evaluation.matching import ROUNDING_S
from pipeline.evaluation.scorer import Predictions, Task
from pipeline.records import Record

_Entry = TypeVar("_Entry", bound=Keyed)


def _increasing(times: tuple[float, ...]) -> tuple[float, ...]:
    for one, other in itertools.pairwise(times):
        if one >= other:
            raise ValueError(f"times have to increase strictly: {other} comes after {one}")
    return times


Times = Annotated[tuple[Annotated[float, Field(ge=0)], ...], AfterValidator(_increasing)]
"""Seconds, none below zero, each later than the one before."""


class ChannelPredictions(Record):
    """When a detector decides on one channel [s]."""

    eot: Times
    """That the speaker's turn has ended."""
    interruption: Times
    """That the speaker has taken the floor."""


class ConversationPredictions(Keyed):
    """A detector's decisions in one conversation, by `speaker_1` … `speaker_N`."""

    speakers: dict[str, ChannelPredictions]


class PredictionFile(Record):
    """A detector's decisions in a corpus."""

    schema_version: Literal[1] = 1
    predictions: tuple[ConversationPredictions, ...]

    def by_conversation(self, place: str = "predictions") -> dict[str, ConversationPredictions]:
        """The entries by conversation; InputError where one comes twice."""
        return by_conversation(self.predictions, place)

    @classmethod
    def of(cls, decisions: Mapping[str, Predictions], keys: Mapping[str, Mapping[str, str]]) -> Self:
        """A file of decisions by conversation, with the key of each speaker by conversation."""
        return cls(predictions=tuple(_written(ident, found, keys[ident]) for ident, found in decisions.items()))


def by_conversation(entries: Iterable[_Entry], place: str) -> dict[str, _Entry]:
    """Entries by the conversation they are of; InputError where one comes twice."""
    found: dict[str, _Entry] = {}
    for entry in entries:
        ident = entry.conversation_id
        if ident in found:
            raise InputError(f"{place}: conversation {ident!r} comes twice; keep one of both entries")
        found[ident] = entry
    return found


def decisions_of(
    entry: ConversationPredictions, keys: Mapping[str, str], duration_s: float, place: str
) -> dict[str, dict[Task, tuple[float, ...]]]:
    """What an entry says of each of a conversation's speakers, by id.

    Raises
    ------
    InputError
        where it lacks one, has one more, or decides after the end.

    """
    check_speakers(entry.speakers, keys, f"{place}: conversation {entry.conversation_id!r}")
    for key, channel in entry.speakers.items():
        for task, times in (("eot", channel.eot), ("interruption", channel.interruption)):
            if times and times[-1] > duration_s + ROUNDING_S:
                raise InputError(
                    f"{place}: conversation {entry.conversation_id!r}, {key}.{task}: {times[-1]} s is past the end at "
                    f"{duration_s} s; give times in seconds from the start"
                )
    return {
        ident: {"eot": entry.speakers[key].eot, "interruption": entry.speakers[key].interruption}
        for ident, key in keys.items()
    }


def check_speakers(found: Iterable[str], keys: Mapping[str, str], place: str) -> None:
    """InputError where the keys found are not those of the conversation's speakers."""
    wanted, there = set(keys.values()), set(found)
    if wanted != there:
        wrong = f"{sorted(wanted - there)} missing" if wanted - there else f"{sorted(there - wanted)} too many"
        raise InputError(f"{place}: {wrong}; it has {len(wanted)} speakers, speaker_1 to speaker_{len(wanted)}")


def _written(ident: str, found: Predictions, keys: Mapping[str, str]) -> ConversationPredictions:
    return ConversationPredictions(
        conversation_id=ident,
        speakers={
            key: ChannelPredictions(
                eot=tuple(found.get(speaker, {}).get("eot", ())),
                interruption=tuple(found.get(speaker, {}).get("interruption", ())),
            )
            for speaker, key in keys.items()
        },
    )
