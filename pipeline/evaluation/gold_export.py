"""Gold in the layout that TurnBench exports its own in, for scorers that read that (`--export-gold`).

Speakers are numbered from 1, by channel. `scorer_sha` and `dataset_revision` name this project and the corpus.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.profiles import TURNBENCH
from pipeline.evaluation.scorer import Task, track_of
from pipeline.records import Anchor, GoldSpan

NAMES: dict[Task, str] = {"eot": "eot", "interruption": "int"}


def exported(conversations: Iterable[Conversation], name: str) -> str:
    """The gold of a corpus called `name` as JSON."""
    return (
        json.dumps(
            {
                "scorer_sha": "turnfloor",
                "dataset_revision": name,
                "tau_pre_s": TURNBENCH.pre_s,
                "tau_max_s": TURNBENCH.post_s,
                "conversations": {one.id: _conversation(one) for one in conversations},
            }
        )
        + "\n"
    )


def _conversation(one: Conversation) -> dict[str, Any]:
    numbers = {ident: int(key.removeprefix("speaker_")) for ident, key in one.keys.items()}
    found: dict[str, Any] = {"duration_s": one.gold.duration_s}
    for task, name in NAMES.items():
        track = track_of(one.gold, task)
        found[f"{name}_positive_events"] = [_anchor(anchor, numbers) for anchor in track.positives]
        found[f"{name}_negative_spans"] = [_span(span, numbers) for span in track.negatives]
        found[f"{name}_excluded"] = [_span(span, numbers) for span in track.excluded]
    return found


def _anchor(anchor: Anchor, numbers: Mapping[str, int]) -> dict[str, float]:
    return {"speaker": numbers[anchor.speaker], "time_s": anchor.time_s}


def _span(span: GoldSpan, numbers: Mapping[str, int]) -> dict[str, float]:
    return {"speaker": numbers[span.speaker], "start": span.start_s, "end": span.end_s}
