"""A rule over its thresholds: what it scores with each, and which of them is best.

A channel's detector makes no decision within 2 s of its last one (`refractory_s`). Scores are those of
:mod:`pipeline.evaluation.scorer`, a channel at a time, since most thresholds leave most channels' decisions as they
were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.audit.activity import Activity, activities
from pipeline.audit.records import RuleResult
from pipeline.audit.rules import Decisions, Rule
from pipeline.evaluation.decisions import REFRACTORY_S
from pipeline.evaluation.matching import committed
from pipeline.evaluation.operating import BUDGET, OperatingPoint, operating_point
from pipeline.evaluation.scorer import TASKS, Task, TaskScore, pooled, score, track_of
from pipeline.gold import gold
from pipeline.records import Gold, GoldSpan, Timeline, Track
from pipeline.samples import to_samples

BOUND_MS: dict[Task, float] = {"eot": 500.0, "interruption": 1000.0}
"""The median latency above which a decision comes too late to be of use [ms]."""
TOO_MUCH: dict[Task, float] = {"eot": 0.70, "interruption": 0.60}
"""A rule with more recall than this within budget and bound is a shortcut."""
FEWEST = 20
"""With fewer positives or hard negatives than this nothing is said about a rule being a shortcut."""
_NOTHING = Track(positives=(), negatives=(), excluded=())


@dataclass(frozen=True)
class Channel:
    """A channel with what counts on it: the gold of its speaker alone, by task."""

    activity: Activity
    gold: dict[Task, Gold]

    def track(self, task: Task) -> Track:
        """What counts for one task."""
        return track_of(self.gold[task], task)

    def counts(self, task: Task) -> bool:
        """Whether there is anything to find or to be taken in by."""
        return bool(self.track(task).positives or self.track(task).negatives)


def channels(timelines: Iterable[Timeline]) -> list[Channel]:
    """The channels of all conversations."""
    return [channel for timeline in timelines for channel in _channels(timeline)]


def _channels(timeline: Timeline) -> list[Channel]:
    whole = gold(timeline)
    return [
        Channel(activity, {task: _alone(whole, task, activity.speaker) for task in TASKS})
        for activity in activities(timeline)
    ]


def _alone(whole: Gold, task: Task, speaker: str) -> Gold:
    """One task and speaker of a conversation's gold."""
    track = track_of(whole, task)
    own = Track(
        positives=tuple(anchor for anchor in track.positives if anchor.speaker == speaker),
        negatives=_of(track.negatives, speaker),
        excluded=_of(track.excluded, speaker),
    )
    blank: dict[str, Track] = dict.fromkeys(TASKS, _NOTHING)
    return whole.model_copy(update={**blank, task: own})


def _of(spans: Sequence[GoldSpan], speaker: str) -> tuple[GoldSpan, ...]:
    return tuple(span for span in spans if span.speaker == speaker)


def sweep(rule: Rule, over: Sequence[Channel]) -> list[tuple[float, TaskScore]]:
    """The score of `rule` with each of its thresholds, pooled over the channels."""
    scored = [_Scored(channel, rule) for channel in over if channel.counts(rule.task)]
    return [(threshold, pooled(one.at(threshold) for one in scored)) for threshold in rule.thresholds]


class _Scored:
    """A rule on one channel; decisions that were scored before are looked up."""

    def __init__(self, channel: Channel, rule: Rule) -> None:
        self._rate = channel.activity.rate
        self._gold = channel.gold[rule.task]
        self._speaker = channel.activity.speaker
        self._task = rule.task
        self._decide: Decisions = rule.watch(channel.activity)
        self._known: dict[bytes, TaskScore] = {}

    def at(self, threshold: float) -> TaskScore:
        times = self._decide(threshold)
        key = times.tobytes()
        if key not in self._known:
            kept = committed(times.tolist(), to_samples(REFRACTORY_S, self._rate))
            predictions: dict[str, dict[Task, list[float]]] = {
                self._speaker: {self._task: [time / self._rate for time in kept]}
            }
            self._known[key] = score(self._gold, predictions)[self._task]
        return self._known[key]


def judged(rule: Rule, over: Sequence[Channel]) -> RuleResult:
    """The best `rule` does within the budget, with and without the bound on latency, and whether that is too much."""
    points = [operating_point(threshold, found) for threshold, found in sweep(rule, over)]
    unbounded = best(point for point in points if point is not None)
    bounded = best(
        point for point in points if point is not None and (point.latency_p50_ms or 0.0) <= BOUND_MS[rule.task]
    )
    shortcut = bounded is not None and bounded.recall > TOO_MUCH[rule.task] if enough(rule.task, over) else None
    return RuleResult(
        task=rule.task,
        feature=rule.feature,
        unit=rule.unit,
        bounded=bounded,
        unbounded=unbounded,
        shortcut=shortcut,
        remedy=rule.remedy if shortcut else None,
    )


def enough(task: Task, over: Sequence[Channel]) -> bool:
    """Whether there are positives and hard negatives enough to tell a shortcut."""
    tracks = [channel.track(task) for channel in over]
    return min(sum(len(t.positives) for t in tracks), sum(len(t.negatives) for t in tracks)) >= FEWEST


def best(points: Iterable[OperatingPoint]) -> OperatingPoint | None:
    """The highest recall within the budget; among equals the fewest false positives, then the lowest threshold."""
    within = [point for point in points if point.fpr <= BUDGET]
    return min(within, key=lambda point: (-point.recall, point.fpr, point.threshold), default=None)
