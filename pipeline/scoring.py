"""The protocol of the MultiPartyTurnBench paper, at its smallest: predictions of one conversation against its gold.

For each speaker and task: predictions inside an excluded interval are dropped; each positive, in order of
time, claims the earliest unclaimed prediction from 0.25 s before it to 3.0 s after it, though not past the
speaker's next positive; each hard-negative span that holds an unclaimed prediction is one false positive.
Everything else is invisible. Source: `scoring:` in the paper's tables.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pipeline.records import Gold, Record, Track
from pipeline.samples import to_seconds

Task = Literal["eot", "interruption"]
TASKS: tuple[Task, ...] = ("eot", "interruption")
Predictions = Mapping[str, Mapping[Task, Sequence[float]]]
"""Decision times [s] by speaker and task; who or what is missing predicted nothing."""
PRE_S = 0.25
POST_S = 3.0
_ROUNDING_S = 1e-6
"""Times in seconds are rounded to the microsecond: windows are closed on both sides up to that."""


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


def score(gold: Gold, predictions: Predictions) -> dict[Task, TaskScore]:
    """Score one conversation, pooled over its speakers; add the scores of several to pool them.

    Parameters
    ----------
    gold
        The conversation's gold.
    predictions
        Decision times [s] by speaker and task, in any order.

    """
    tracks: dict[Task, Track] = {"eot": gold.eot, "interruption": gold.interruption}
    return {task: _score_track(track, task, predictions) for task, track in tracks.items()}


def read_off(gold: Gold) -> dict[str, dict[Task, list[float]]]:
    """Predictions of a detector that knows the gold: each positive at its own time [s]."""
    tracks: dict[Task, Track] = {"eot": gold.eot, "interruption": gold.interruption}
    found: dict[str, dict[Task, list[float]]] = {}
    for task, track in tracks.items():
        for anchor in track.positives:
            times = found.setdefault(anchor.speaker, {"eot": [], "interruption": []})
            times[task].append(to_seconds(anchor.sample, gold.rate))
    return found


def _score_track(track: Track, task: Task, predictions: Predictions) -> TaskScore:
    speakers = {anchor.speaker for anchor in track.positives} | {span.speaker for span in track.negatives}
    total = TaskScore()
    for speaker in sorted(speakers):
        total += _score_speaker(_of(track, speaker), predictions.get(speaker, {}).get(task, ()))
    return total


def _of(track: Track, speaker: str) -> Track:
    return Track(
        positives=tuple(a for a in track.positives if a.speaker == speaker),
        negatives=tuple(s for s in track.negatives if s.speaker == speaker),
        excluded=tuple(s for s in track.excluded if s.speaker == speaker),
    )


def _score_speaker(track: Track, times: Iterable[float]) -> TaskScore:
    left = sorted(t for t in times if not any(_inside(t, s.start_s, s.end_s) for s in track.excluded))
    latencies = _match([anchor.time_s for anchor in track.positives], left)
    fired = sum(any(_inside(t, s.start_s, s.end_s) for t in left) for s in track.negatives)
    return TaskScore(
        true_positives=len(latencies),
        misses=len(track.positives) - len(latencies),
        false_positives=fired,
        true_negatives=len(track.negatives) - fired,
        latencies_ms=tuple(latencies),
    )


def _match(anchors: list[float], left: list[float]) -> list[float]:
    """Latency of each positive found [ms]; the predictions it claims are taken out of `left`."""
    latencies = []
    for anchor, following in itertools.zip_longest(anchors, anchors[1:], fillvalue=float("inf")):
        end = min(anchor + POST_S, following)
        claimed = next((t for t in left if _inside(t, anchor - PRE_S, end)), None)
        if claimed is not None:
            left.remove(claimed)
            latencies.append(round(1000 * (claimed - anchor), 3))
    return latencies


def _inside(time: float, start: float, end: float) -> bool:
    return start - _ROUNDING_S <= time <= end + _ROUNDING_S


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
