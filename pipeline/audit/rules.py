"""One-feature rules: causal detectors that know one thing about the voice activity, with one threshold.

A rule either waits for something to have **lasted** as long as its threshold [s] and then decides at once, or it
decides at each **offset** (0.2 s after a burst of its own channel ends) or **onset** (0.1 s after a burst begins while
another channel speaks, if it still sounds) where its feature is at least, or below, its threshold. Another channel
speaks while it sounds and until it has been silent for 0.2 s.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.audit.activity import Activity
from pipeline.audit.intervals import Intervals, Samples
from pipeline.evaluation.scorer import Task
from pipeline.gold import PAUSE_S
from pipeline.samples import to_samples

ONSET_DELAY_S = 0.1
"""From an onset to the decision about it [s]; that of the paper's energy detector."""
Decisions = Callable[[float], Samples]
"""The samples at which one channel's detector decides, in order, by its threshold."""
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """A detector of one task; `watch` sets it up for a channel."""

    task: Task
    feature: str
    unit: str
    thresholds: tuple[float, ...]
    watch: Callable[[Activity], Decisions]
    remedy: str
    """What makes the feature tell less."""


# Rules that wait ------------------------------------------------------------------------------------------


def reached(pieces: Intervals, runs: Intervals) -> Callable[[int], Samples]:
    """Tell the first sample of each run at which its part of `pieces` has lasted a given number of samples.

    Runs in which they do not last so long have none. Each of `pieces` lies inside a run or outside of all.

    >>> reached(np.array([[0, 4], [6, 9]]), np.array([[0, 9], [20, 30]]))(5).tolist()
    [7]
    """
    total = np.cumsum(pieces[:, 1] - pieces[:, 0])
    before = np.append(0, total)[np.searchsorted(pieces[:, 0], runs[:, 0])]
    room = np.append(0, total)[np.searchsorted(pieces[:, 0], runs[:, 1])] - before

    def after(samples: int) -> Samples:
        target = before[room >= samples] + samples
        piece = np.searchsorted(total, target)
        at: Samples = pieces[piece, 1] - (total[piece] - target)
        return at

    return after


def _lasting(
    pieces: Callable[[Activity], Intervals], runs: Callable[[Activity], Intervals]
) -> Callable[..., Decisions]:
    def watch(activity: Activity) -> Decisions:
        after = reached(pieces(activity), runs(activity))
        return lambda threshold: after(to_samples(threshold, activity.rate))

    return watch


# Rules that decide at an edge -----------------------------------------------------------------------------

_Edges = Callable[[Activity], tuple[Intervals, Samples]]
_Value = Callable[[Activity, Intervals, Samples], Values]


def offsets(activity: Activity) -> tuple[Intervals, Samples]:
    """The bursts whose offset is known before the conversation ends, and when it is: 0.2 s after it."""
    at: Samples = activity.bursts[:, 1] + to_samples(PAUSE_S, activity.rate)
    known = at <= activity.length
    return activity.bursts[known], at[known]


def onsets(activity: Activity) -> tuple[Intervals, Samples]:
    """The bursts that begin while another channel speaks and still sound 0.1 s later, and when that is."""
    at = activity.entries[:, 0] + to_samples(ONSET_DELAY_S, activity.rate)
    known = activity.sounding_at(at) > 0
    return activity.entries[known], at[known]


def _where(edges: _Edges, value: _Value, at_least: bool) -> Callable[[Activity], Decisions]:
    def watch(activity: Activity) -> Decisions:
        bursts, at = edges(activity)
        values = value(activity, bursts, at)
        return lambda threshold: at[(values >= threshold) == at_least]

    return watch


def _length(activity: Activity, bursts: Intervals, _at: Samples) -> Values:
    return np.asarray((bursts[:, 1] - bursts[:, 0]) / activity.rate, np.float64)


def _silence_before(activity: Activity, bursts: Intervals, _at: Samples) -> Values:
    """Since the own burst before, or since the beginning [s]."""
    ends = np.append(0, activity.bursts[:, 1])
    silence = bursts[:, 0] - ends[np.searchsorted(activity.bursts[:, 0], bursts[:, 0])]
    return np.asarray(silence / activity.rate, np.float64)


def _position(activity: Activity, _bursts: Intervals, at: Samples) -> Values:
    return np.asarray(at / activity.rate, np.float64)


def _channel(activity: Activity, _bursts: Intervals, at: Samples) -> Values:
    return np.full(len(at), float(activity.channel))


