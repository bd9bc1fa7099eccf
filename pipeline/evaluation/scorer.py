"""Predictions of one conversation against its gold, by either protocol (:mod:`pipeline.evaluation.profiles`).

For each speaker and task: predictions inside an excluded interval are dropped; each positive, in order of time, claims
the earliest unclaimed prediction in its window; each hard-negative span that one of the rest falls on is one false
positive. Everything else is invisible. Source: `scoring:` in the paper's tables.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from pipeline.evaluation.matching import ChannelGold, Outcome, match
from pipeline.evaluation.profiles import MULTIPARTY, Profile
from pipeline.records import Gold, Record, Track
from pipeline.samples import to_seconds

Task = Literal["eot", "interruption"]
TASKS: tuple[Task, ...] = ("eot", "interruption")
Predictions = Mapping[str, Mapping[Task, Sequence[float]]]
"""Decision times [s] by speaker and task; who or what is missing predicted nothing."""


class TaskScore(Record):
    """Counts of one task, and the signed latency of each true positive [ms], in order of time."""

    true_positives: int = 0
    misses: int = 0
    false_positives: int = 0
    true_negatives: int = 0
    latencies_ms: tuple[float, ...] = ()

    @property
    def recall(self) -> float | None:
        """Share of the positives that were found; None where there is none."""
        return _share(self.true_positives, self.misses)

    @property
    def fpr(self) -> float | None:
        """Share of the hard negatives that were fired on; None where there is none."""
        return _share(self.false_positives, self.true_negatives)

    @property
    def latency_p50_ms(self) -> float | None:
        """Median signed latency of the true positives [ms]; None where there is none."""
        return float(np.median(self.latencies_ms)) if self.latencies_ms else None

    def __add__(self, other: "TaskScore") -> "TaskScore":
        """The counts and latencies of both, pooled."""
        return pooled((self, other))


def pooled(scores: Iterable[TaskScore]) -> TaskScore:
    """The sum of many, in one step."""
    parts = list(scores)
    return TaskScore(
        true_positives=sum(part.true_positives for part in parts),
        misses=sum(part.misses for part in parts),
        false_positives=sum(part.false_positives for part in parts),
        true_negatives=sum(part.true_negatives for part in parts),
        latencies_ms=tuple(itertools.chain.from_iterable(part.latencies_ms for part in parts)),
    )


def score(gold: Gold, predictions: Predictions, profile: Profile = MULTIPARTY) -> dict[Task, TaskScore]:
    """Score one conversation, pooled over its speakers; add the scores of several to pool them.

    Parameters
    ----------
    gold
        The conversation's gold.
    predictions
        Decision times [s] by speaker and task, in any order.
    profile
        The protocol.

    """
    return {task: pooled(counted(outcome) for outcome in outcomes(gold, task, predictions, profile)) for task in TASKS}


def outcomes(gold: Gold, task: Task, predictions: Predictions, profile: Profile = MULTIPARTY) -> Iterator[Outcome]:
    """What became of each positive and negative, a speaker at a time, in the order of :func:`speakers_of`."""
    track = track_of(gold, task)
    for speaker in speakers_of(track):
        yield match(channel_gold(track, speaker), predictions.get(speaker, {}).get(task, ()), profile)


def counted(outcome: Outcome) -> TaskScore:
    """The counts and latencies of one channel."""
    found = tuple(latency for latency in outcome.latencies_ms if latency is not None)
    fired = sum(outcome.fired)
    return TaskScore(
        true_positives=len(found),
        misses=len(outcome.latencies_ms) - len(found),
        false_positives=fired,
        true_negatives=len(outcome.fired) - fired,
        latencies_ms=found,
    )


def track_of(gold: Gold, task: Task) -> Track:
    """What counts for one task of a conversation."""
    return gold.eot if task == "eot" else gold.interruption


def speakers_of(track: Track) -> list[str]:
    """The speakers who have anything to find or to be taken in by."""
    return sorted({a.speaker for a in track.positives} | {s.speaker for s in track.negatives})


def channel_gold(track: Track, speaker: str) -> ChannelGold:
    """What counts on the channel of one speaker."""
    return ChannelGold(
        positives=tuple(anchor.time_s for anchor in track.positives if anchor.speaker == speaker),
        negatives=tuple((span.start_s, span.end_s) for span in track.negatives if span.speaker == speaker),
        excluded=tuple((span.start_s, span.end_s) for span in track.excluded if span.speaker == speaker),
    )


def read_off(gold: Gold) -> dict[str, dict[Task, list[float]]]:
    """Predictions of a detector that knows the gold: each positive at its own time [s]."""
    found: dict[str, dict[Task, list[float]]] = {}
    for task in TASKS:
        for anchor in track_of(gold, task).positives:
            times = found.setdefault(anchor.speaker, {"eot": [], "interruption": []})
            times[task].append(to_seconds(anchor.sample, gold.rate))
    return found


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
