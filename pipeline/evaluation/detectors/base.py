"""What a detector is to the scorer."""

from collections.abc import Mapping
from typing import Protocol

from pipeline.evaluation.decisions import Decisions
from pipeline.evaluation.scorer import Task
from pipeline.evaluation.sound import Sound

Detections = Mapping[Task, Mapping[str, Decisions]]
"""By task and speaker; a task or speaker that is missing is never decided on."""


class Detector(Protocol):
    """Something that hears a conversation; made without arguments, so that a worker process can make its own."""

    def hear(self, sound: Sound) -> Detections:
        """What it says of each channel."""
