"""Bare synthesis: the same words in the same voices at the same pace, and nothing else.

Hums and laughs are left out: no network says them. Distant speech is spoken too, before any room.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.bench.spell import Made, Spell, timed
from pipeline.executors.base import Notify
from pipeline.models.graphs import Precision
from pipeline.records.nuisance import NuisanceLog
from pipeline.records.spec import ConversationSpec
from pipeline.records.timeline import Timeline
from pipeline.samples import to_seconds
from pipeline.speech.hum import hum_of
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import voice
from pipeline.workspace import Workspace

BOTH_ACCENTS = ("af_heart", "bm_george")


@dataclass(frozen=True)
class Spoken:
    """A conversation that was planned or made, to be spoken without the pipeline."""

    spec: ConversationSpec
    root: Path


def speak(job: Spoken, _: Notify) -> Spell:
    """Synthesise it from its written words."""
    start_s = started(os.getpid())
    return timed(lambda: Made(speech_s=_spoken(job)), start_s)


@lru_cache
def started(process: int, precision: Precision = "float32") -> float:
    """Load the graphs and both accents' phonemisers; CPU seconds since the process began."""
    backend = KokoroOnnx(precision)
    for name in BOTH_ACCENTS:
        backend.render(backend.clock("Ready.", voice(name)))
    return time.process_time()


def _spoken(job: Spoken) -> float:
    """Seconds of synthesised speech."""
    work, backend = Workspace(job.root, job.spec.id), KokoroOnnx()
    timeline, samples = Timeline.read(work.path("timeline.json")), 0
    for utterance in timeline.utterances:
        words = utterance.written if utterance.laugh is None else ""
        if words and hum_of(utterance.phonemes) is None:
            clocked = backend.clock(words, voice(utterance.voice), utterance.speed, utterance.prosody)
            samples += len(backend.render(clocked))
    return to_seconds(samples + sum(_distant(job, work, backend)), timeline.rate)


def _distant(job: Spoken, work: Workspace, backend: KokoroOnnx) -> Iterator[int]:
    """Samples of each snippet of speech from elsewhere."""
    path = work.path("nuisance.json")
    if not path.exists():
        return
    from pipeline.distant_speech import OtherVoices
    from pipeline.sound.synthesis import rng_of

    voices = OtherVoices(backend, job.spec)
    for record in NuisanceLog.read(path).nuisance:
        if record.kind == "distant" and record.clip.seed is not None:
            yield len(voices.snippet(rng_of(record.clip.seed), to_seconds(record.clip.length))[0])
