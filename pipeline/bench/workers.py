"""One and two workers: of the pipeline, and of bare synthesis of the same conversations, in processes of their own."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.making import make
from pipeline.bench.results import Crew, Workers
from pipeline.bench.sizes import Sizes
from pipeline.bench.speaking import Spoken, speak
from pipeline.bench.spell import Spell, speed, wall_s
from pipeline.bench.stages import Say, asked_of
from pipeline.bench.voices import voices_s
from pipeline.conversation import Job
from pipeline.executors import Local


def workers(sizes: Sizes, folder: Path, say: Say) -> Workers:
    """Pipeline, bare, bare, pipeline: with one, one, two and two workers, so that a drift of the machine hits both."""
    pipeline_one, start_s = _pipeline(sizes, folder, 1, say)
    jobs = _jobs(sizes, folder / "workers-1")
    bare = [_bare(jobs, folder, count, say) for count in (1, 2)]
    pipeline_two, _ = _pipeline(sizes, folder, 2, say)
    for count in (1, 2):
        shutil.rmtree(folder / f"workers-{count}")
    return Workers(pipeline=(pipeline_one, pipeline_two), bare=(bare[0], bare[1]), start_s=start_s)


def _jobs(sizes: Sizes, root: Path) -> list[Job]:
    return scripted(settings_of(*asked_of(sizes, sizes.workers)), root)[0]


def _pipeline(sizes: Sizes, folder: Path, count: int, say: Say) -> tuple[Crew, float]:
    """The run, and CPU seconds until its first worker could begin."""
    root = folder / f"workers-{count}"
    shutil.rmtree(root, ignore_errors=True)
    with speech_cache(folder / "workers-cache"):
        jobs = _jobs(sizes, root)
        voices_s(jobs)
        found = list(Local(count).map(make, jobs, silent))
    shutil.rmtree(folder / "workers-cache")
    return _crew(count, found, f"pipeline, {count} at once", say), found[0].start_s


def _bare(jobs: Sequence[Job], folder: Path, count: int, say: Say) -> Crew:
    with speech_cache(folder / "workers-cache"):
        found: list[Any] = list(Local(count).map(speak, [Spoken(job.spec, job.root) for job in jobs], silent))
    return _crew(count, found, f"bare synthesis, {count} at once", say)


def _crew(count: int, found: Sequence[Spell], name: str, say: Say) -> Crew:
    say(f"workers: {name}: {speed(found):.2f} s of speech a second")
    cpu_s = sum(spell.cpu_s for spell in found)
    return Crew(
        workers=count,
        conversations=len(found),
        wall_s=wall_s(found),
        cpu_s=cpu_s,
        audio_s=sum(spell.audio_s for spell in found),
        speed=speed(found),
        cpu_a_speech_s=cpu_s / sum(spell.speech_s for spell in found),
    )
