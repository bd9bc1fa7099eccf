"""Lets detectors hear a corpus, conversation by conversation, in a process a core."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.registry import detector
from pipeline.evaluation.sound import read_sound
from pipeline.executor import Notify, executor_for
from pipeline.progress import Display, Note

Heard = dict[str, dict[str, Detections]]
"""By detector, then by conversation."""


@dataclass(frozen=True)
class Job:
    """One conversation and who shall hear it."""

    id: str
    folder: Path
    keys: Mapping[str, str]
    detectors: tuple[str, ...]


def hear(job: Job, notify: Notify) -> tuple[str, dict[str, Detections]]:
    """What each detector says of a conversation, with its id."""
    sound = read_sound(job.folder, job.keys)
    found = {name: detector(name).hear(sound) for name in job.detectors}
    notify(Note(job.id, "done", sound.duration_s))
    return job.id, found


def listened(conversations: Sequence[Conversation], detectors: Sequence[str], workers: int) -> Heard:
    """What `detectors`, by name, say of all `conversations`; progress goes to stderr.

    Raises
    ------
    InputError
        where a channel cannot be read.
    ConfigError
        where a detector's package is missing.

    """
    heard: Heard = {name: {} for name in detectors}
    if not detectors:
        return heard
    jobs = [Job(one.id, one.folder, dict(one.keys), tuple(detectors)) for one in conversations]
    with Display(len(jobs)) as display:
        for ident, found in executor_for(min(workers, len(jobs))).map(hear, jobs, display.show):
            for name, detections in found.items():
                heard[name][ident] = detections
    return heard
