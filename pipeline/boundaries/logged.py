"""What the log of a conversation states: the words of each segment, and the outer bounds of each segment."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.signal import butter, sosfiltfilt

from pipeline.records import Segment, Timeline, Word
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Floats

from .stated import Stated

MARGIN_S = 0.25
"""Heard on either side of a segment, as far as the channel is silent there [s]."""
WINDOW_S, STEP_S = 0.010, 0.001
"""Windows in which energy is looked for, and their distance."""
UNDER_DB = 40.0
"""A window sounds when it is less than this under the loud ones of its segment."""
SILENCE = 1e-12
"""No window sounds with less power than this (-120 dBFS)."""
HEARD_HZ = 80.0
"""No voice sounds below this; a drift there is not heard, and is no speech."""

Channels = Callable[[Segment], Floats]
"""The clean channel that a segment lies on."""


def stated_words(timeline: Timeline, channels: Channels) -> Iterator[Stated]:
    """Each segment with its words as logged; those cut within a word, and laughter, are left out."""
    for segment in timeline.segments:
        words = _words(segment, timeline)
        if words is None or segment.role == "laughter":
            continue
        start, end = _surroundings(segment, timeline)
        shift = segment.origin - start
        moved = tuple(word.model_copy(update={"start": word.start + shift, "end": word.end + shift}) for word in words)
        where = f"{timeline.conversation_id} {segment.id}"
        yield Stated(timeline.utterance(segment.utterance_id).voice, channels(segment)[start:end], moved, where)


def _words(segment: Segment, timeline: Timeline) -> tuple[Word, ...] | None:
    """The words that sound in the segment; None where one is cut, or there is none."""
    source = segment.source
    words = [w for w in timeline.utterance(segment.utterance_id).words if source.start < w.end and w.start < source.end]
    whole = words and source.start <= words[0].start and words[-1].end <= source.end
    return tuple(words) if whole else None


def _surroundings(segment: Segment, timeline: Timeline) -> tuple[int, int]:
    """The stretch of the channel to listen to: half of a shorter silence to the speaker's next sound."""
    own = [s.bounds for s in timeline.segments if s.channel == segment.channel and s.id != segment.id]
    bounds, margin = segment.bounds, to_samples(MARGIN_S)
    before = max((other.end for other in own if other.end <= bounds.start), default=0)
    after = min((other.start for other in own if other.start >= bounds.end), default=timeline.n_samples)
    return max(bounds.start - margin, (before + bounds.start) // 2, 0), min(
        bounds.end + margin, (bounds.end + after) // 2
    )


def outer_errors(timeline: Timeline, channels: Channels) -> Iterator[tuple[str, float, float]]:
    """Of each segment: its voice, and logged less found onset and offset [ms].

    Found is where the energy of the sound, in windows of 10 ms, first and last comes within 40 dB of the loud
    windows, of what lies above :data:`HEARD_HZ`; this shares no code with what measured the logged bounds. Infinite
    where nothing sounds.
    """
    for segment in timeline.segments:
        start, end = _surroundings(segment, timeline)
        voice, found = timeline.utterance(segment.utterance_id).voice, energy_edges(channels(segment)[start:end])
        if found is None:
            yield voice, math.inf, math.inf
            continue
        onset, offset = segment.bounds.start - start - found[0], segment.bounds.end - start - found[1]
        yield voice, 1000 * onset / RATE, 1000 * offset / RATE


def energy_edges(sound: Floats) -> tuple[int, int] | None:
    """First and one past the last sample that sounds to a listener, by windows of 10 ms; None for silence."""
    step, window = to_samples(STEP_S), to_samples(WINDOW_S)
    heard = sosfiltfilt(butter(4, HEARD_HZ, "highpass", fs=RATE, output="sos"), sound.astype(np.float64))
    square = np.convolve(np.square(heard), np.ones(window) / window, "same")[::step]
    if square.max() <= SILENCE:
        return None
    loud = np.percentile(square[square > square.max() * 1e-4], 95)
    sounding = np.flatnonzero(square > loud * 10 ** (-UNDER_DB / 10))
    return int(sounding[0]) * step, int(sounding[-1] + 1) * step