def _others_at_offset(activity: Activity, bursts: Intervals, _at: Samples) -> Values:
    return activity.others_at(bursts[:, 1]).astype(np.float64)


def _sounding(activity: Activity, _bursts: Intervals, at: Samples) -> Values:
    return np.asarray(1 + activity.others_at(at), np.float64)


# All of them ----------------------------------------------------------------------------------------------


def _grid(*parts: tuple[float, float, float]) -> tuple[float, ...]:
    """Values from low to high, both included, in steps: of each of `parts` in turn."""
    values = [low + step * n for low, high, step in parts for n in range(round((high - low) / step) + 1)]
    return tuple(sorted({round(value, 3) for value in values}))


_LASTS = _grid((0.05, 1.5, 0.05), (1.75, 3, 0.25))
_LENGTHS = _grid((0.2, 3, 0.2), (4, 12, 2))
_PAUSES = _grid((0.2, 1, 0.2), (2, 5, 1), (10, 60, 10))
_PLACES = _grid((0, 240, 20))
_CHANNELS = _grid((0, 4, 1))
_COUNTS = _grid((1, 5, 1))

_POSITION_REMEDY = "spread the events evenly over the conversation (script: landing words, order of acts)"
_SPEAKER_REMEDY = "give every channel its share of the events (script: who claims, responds, and holds)"


def _edge_rules() -> list[Rule]:
    """The rules at an edge, each in both directions."""
    features: tuple[tuple[Task, str, str, tuple[float, ...], _Edges, _Value, str], ...] = (
        ("eot", "burst before the offset", "s", _LENGTHS, offsets, _length,
         "let holds come after bursts of every length (timing.hold_min_part_s, hold_min_segment_s; clause lengths)"),
        ("eot", "others sounding at the offset", "", (1, 2, 3), offsets, _others_at_offset,
         "fewer hand-overs in overlap (script.follows: latched; timing.gaps.latched), or more holds that are "
         "contested or responded to (timing.contested_share)"),
        ("eot", "position", "s", _PLACES, offsets, _position, _POSITION_REMEDY),
        ("eot", "channel", "", _CHANNELS, offsets, _channel, _SPEAKER_REMEDY),
        ("interruption", "silence before the onset", "s", _PAUSES, onsets, _silence_before,
         "let listeners respond shortly before they take the floor, and take it after long silence too (script)"),
        ("interruption", "channels sounding", "", _COUNTS, onsets, _sounding,
         "let listeners respond together, and claims compete (script: acts that land on the same words)"),
        ("interruption", "position", "s", _PLACES, onsets, _position, _POSITION_REMEDY),
        ("interruption", "channel", "", _CHANNELS, onsets, _channel, _SPEAKER_REMEDY),
    )  # fmt: skip
    return [
        Rule(task, f"{name}, {way}", unit, grid, _where(edges, value, way == "at least"), remedy)
        for task, name, unit, grid, edges, value, remedy in features
        for way in ("at least", "below")
    ]


RULES: tuple[Rule, ...] = (
    Rule(
        "eot", "own silence", "s", _LASTS, _lasting(lambda a: a.silences, lambda a: a.silences),
        "holds that last as long as a decision about a yield may take (timing.hold_pause), and more of them",
    ),
    Rule(
        "eot", "own silence beside others", "s", _LASTS,
        _lasting(lambda a: a.silent_beside_others, lambda a: a.silences),
        "more contested holds (timing.contested_share), responses in holds (short timing.reaction), and more turns "
        "that follow after a pause (script.follows)",
    ),
    Rule(
        "interruption", "own burst", "s", _LASTS, _lasting(lambda a: a.sounds, lambda a: a.entries),
        "takeovers whose first burst is as short as a backchannel (script: claims of one to three words, or with a "
        "clause end there), and longer laughs and responses (timing.laugh)",
    ),
    Rule(
        "interruption", "overlap", "s", _LASTS, _lasting(lambda a: a.in_overlap, lambda a: a.entries),
        "longer laughs and responses in overlap (timing.laugh), or shorter timing.interruption_overlap",
    ),
    Rule(
        "interruption", "alone after overlap", "s", _LASTS, _lasting(lambda a: a.alone, lambda a: a.entries),
        "that the holder falls silent is what a takeover is, so much of it stays; responses that outlast the holder's "
        "pauses (script: landing words at the end of a clause) make it tell less",
    ),
    *_edge_rules(),
)  # fmt: skip
"""Every rule that a corpus is audited with."""
