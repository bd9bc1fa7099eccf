"""Single features of the sound at the edges of a channel's bursts, where a detector might decide.

EOT: at the offset of a burst, while it has been silent for 0.2, 0.4, … 1.2 s. INT: at the onset of a burst while
another channel speaks (:attr:`pipeline.audit.activity.Activity.entries`), when it has lasted for 0.1, 0.3, … 2.0 s.

Levels and pitches are against the channel's own median until then, so that they say nothing of who speaks; NaN where
there is none yet. F0 is YIN's (de Cheveigné & Kawahara 2002), the median over 0.2 s.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import librosa
import numpy as np
from numpy.typing import NDArray

from pipeline.audit.activity import Activity
from pipeline.audit.rules import ONSET_DELAY_S
from pipeline.evaluation.detectors.rms import levels_dbfs
from pipeline.evaluation.scorer import Task
from pipeline.evaluation.sound import NEAR_RATE, Floats
from pipeline.gold import PAUSE_S

Values = NDArray[np.float64]
DELAYS_S: dict[Task, tuple[float, ...]] = {
    "eot": (PAUSE_S, 0.4, 0.6, 0.8, 1.0, 1.2),
    "interruption": (ONSET_DELAY_S, 0.3, 0.5, 0.8, 1.2, 1.6, 2.0),
}
NAMES: dict[Task, tuple[str, ...]] = {
    "eot": (
        "silence", "burst before", "level before", "pitch before", "pitch movement before", "channels sounding",
        "position", "channel", "channels",
    ),
    "interruption": (
        "burst so far", "overlap so far", "level so far", "pitch so far", "pitch reset", "silence before",
        "channels sounding", "position", "channel", "channels",
    ),
}  # fmt: skip
"""What stands in each column."""
EDGE_S = 0.3
"""What is heard for level and pitch [s]."""
F0_HZ = (60.0, 400.0)
_YIN_FRAME, _YIN_HOP = 1024, 160


@dataclass(frozen=True, eq=False)
class Edges:
    """Moments on one channel and their features."""

    times: Values
    """[n], in order [s]."""
    features: Values
    """[n, columns of `NAMES`]."""
    first: NDArray[np.bool_]
    """[n]: whether it is the first moment of its burst."""

    def __len__(self) -> int:
        """How many moments."""
        return len(self.times)


@dataclass(frozen=True)
class _Moment:
    at: float
    row: tuple[float, ...]
    first: bool


def edges_of(activity: Activity, near: Floats, channels: int, task: Task) -> Edges:
    """The moments of one channel for a task.

    Parameters
    ----------
    activity
        Of the channel.
    near
        Its sound at 16 kHz [n].
    channels
        How many there are.
    task
        Decides which edges are meant.

    """
    make = _offsets if task == "eot" else _onsets
    found = sorted(make(activity, _Ear(near), channels), key=lambda moment: moment.at)
    rows = np.array([moment.row for moment in found], float).reshape(-1, len(NAMES[task]))
    return Edges(np.array([m.at for m in found], float), rows, np.array([m.first for m in found], bool))


class _Ear:
    """Level and pitch at places of a channel, against what it has been like before; asked in order of time."""

    def __init__(self, near: Floats) -> None:
        self._near = near
        self._seen: dict[str, list[float]] = {"level": [], "pitch": []}

    def part(self, start: float, end: float) -> Floats:
        return self._near[max(0, round(start * NEAR_RATE)) : round(end * NEAR_RATE)]

    def remember(self, level: float, height: float) -> None:
        """Take in a burst that is over."""
        for what, value in (("level", level), ("pitch", height)):
            if np.isfinite(value):
                self._seen[what].append(value)

    def against(self, what: str, value: float) -> float:
        """`value` less the median of the bursts before; NaN where there is none."""
        before = self._seen[what]
        return value - float(np.median(before)) if before else float("nan")


def _offsets(activity: Activity, ear: _Ear, channels: int) -> Iterator[_Moment]:
    bursts = activity.bursts / activity.rate
    following = np.append(bursts[1:, 0], activity.length / activity.rate)
    for (start, end), until in zip(bursts, following, strict=False):
        heard = ear.part(max(start, end - EDGE_S), end)
        f0, level = pitch(heard), level_of(heard)
        edge = (end - start, ear.against("level", level), ear.against("pitch", middle(f0)), movement(f0))
        ear.remember(level, middle(f0))
        for delay in DELAYS_S["eot"]:
            at = end + delay
            if at <= until:
                row = (delay, *edge, _others(activity, at), at, activity.channel, channels)
                yield _Moment(at, row, delay == DELAYS_S["eot"][0])


def _onsets(activity: Activity, ear: _Ear, channels: int) -> Iterator[_Moment]:
    bursts, last_pitch = activity.bursts / activity.rate, float("nan")
    ends = np.append(0.0, bursts[:, 1])
    entering = set((activity.entries[:, 0] / activity.rate).tolist())
    for before, (start, end) in zip(ends, bursts, strict=False):
        for delay in DELAYS_S["interruption"] if start in entering else ():
            at = start + delay
            if at < end and activity.sounding_at(np.array([round(at * activity.rate)]))[0]:
                heard = ear.part(max(start, at - EDGE_S), at)
                level, height = level_of(heard), middle(pitch(heard))
                row = (
                    delay, _overlap(activity, start, at), ear.against("level", level), ear.against("pitch", height),
                    height - last_pitch, start - before, 1 + _others(activity, at), at, activity.channel, channels,
                )  # fmt: skip
                yield _Moment(at, row, delay == DELAYS_S["interruption"][0])
        heard = ear.part(max(start, end - EDGE_S), end)
        last_pitch = middle(pitch(heard))
        ear.remember(level_of(heard), last_pitch)


def _others(activity: Activity, at: float) -> float:
    return float(activity.others_at(np.array([round(at * activity.rate)]))[0])


def _overlap(activity: Activity, start: float, at: float) -> float:
    """How long there has been overlap from `start` to `at` [s]."""
    spans = np.clip(activity.in_overlap, round(start * activity.rate), round(at * activity.rate))
    return float((spans[:, 1] - spans[:, 0]).sum() / activity.rate)


def level_of(heard: Floats) -> float:
    """Median level of the louder half of its frames of 10 ms [dB]; NaN for nothing."""
    levels = levels_dbfs(heard, NEAR_RATE, 0.01)
    return float(np.percentile(levels, 75)) if len(levels) else float("nan")


def pitch(heard: Floats) -> Values:
    """F0 of each frame of 10 ms [semitones re 100 Hz]; nothing for less than 64 ms."""
    if len(heard) < _YIN_FRAME:
        return np.empty(0)
    low, high = F0_HZ
    f0 = librosa.yin(heard.astype(np.float64), fmin=low, fmax=high, sr=NEAR_RATE, frame_length=_YIN_FRAME,
                     hop_length=_YIN_HOP, center=False)  # fmt: skip
    return np.asarray(12 * np.log2(f0 / 100.0))


def middle(f0: Sequence[float] | Values) -> float:
    """Median of the last 0.2 s; NaN for nothing."""
    return float(np.median(f0[-20:])) if len(f0) else float("nan")


def movement(f0: Values) -> float:
    """From the first third to the last one [semitones]; NaN for less than 60 ms."""
    third = len(f0) // 3
    return float(np.median(f0[-third:]) - np.median(f0[:third])) if third >= 2 else float("nan")
