"""All that one conversation shows, gathered by one process."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pipeline.errors import InputError

from . import alignment, background, clipping, recognition, silence, voices
from .alignment import Found as Aligned
from .background import Found as Background
from .clipping import Found as File
from .reading import Conversation, read_conversation
from .recognition import Found as Stretch
from .silence import Found as Silence
from .voices import Found as Pair

Listening = Literal["recognition", "alignment", "silence", "voices", "background", "clipping"]
LISTENING: tuple[Listening, ...] = ("recognition", "alignment", "silence", "voices", "background", "clipping")


@dataclass(frozen=True)
class Job:
    """One conversation, and what is asked of it."""

    folder: Path
    gates: tuple[Listening, ...]
    words: float
    """Asked of a recogniser at least; infinite: all."""
    seed: int


@dataclass
class Evidence:
    """What was found; of gates that were not asked, nothing."""

    conversation: str
    audio_s: float = 0.0
    unheard: dict[str, str] = field(default_factory=dict)
    """Why it could not be put to a gate, by the gate's name."""
    recognition: list[Stretch] = field(default_factory=list)
    alignment: list[Aligned] = field(default_factory=list)
    silence: list[Silence] = field(default_factory=list)
    voices: list[Pair] = field(default_factory=list)
    background: list[Background] = field(default_factory=list)
    clipping: list[File] = field(default_factory=list)
    cpu_s: dict[str, float] = field(default_factory=dict)
    """Processor time of each gate [s]."""


def gather(job: Job, say: Callable[[str], None] = lambda name: None) -> Evidence:
    """Ask a conversation; what cannot be read or judged says why. `say` hears which gate is at work."""
    try:
        conversation = read_conversation(job.folder)
    except InputError as error:
        return Evidence(job.folder.name, unheard=dict.fromkeys(job.gates, str(error)))
    found = Evidence(job.folder.name, conversation.timeline.n_samples / conversation.timeline.rate)
    for name in job.gates:
        say(name)
        started = time.process_time()
        try:
            _ask(name, conversation, job, found)
        except InputError as error:
            found.unheard[name] = f"{job.folder.name}: {error}"  # a fault of the sound names no file
        found.cpu_s[name] = time.process_time() - started
    return found


def _ask(name: Listening, conversation: Conversation, job: Job, found: Evidence) -> None:
    """Put a conversation to one gate."""
    match name:
        case "recognition":
            found.recognition += recognition.find(conversation, job.words, job.seed)
        case "alignment":
            found.alignment.append(alignment.find(conversation, job.seed))
        case "silence":
            found.silence += silence.find(conversation)
        case "voices":
            found.voices += voices.find(conversation)
        case "background":
            found.background += background.find(conversation)
        case "clipping":
            found.clipping += clipping.find(conversation)
