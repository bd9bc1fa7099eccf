"""Who speaks, as a detector: the share of positives among what counts on dev for that voice.

A voice that dev does not have, as all of test's where voices are disjoint, gets the share of all: identity cannot tell.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.decisions import Marks
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.scorer import Task
from pipeline.evaluation.shortcuts.hearing import ConversationEdges

PRIOR = 2.0
"""How many items of the average a voice has beside its own."""


def identities(
    task: Task, dev: Sequence[Conversation], everything: Sequence[Conversation], heard: Mapping[str, ConversationEdges]
) -> dict[str, Detections]:
    """The share of the speaker's voice at the first moment of each burst."""
    shares, average = voice_shares(task, dev)
    return {
        one.id: {
            task: {
                speaker: Marks(
                    tuple(edges.times[edges.first].tolist()),
                    (shares.get(one.voices[speaker], average),) * int(edges.first.sum()),
                    shares=False,
                )
                for speaker, edges in heard[one.id].edges[task].items()
            }
        }
        for one in everything
    }


def voice_shares(task: Task, dev: Sequence[Conversation]) -> tuple[dict[str, float], float]:
    """Share of positives by voice, drawn a little towards that of all, and that of all; 0.5 where nothing counts."""
    positives, items = Counter[str](), Counter[str]()
    for one in dev:
        for speaker, gold in one.channels[task].items():
            positives[one.voices[speaker]] += len(gold.positives)
            items[one.voices[speaker]] += len(gold.positives) + len(gold.negatives)
    average = positives.total() / items.total() if items.total() else 0.5
    shares = {voice: (positives[voice] + PRIOR * average) / (n + PRIOR) for voice, n in items.items()}
    return shares, average
