"""A corpus's scores: what each detector does on test, at the operating point that was chosen on dev."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.items import Scored
from pipeline.evaluation.listening import Heard
from pipeline.evaluation.metrics import RESAMPLES, Metrics, metrics
from pipeline.evaluation.operating import BUDGET, CEILING, Channels, OperatingPoint, chosen
from pipeline.evaluation.profiles import Profile
from pipeline.evaluation.scorer import TASKS, Task
from pipeline.records import Record


@dataclass(frozen=True)
class Splits:
    """The conversations that thresholds are chosen on, and those that are scored."""

    dev: Sequence[Conversation]
    test: Sequence[Conversation]

    @property
    def in_sample(self) -> bool:
        """Whether thresholds are chosen on what is scored, since the corpus has one split alone."""
        return [one.id for one in self.dev] == [one.id for one in self.test]


class SliceScore(Record):
    """What a detector does on part of the items."""

    name: str
    value: str
    metrics: Metrics


class TaskResult(Record):
    """One detector and task."""

    detector: str
    task: Task
    dev: OperatingPoint | None = None
    """None where dev has no positive or no hard negative, or the detector's predictions are of test alone."""
    has_threshold: bool = True
    """False for predictions that were decided elsewhere."""
    within_budget: bool | None = None
    """Whether FPR is within budget on dev and under the ceiling on test; None where either is not known."""
    test: Metrics
    slices: tuple[SliceScore, ...] = ()


class Scorecard(Record):
    """All that was scored."""

    schema_version: int = 1
    profile: Profile
    dev: int
    """Conversations that thresholds were chosen on."""
    test: int
    in_sample: bool
    results: tuple[TaskResult, ...]


def split_up(conversations: Sequence[Conversation], others: Sequence[Conversation] = ()) -> Splits:
    """Dev and test of a corpus; `others`: conversations of another one to choose thresholds on.

    A corpus with one split alone is scored on what its thresholds are chosen on.
    """
    dev = list(others) or [one for one in conversations if one.split == "dev"]
    test = [one for one in conversations if one.split == "test"]
    if others:
        return Splits(dev, test or list(conversations))
    return Splits(dev, test) if dev and test else Splits(list(conversations), list(conversations))


def scorecard(splits: Splits, heard: Heard, profile: Profile, seed: int = 0, resamples: int = RESAMPLES) -> Scorecard:
    """Choose each detector's thresholds on dev and score it on test.

    Parameters
    ----------
    splits
        Dev and test.
    heard
        What each detector says of both.
    profile
        The protocol.
    seed, resamples
        Of the intervals.

    """
    results = [
        task_result(name, task, splits, found, profile, seed, resamples)
        for name, found in heard.items()
        for task in TASKS
        if any(task in detections for detections in found.values())
    ]
    return Scorecard(
        profile=profile,
        dev=len(splits.dev),
        test=len(splits.test),
        in_sample=splits.in_sample,
        results=tuple(results),
    )


def task_result(
    name: str,
    task: Task,
    splits: Splits,
    found: Mapping[str, Detections],
    profile: Profile,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> TaskResult:
    """One detector and task: its operating point on dev, frozen, and what it does on test."""
    heard = [one for one in splits.dev if one.id in found]
    dev, test = (Channels(task, part, found, profile) for part in (heard, splits.test))
    point = chosen(dev.points())
    # Without anything to choose by on dev, the first candidate is as good as any.
    scored = test.scored(point.threshold if point else dev.candidates()[0])
    whole = metrics(scored, seed, resamples)
    return TaskResult(
        detector=name,
        task=task,
        dev=point,
        has_threshold=dev.candidates() != (0.0,),
        within_budget=None if point is None or whole.fpr is None else point.fpr <= BUDGET and whole.fpr <= CEILING,
        test=whole,
        slices=tuple(_slices(scored, seed)),
    )


def _slices(scored: Scored, seed: int) -> list[SliceScore]:
    return [
        SliceScore(name=name, value=value, metrics=metrics(scored.where(name, value), seed, resamples=0))
        for name, value in scored.slices()
    ]
