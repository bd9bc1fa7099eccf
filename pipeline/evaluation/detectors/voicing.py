"""From which frames are voiced to decisions: the two mappings that the paper's voice-activity detectors share.

EOT: at the offset of speech, when it has been silent for 0.3 s. INT: at an onset of speech while another channel is
voiced, when it has lasted for 0.1 s. The waiting counts: a decision's time is the end of the frame that settles it.
Source: `scoring.detectors` in the paper's tables, Table 22.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.decisions import Grid
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.matching import ROUNDING_S

HANGOVER_S = 0.3
"""Silence after which speech has ended [s]."""
CONFIRM_S = 0.1
"""Speech after which it has begun [s]."""
Frames = NDArray[np.bool_]


def turn_ends(voiced: Frames, frame_s: float, hangover_s: float = HANGOVER_S) -> list[float]:
    """When each silence after speech has lasted `hangover_s` [s]; `voiced` [n]: frames of `frame_s`."""
    needed = _frames(hangover_s, frame_s)
    edges = np.flatnonzero(np.diff(np.r_[voiced, True].astype(np.int8)))
    ends = edges[voiced[edges]] if len(edges) else edges
    following = np.r_[np.flatnonzero(voiced), len(voiced)]
    onsets = following[np.searchsorted(following, ends, side="right")]
    return [(end + 1 + needed) * frame_s for end in ends[onsets - ends - 1 >= needed].tolist()]


def speech_onsets(
    voiced: Frames, frame_s: float, confirm_s: float = CONFIRM_S, hangover_s: float = HANGOVER_S
) -> list[int]:
    """The frames at which speech that began after `hangover_s` of silence has lasted `confirm_s` without a break."""
    needed, silence_needed = _frames(confirm_s, frame_s), _frames(hangover_s, frame_s)
    found, speaking, run, silence = [], False, 0, silence_needed
    for frame, sounds in enumerate(voiced.tolist()):
        run, silence = (run + 1, 0) if sounds else (0, silence + 1)
        if speaking and silence >= silence_needed:
            speaking = False
        elif not speaking and run >= needed:
            speaking = True
            found.append(frame)
    return found


def takeovers(voiced: Frames, others: Frames, frame_s: float) -> list[float]:
    """When speech has begun while another channel was voiced [s]; `others` [n]: whether any other is."""
    needed = _frames(CONFIRM_S, frame_s)
    return [
        (frame + 1) * frame_s
        for frame in speech_onsets(voiced, frame_s)
        if others[max(0, frame + 1 - needed) : frame + 1].any()
    ]


def decided(voiced: Mapping[float, Mapping[str, Frames]], frame_s: float) -> Detections:
    """The decisions of a voice-activity detector, from its voiced frames by threshold and speaker."""
    speakers = {speaker for channels in voiced.values() for speaker in channels}
    ends: dict[str, dict[float, tuple[float, ...]]] = {speaker: {} for speaker in speakers}
    begins: dict[str, dict[float, tuple[float, ...]]] = {speaker: {} for speaker in speakers}
    for threshold, channels in voiced.items():
        for speaker, own in channels.items():
            others = any_of((channels[other] for other in channels if other != speaker), len(own))
            ends[speaker][threshold] = tuple(turn_ends(own, frame_s))
            begins[speaker][threshold] = tuple(takeovers(own, others, frame_s))
    return {
        "eot": {speaker: Grid(times) for speaker, times in ends.items()},
        "interruption": {speaker: Grid(times) for speaker, times in begins.items()},
    }


def any_of(channels: Iterable[Frames], length: int) -> Frames:
    """Whether any of `channels` [length] is voiced, frame by frame."""
    found = np.zeros(length, np.bool_)
    for channel in channels:
        found |= channel
    return found


def _frames(seconds: float, frame_s: float) -> int:
    """The least number of frames that last so long."""
    return math.ceil(seconds / frame_s - ROUNDING_S)
