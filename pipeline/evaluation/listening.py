"""Lets detectors hear a corpus, conversation by conversation, in a process a core."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.registry import detector
from pipeline.evaluation.shortcuts.hearing import ConversationEdges, hear_edges
from pipeline.evaluation.sound import read_sound
from pipeline.executors import Notify, executor_for
from pipeline.executors.settings import ExecutorSettings
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
    shortcuts: bool
    """Whether the shortcut rules shall, too."""


@dataclass(frozen=True)
class Done:
    """What was heard of one conversation."""

    id: str
    found: Mapping[str, Detections]
    edges: ConversationEdges | None


def hear(job: Job, notify: Notify) -> Done:
    """What each detector says of a conversation, and its edges where the shortcut rules want them."""
    sound = read_sound(job.folder, job.keys)
    found = {name: detector(name).hear(sound) for name in job.detectors}
    edges = hear_edges(sound) if job.shortcuts else None
    notify(Note(job.id, "done", sound.duration_s))
    return Done(job.id, found, edges)


def listened(
    conversations: Sequence[Conversation], detectors: Sequence[str], shortcuts: bool, workers: int | None = None
) -> tuple[Heard, dict[str, ConversationEdges]]:
    """What `detectors`, by name, and the shortcut rules hear in all `conversations`.

    `workers`: processes; None: one a core. Progress goes to stderr.

    Raises
    ------
    InputError
        where a channel cannot be read.
    ConfigError
        where a detector's package is missing.

    """
    heard: Heard = {name: {} for name in detectors}
    edges: dict[str, ConversationEdges] = {}
    if not detectors and not shortcuts:
        return heard, edges
    jobs = [Job(one.id, one.folder, dict(one.keys), tuple(detectors), shortcuts) for one in conversations]
    with Display(len(jobs)) as display:
        for done in executor_for(ExecutorSettings(), workers, len(jobs)).map(hear, jobs, display.show):
            for name, detections in done.found.items():
                heard[name][done.id] = detections
            if done.edges:
                edges[done.id] = done.edges
    return heard, edges
