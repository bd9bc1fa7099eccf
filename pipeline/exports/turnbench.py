"""TurnBench's gold, as its `gold export` prints it.

Source: SesameAILabs/turnbench, `turnbench/gold.py` (layout of the artefact, scoring windows). Speakers are
numbered from 1 in the order of the channels; a conversation may have more than two.
"""

import json
from typing import Any

from pipeline.evaluation.profiles import TURNBENCH
from pipeline.exports.job import Job
from pipeline.loader import Conversation
from pipeline.records import Track


def turnbench(job: Job) -> None:
    """Write `gold.json`: positives, hard negatives and excluded intervals of every conversation."""
    conversations = {one.id: gold_of(one) for one in job.conversations()}
    artefact = {
        "scorer_sha": "turnfloor",
        "dataset_revision": job.corpus.path.resolve().name,
        "tau_pre_s": TURNBENCH.pre_s,
        "tau_max_s": TURNBENCH.post_s,
        "conversations": conversations,
    }
    job.text("gold.json", json.dumps(artefact, indent=1) + "\n")


def gold_of(conversation: Conversation) -> dict[str, Any]:
    """The gold of one conversation [s]."""
    gold = conversation.gold
    numbers = {speaker.id: number for number, speaker in enumerate(conversation.speakers, 1)}
    found: dict[str, Any] = {"duration_s": gold.duration_s}
    tracks: tuple[tuple[str, Track], ...] = (("eot", gold.eot), ("int", gold.interruption))
    for task, track in tracks:
        found[f"{task}_positive_events"] = [
            {"speaker": numbers[anchor.speaker], "time_s": anchor.time_s} for anchor in track.positives
        ]
        for name, spans in (("negative_spans", track.negatives), ("excluded", track.excluded)):
            found[f"{task}_{name}"] = [
                {"speaker": numbers[span.speaker], "start": span.start_s, "end": span.end_s} for span in spans
            ]
    return found
