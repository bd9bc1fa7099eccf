"""A conversation made by the pipeline, with the time that each of its stages took."""

import os
import time
from itertools import pairwise

# What a worker of a run has in memory, whether it needs it or not.
import pipeline.run  # noqa: F401
from pipeline.bench.speaking import started
from pipeline.bench.spell import Made, Spell, timed
from pipeline.conversation import Job, make_conversation
from pipeline.executors.base import Notify
from pipeline.progress import Note
from pipeline.records import Timeline
from pipeline.samples import to_seconds
from pipeline.speech.hum import hum_of
from pipeline.workspace import Workspace

CHECK = "check"


def make(job: Job, _: Notify) -> Spell:
    """Run the stages that are not done; the time from each stage's note to the next one's is that stage's."""
    return timed(lambda: _made(job), started(os.getpid()))


def _made(job: Job) -> Made:
    marks: list[tuple[str, float]] = [(CHECK, time.process_time())]

    def note(said: Note) -> None:
        marks.append((said.stage, time.process_time()))

    outcome = make_conversation(job, note)
    marks.append(("end", time.process_time()))
    stages = {stage: end - begin for (stage, begin), (_, end) in pairwise(marks)}
    return Made(audio_s=outcome.audio_s, speech_s=_speech_s(job), stages=stages)


def _speech_s(job: Job) -> float:
    """Of the words that a network has said."""
    timeline = Timeline.read(Workspace(job.root, job.spec.id).path("timeline.json"))
    said = [u for u in timeline.utterances if u.laugh is None and hum_of(u.phonemes) is None]
    return sum(to_seconds(u.n_samples, timeline.rate) for u in said)
