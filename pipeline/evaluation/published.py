"""The published scores that a corpus's own are shown beside: ``conf/scoring/paper.yaml``."""

from functools import cache

import yaml
from pydantic import Field

from pipeline.evaluation.scorer import Task
from pipeline.records import Record
from pipeline.resources import resource


class PublishedScore(Record):
    """One system and task; shares in per cent, as they were published."""

    recall: float
    fpr: float
    interval: tuple[float, float] | None = None
    """95 % interval of the recall."""
    latency_ms: tuple[float | None, float | None, float | None] = (None, None, None)
    """p10, p50 and p90."""
    threshold: float | None = None
    slices: dict[str, dict[str, tuple[float | None, float | None]]] = Field(default_factory=dict)
    """Recall and FPR by the slice's name and value; None where one of them was not published."""


class Published(Record):
    """All published scores, by system and task."""

    source: str
    test_conversations: int
    systems: dict[str, dict[Task, PublishedScore]]
    beside: dict[str, str]
    """The published system by the detector of this project that it is shown beside."""


@cache
def published() -> Published:
    """The shipped scores."""
    return Published.model_validate(yaml.safe_load(resource("conf", "scoring", "paper.yaml").read_text("utf-8")))
