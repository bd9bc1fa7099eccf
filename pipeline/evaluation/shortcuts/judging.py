"""Scores every shortcut rule like a detector, at bounded latency and without a bound, and says which are too good."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.audit.rules import RULES
from pipeline.audit.sweep import BOUND_MS, FEWEST, TOO_MUCH
from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.decisions import Marks
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.operating import CEILING, Channels, OperatingPoint, operating_point, within_budget
from pipeline.evaluation.profiles import Profile
from pipeline.evaluation.scorecard import Splits
from pipeline.evaluation.scorer import TASKS, Task
from pipeline.evaluation.shortcuts.classifier import classified
from pipeline.evaluation.shortcuts.features import NAMES
from pipeline.evaluation.shortcuts.hearing import ConversationEdges, name_of
from pipeline.evaluation.shortcuts.identity import identities
from pipeline.records import Record

EdgesById = Mapping[str, ConversationEdges]
_SPEAKERS = "give every speaker a share of each kind of event (script: who claims, responds, and holds)"
_LEVELS = "levels that vary whatever happens (tts.variation.level_utterance_db), and less effort (tts.lombard.strength)"
_ENDINGS = "endings that say less: tts.endings.mode=own or neutral, or a lower tts.endings.strength"
_EFFORT = "less effort in overlap: a lower tts.lombard.strength"
EDGE_REMEDIES: dict[Task, dict[str, str]] = {
    "eot": {"level before": _LEVELS, "pitch before": _ENDINGS, "pitch movement before": _ENDINGS},
    "interruption": {"level so far": _LEVELS, "pitch so far": _EFFORT, "pitch reset": _EFFORT},
}
"""The features that only the sound has, each a rule in both directions; the others are the audit's rules."""
_ALL = "what the best rules below go by, one after the other; counterfactual pairs (make pairs) have none of it"


class ShortcutResult(Record):
    """One rule: its points on test, with thresholds that were chosen on dev."""

    task: Task
    feature: str
    bounded: OperatingPoint | None = None
    """With dev's median latency within the bound; None where no threshold is within budget and bound on dev."""
    unbounded: OperatingPoint | None = None
    shortcut: bool | None = None
    """Whether what is within budget and bound on dev solves too much on test; None: too few of both to tell."""
    remedy: str


class Shortcuts(Record):
    """What single features and all of them together make of a corpus."""

    results: tuple[ShortcutResult, ...]
    in_sample: bool
    enough: dict[Task, bool]
    """Whether there are positives and hard negatives enough on dev and on test to tell a shortcut."""

    @property
    def found(self) -> tuple[ShortcutResult, ...]:
        """The rules that solve too much."""
        return tuple(result for result in self.results if result.shortcut)


@dataclass(frozen=True)
class _Rule:
    task: Task
    feature: str
    heard: Mapping[str, Detections]
    remedy: str
    sign: float = 1.0
    """-1: it decides below its threshold, which stands negated in `heard`."""


def shortcuts(splits: Splits, heard: EdgesById, profile: Profile) -> Shortcuts:
    """Score all rules.

    Parameters
    ----------
    splits
        Thresholds are chosen, and the classifier is trained, on dev; test is scored.
    heard
        The edges of all their conversations.
    profile
        The protocol.

    """
    enough = {task: _enough(task, splits.dev) and _enough(task, splits.test) for task in TASKS}
    results = [_judged(rule, splits, profile, enough[rule.task]) for rule in _rules(splits, heard)]
    return Shortcuts(results=tuple(results), in_sample=splits.in_sample, enough=enough)


def _judged(rule: _Rule, splits: Splits, profile: Profile, enough: bool) -> ShortcutResult:
    dev, test = (Channels(rule.task, part, rule.heard, profile) for part in (splits.dev, splits.test))
    points = dev.points()
    bound = BOUND_MS[rule.task]
    bounded = _frozen(within_budget(points, bound), test, rule.sign)
    return ShortcutResult(
        task=rule.task,
        feature=rule.feature,
        bounded=bounded,
        unbounded=_frozen(within_budget(points), test, rule.sign),
        shortcut=_too_good(bounded, rule.task) if enough else None,
        remedy=rule.remedy,
    )


def _frozen(point: OperatingPoint | None, test: Channels, sign: float) -> OperatingPoint | None:
    found = operating_point(point.threshold, test.at(point.threshold)) if point else None
    return found.model_copy(update={"threshold": sign * found.threshold}) if found else None


def _too_good(point: OperatingPoint | None, task: Task) -> bool:
    """Whether a point that was within budget and bound on dev solves too much on test.

    As for a detector, a little more than the budget is chance there, and so is a median just past the bound.
    """
    return point is not None and point.fpr <= CEILING and point.recall > TOO_MUCH[task]


def _enough(task: Task, test: Sequence[Conversation]) -> bool:
    golds = [gold for one in test for gold in one.channels[task].values()]
    return min(sum(len(gold.positives) for gold in golds), sum(len(gold.negatives) for gold in golds)) >= FEWEST


# The rules ------------------------------------------------------------------------------------------------


def _rules(splits: Splits, heard: EdgesById) -> Iterator[_Rule]:
    for rule in RULES:
        found = {ident: {rule.task: one.rules[name_of(rule)]} for ident, one in heard.items()}
        yield _Rule(rule.task, rule.feature, found, rule.remedy)
    for task in TASKS:
        for feature, remedy in EDGE_REMEDIES[task].items():
            column = NAMES[task].index(feature)
            for way, sign in (("above", 1.0), ("below", -1.0)):
                yield _Rule(task, f"{feature}, {way}", _marked(task, heard, column, sign), remedy, sign)
        yield _Rule(task, "speaker", identities(task, splits.dev, (*splits.dev, *splits.test), heard), _SPEAKERS)
        together = classified(task, splits.dev, splits.test, heard)
        if together:
            yield _Rule(task, "all together (trees)", together, _ALL)


def _marked(task: Task, heard: EdgesById, column: int, sign: float) -> dict[str, Detections]:
    """A feature at the first moment of each burst; where it is not known the rule does not decide."""
    found: dict[str, Detections] = {}
    for ident, one in heard.items():
        marks = {}
        for speaker, edges in one.edges[task].items():
            values = sign * edges.features[:, column]
            kept = edges.first & np.isfinite(values)
            marks[speaker] = Marks(tuple(edges.times[kept].tolist()), tuple(values[kept].tolist()), shares=False)
        found[ident] = {task: marks}
    return found
