"""Where each channel sounds, by its energy against what has been heard so far.

A frame of 10 ms sounds where its level is 8 dB above the floor (the 25th percentile of the levels until then, of the
quietest channel), less than 40 dB under loud speech (the 95th, of the loudest), and 4 dB above the lowest level of all
channels at that moment, since bed and effects are alike in all of them. What is known of a frame is known at its end:
everything here stands one frame late, so that nothing depends on what follows.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pipeline.audit.activity import Activity
from pipeline.audit.intervals import Intervals
from pipeline.evaluation.detectors.rms import levels_dbfs
from pipeline.evaluation.sound import Sound

FRAME_S = 0.01
ABOVE_FLOOR_DB = 8.0
UNDER_LOUD_DB = 40.0
ABOVE_BED_DB = 4.0
BED_UNDER_LOUD_DB = 20.0
FLOOR, LOUD = 25, 95
"""Percentiles of the levels so far."""
STEP = 10
"""Frames after which floor and loud level are taken anew."""
Levels = NDArray[np.float64]


def activities_of(sound: Sound) -> dict[str, Activity]:
    """The activity of each channel, by speaker."""
    levels = np.array([levels_dbfs(samples, sound.rate, FRAME_S) for samples in sound.channels.values()])
    length = round(sound.duration_s * sound.rate)
    spans = [_spans(own, sound.rate, length) for own in sounding(levels)]
    heard = dict(zip(sound.channels, spans, strict=True))
    return {
        ident: Activity(ident, channel, sound.rate, length, own, _others(heard, ident))
        for channel, (ident, own) in enumerate(heard.items())
    }


def sounding(levels: Levels) -> NDArray[np.bool_]:
    """Whether each frame sounds [channels, frames], by the levels [dB] until then."""
    floor, loud = np.empty(levels.shape[1]), np.empty(levels.shape[1])
    for start in range(0, levels.shape[1], STEP):
        low, high = np.percentile(levels[:, : start + 1], (FLOOR, LOUD), axis=1)
        floor[start : start + STEP], loud[start : start + STEP] = low.min(), high.max()
    # Where all channels speak at once, the lowest of them is no bed.
    bed = np.minimum(levels.min(axis=0), loud - BED_UNDER_LOUD_DB) + ABOVE_BED_DB
    return np.asarray(levels > np.maximum(floor + ABOVE_FLOOR_DB, np.maximum(loud - UNDER_LOUD_DB, bed)))


def _spans(sounds: NDArray[np.bool_], rate: int, length: int) -> Intervals:
    """Where the frames that sound are [samples], one frame late."""
    edges = np.flatnonzero(np.diff(np.r_[False, sounds, False].astype(np.int8))).reshape(-1, 2)
    spans = ((edges + 1) * round(FRAME_S * rate)).astype(np.int64)
    return np.minimum(spans[spans[:, 0] < length], length)


def _others(heard: Mapping[str, Intervals], ident: str) -> Intervals:
    return np.concatenate([np.empty((0, 2), np.int64), *(own for other, own in heard.items() if other != ident)])
