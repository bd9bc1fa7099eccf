"""What a detector with perfect voice activity sees of a conversation, and nothing else: who sounds when.

A **sound** is speech without a silence inside: a segment less its inner pauses; bounds are the measured ones where
they are known, else the planned ones. A **burst** is a run of sounds with silences shorter than 0.2 s in between. An
offset of a burst is known 0.2 s after it, the rest at once: no detector here looks at what follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.audit.intervals import Intervals, Samples, common, complement, intervals, joined, number_at
from pipeline.gold import PAUSE_S
from pipeline.records import Timeline
from pipeline.samples import to_samples


@dataclass(frozen=True)
class Activity:
    """One channel and what sounds beside it; times are samples of the conversation."""

    speaker: str
    channel: int
    rate: int
    length: int
    """Samples of the conversation."""
    sounds: Intervals
    other_sounds: Intervals
    """Those of all other channels; they may overlap."""

    @cached_property
    def bursts(self) -> Intervals:
        """Runs of sounds with silences shorter than 0.2 s in between."""
        return joined(self.sounds, to_samples(PAUSE_S, self.rate))

    @cached_property
    def silences(self) -> Intervals:
        """Silences of any length after a sound; the last one lasts to the end."""
        left = complement(self.sounds, self.length)
        return left[left[:, 0] > 0] if len(self.sounds) else left[:0]

    @cached_property
    def others(self) -> Intervals:
        """Where at least one other channel sounds."""
        return joined(self.other_sounds)

    @cached_property
    def in_overlap(self) -> Intervals:
        """Where this channel and another sound."""
        return common(self.sounds, self.others, self.length)

    @cached_property
    def alone(self) -> Intervals:
        """Where this channel sounds and no other."""
        return common(self.sounds, complement(self.others, self.length), self.length)

    @cached_property
    def silent_beside_others(self) -> Intervals:
        """Where this channel is silent and another sounds."""
        return common(complement(self.sounds, self.length), self.others, self.length)

    @cached_property
    def entries(self) -> Intervals:
        """Bursts that begin while another channel sounds, or has been silent for less than 0.2 s.

        Whether so short a silence is a pause is not known yet; listeners often come in just there.
        """
        onsets = self.bursts[:, 0]
        sounding = self.other_sounds + np.array([0, to_samples(PAUSE_S, self.rate)])
        return self.bursts[number_at(sounding, onsets) > 0]

    def sounding_at(self, samples: Samples) -> Samples:
        """Whether this channel sounds at each of `samples`, 1 or 0."""
        return number_at(self.sounds, samples)

    def others_at(self, samples: Samples) -> Samples:
        """How many other channels sound at each of `samples`."""
        return number_at(self.other_sounds, samples)


def activities(timeline: Timeline) -> tuple[Activity, ...]:
    """The activity on every channel of `timeline`, in its order of speakers."""
    sounds = {speaker.id: intervals(_sounds(timeline, speaker.id)) for speaker in timeline.speakers}
    return tuple(
        Activity(
            speaker=speaker.id,
            channel=speaker.channel,
            rate=timeline.rate,
            length=timeline.n_samples,
            sounds=sounds[speaker.id],
            other_sounds=np.concatenate([intervals([]), *(sounds[i] for i in sounds if i != speaker.id)]),
        )
        for speaker in timeline.speakers
    )


def _sounds(timeline: Timeline, speaker: str) -> Iterator[tuple[int, int]]:
    for segment in timeline.segments:
        if segment.speaker == speaker:
            at = segment.bounds.start
            for pause in (inner.measured or inner.planned for inner in segment.pauses):
                yield at, min(pause.start, segment.bounds.end)
                at = max(at, pause.end)
            yield at, segment.bounds.end
