"""A finished conversation as the gates take it: its log, its metadata, and its channels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.output.flac import read_flac
from pipeline.output.manifest import read_meta
from pipeline.records import Segment, Timeline
from pipeline.speech.backend import Floats


@dataclass(frozen=True, eq=False)
class Conversation:
    """Log and sound of one conversation, as its folder has them."""

    timeline: Timeline
    meta: Mapping[str, Any]
    clean: Mapping[str, Floats]
    """Each speaker's clean channel [n], by the speaker's id."""
    noisy: Mapping[str, Floats]
    mix: Floats

    @property
    def id(self) -> str:
        """Its id."""
        return self.timeline.conversation_id

    def segments(self, speaker: str) -> list[Segment]:
        """Everything that a speaker utters, in order of time."""
        found = [segment for segment in self.timeline.segments if segment.speaker == speaker]
        return sorted(found, key=lambda segment: segment.bounds.start)


def read_conversation(folder: Path) -> Conversation:
    """The conversation in `folder`.

    Raises
    ------
    InputError
        when a file is missing, cannot be read, or does not fit the timeline.

    """
    timeline = Timeline.read(folder / "timeline.json")
    return Conversation(
        timeline=timeline,
        meta=read_meta(folder),
        clean=_channels(folder / "clean", timeline),
        noisy=_channels(folder / "noisy", timeline),
        mix=_fitting(folder / "mix.flac", timeline),
    )


def _channels(folder: Path, timeline: Timeline) -> dict[str, Floats]:
    return {speaker.id: _fitting(folder / f"{speaker.id}.flac", timeline) for speaker in timeline.speakers}


def _fitting(path: Path, timeline: Timeline) -> Floats:
    sound, rate = read_flac(path)
    if (rate, len(sound)) != (timeline.rate, timeline.n_samples):
        raise InputError(
            f"{path}: {len(sound)} samples at {rate} Hz; the timeline has {timeline.n_samples} at {timeline.rate}"
        )
    return sound
