"""A small classifier over all features at once, as a detector: trained on dev, out of fold where it scores dev itself.

Gradient-boosted trees of depth 3 (scikit-learn, extra `score`). A moment counts as positive where it lies in the window
of a positive, as negative inside a hard negative, and is left out of the training elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.decisions import Marks
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.needs import needed
from pipeline.evaluation.matching import ChannelGold, match
from pipeline.evaluation.profiles import MULTIPARTY
from pipeline.evaluation.scorer import Task
from pipeline.evaluation.shortcuts.features import Edges
from pipeline.evaluation.shortcuts.hearing import ConversationEdges

FOLDS = 5
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Channel:
    conversation: str
    speaker: str
    edges: Edges
    labels: Values
    """1, 0, or NaN for a moment that counts for nothing."""


def classified(
    task: Task, dev: Sequence[Conversation], test: Sequence[Conversation], heard: Mapping[str, ConversationEdges]
) -> dict[str, Detections] | None:
    """The classifier's scores in all conversations; None where dev has too few moments or conversations to train on.

    Each conversation of dev is scored by a classifier that was trained on others, and on no other member of its pair.
    """
    groups = list(dict.fromkeys(one.cluster for one in dev))
    if len(groups) < 2:
        return None
    found: dict[str, Detections] = {}
    folds = [groups[n::FOLDS] for n in range(min(FOLDS, len(groups)))]
    for held_out in [*folds, [one.cluster for one in test if one.cluster not in groups]]:
        rest = [channel for one in dev if one.cluster not in held_out for channel in _channels(task, one, heard)]
        model = _trained(rest)
        if model is None:
            return None
        for one in (*dev, *test):
            if one.cluster in held_out:
                found[one.id] = {task: {c.speaker: _marks(model, c.edges) for c in _channels(task, one, heard)}}
    return found


def _channels(task: Task, one: Conversation, heard: Mapping[str, ConversationEdges]) -> list[_Channel]:
    return [
        _Channel(one.id, speaker, edges, labels_of(edges, one.channels[task].get(speaker, ChannelGold())))
        for speaker, edges in heard[one.id].edges[task].items()
    ]


def labels_of(edges: Edges, gold: ChannelGold) -> Values:
    """What each moment is, taken alone: 1 where it finds a positive, 0 where it fires on a hard negative, else NaN."""
    labels = np.full(len(edges), np.nan)
    for n, time in enumerate(edges.times.tolist()):
        outcome = match(gold, [time], MULTIPARTY)
        if any(latency is not None for latency in outcome.latencies_ms):
            labels[n] = 1.0
        elif any(outcome.fired):
            labels[n] = 0.0
    return labels


def _trained(channels: Sequence[_Channel]) -> Any:
    """A model of the labelled moments; None where one of both classes lacks."""
    labels = np.concatenate([np.empty(0), *(channel.labels for channel in channels)])
    known = np.isfinite(labels)
    if len(np.unique(labels[known])) < 2:
        return None
    rows = np.concatenate([channel.edges.features for channel in channels])
    ensemble = needed("sklearn.ensemble")
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=100, max_depth=3, min_samples_leaf=10, class_weight="balanced", early_stopping=False, random_state=0
    )
    # Threads that wait for each other on a busy machine take longer than one.
    with needed("threadpoolctl").threadpool_limits(1):
        return model.fit(rows[known], labels[known].astype(int))


def _marks(model: Any, edges: Edges) -> Marks:
    if not len(edges):
        return Marks((), ())
    with needed("threadpoolctl").threadpool_limits(1):
        scores = model.predict_proba(edges.features)[:, 1]
    return Marks(tuple(edges.times.tolist()), tuple(scores.tolist()))
