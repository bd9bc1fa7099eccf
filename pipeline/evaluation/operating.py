"""Operating points: a threshold is chosen on dev, within a budget of false positives, and frozen for test."""

from collections.abc import Iterable, Mapping, Sequence

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.decisions import Decisions, candidates
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.items import Scored, together
from pipeline.evaluation.matching import match
from pipeline.evaluation.profiles import Profile
from pipeline.evaluation.scorer import Task, TaskScore, counted, pooled
from pipeline.records import Record

BUDGET = 0.10
"""Share of dev's hard negatives that a detector may fire on (`scoring.operating_point` in the paper's tables)."""
CEILING = 0.15
"""With more than this share of test's hard negatives it is over budget all the same."""


class OperatingPoint(Record):
    """A threshold of a detector, and what it scores with it, pooled over the conversations."""

    threshold: float
    recall: float
    fpr: float
    latency_p50_ms: float | None = None
    """Median signed latency of the true positives; None where there is none."""


def operating_point(threshold: float, found: TaskScore) -> OperatingPoint | None:
    """The point of one threshold; None where there is no positive or no hard negative to score it on."""
    if found.recall is None or found.fpr is None:
        return None
    late = found.latency_p50_ms
    return OperatingPoint(
        threshold=threshold,
        recall=round(found.recall, 6),
        fpr=round(found.fpr, 6),
        latency_p50_ms=None if late is None else round(late, 1),
    )


class Channels:
    """One detector and task over several conversations; decisions that were scored before are looked up."""

    def __init__(
        self,
        task: Task,
        conversations: Sequence[Conversation],
        heard: Mapping[str, Detections],
        profile: Profile,
    ) -> None:
        self._task, self._profile, self._conversations = task, profile, conversations
        self._heard = {one.id: heard[one.id].get(task, {}) for one in conversations}
        self._known: dict[tuple[str, str, tuple[float, ...]], TaskScore] = {}

    def candidates(self) -> tuple[float, ...]:
        """The thresholds to try (:func:`pipeline.evaluation.decisions.candidates`)."""
        return candidates(channel for channels in self._heard.values() for channel in channels.values())

    def at(self, threshold: float) -> TaskScore:
        """The score with a threshold, pooled."""
        return pooled(
            self._one(one, speaker, threshold) for one in self._conversations for speaker in one.channels[self._task]
        )

    def scored(self, threshold: float) -> Scored:
        """What becomes of every item with a threshold."""
        parts = []
        for one in self._conversations:
            times = {speaker: self._times(one, speaker, threshold) for speaker in one.channels[self._task]}
            parts.append(one.scored(self._task, times.__getitem__, self._profile))
        return together(parts)

    def points(self) -> list[OperatingPoint]:
        """The point of each candidate threshold, ascending; none where nothing can be scored."""
        found = (operating_point(threshold, self.at(threshold)) for threshold in self.candidates())
        return [point for point in found if point is not None]

    def _one(self, one: Conversation, speaker: str, threshold: float) -> TaskScore:
        times = self._times(one, speaker, threshold)
        key = (one.id, speaker, tuple(times))
        if key not in self._known:
            self._known[key] = counted(match(one.channels[self._task][speaker], times, self._profile))
        return self._known[key]

    def _times(self, one: Conversation, speaker: str, threshold: float) -> list[float]:
        decisions: Decisions | None = self._heard[one.id].get(speaker)
        return decisions.at(threshold) if decisions else []


def within_budget(points: Iterable[OperatingPoint], bound_ms: float | None = None) -> OperatingPoint | None:
    """The highest recall with an FPR within the budget; among equals the lowest threshold.

    None where no point is within it. With `bound_ms`, those whose median latency is above it do not count.
    """
    within = [
        point
        for point in points
        if point.fpr <= BUDGET and (bound_ms is None or (point.latency_p50_ms or 0.0) <= bound_ms)
    ]
    return min(within, key=lambda point: (-point.recall, point.threshold), default=None)


def chosen(points: Iterable[OperatingPoint]) -> OperatingPoint | None:
    """The operating point: within the budget, or else, where none is, where recall exceeds FPR by most.

    What to do without any point within the budget is not stated in the paper, which has such detectors in its tables.
    """
    found = list(points)
    nearest = min(found, key=lambda point: (point.fpr - point.recall, point.threshold), default=None)
    return within_budget(found) or nearest
