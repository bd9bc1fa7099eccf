"""Files in TurnBench's layout name channels `speaker_1` to `speaker_N`: those of the conversation, by channel."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import model_serializer, model_validator

from pipeline.records import Record, Speaker

_KEY = re.compile(r"^speaker_[1-9]\d*$")


def keys_of(speakers: Sequence[Speaker]) -> dict[str, str]:
    """The key of each speaker's id: `speaker_1` has the lowest channel."""
    ordered = sorted(speakers, key=lambda speaker: (speaker.channel, speaker.id))
    return {speaker.id: f"speaker_{number}" for number, speaker in enumerate(ordered, 1)}


class Keyed(Record):
    """A record whose fields `speaker_1` … `speaker_N` are gathered in `speakers`; other unknown fields are refused."""

    conversation_id: str

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "speakers" in data:
            return data
        rest = {key: value for key, value in data.items() if not _KEY.match(key)}
        return {**rest, "speakers": {key: value for key, value in data.items() if _KEY.match(key)}}

    @model_serializer(mode="wrap")
    def _spread(self, handler: Any) -> dict[str, Any]:
        data = handler(self)
        return {**{key: value for key, value in data.items() if key != "speakers"}, **data["speakers"]}
