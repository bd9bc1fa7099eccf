"""The stages apart and together, beside bare synthesis, conversation by conversation, so that a drift hits both.

What was measured of a conversation is kept at once: a run that was stopped goes on with the next one.
"""

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.fixed import TEMPLATE, finish_s, plan_s
from pipeline.bench.making import CHECK, make
from pipeline.bench.results import Conversation, Stages
from pipeline.bench.sizes import Sizes
from pipeline.bench.speaking import Spoken, speak, started
from pipeline.bench.spell import Spell
from pipeline.bench.voices import voices_s
from pipeline.conversation import Job
from pipeline.estimate.need import need_of
from pipeline.records import ConversationSpec
from pipeline.scale.measured import Asked, Asking
from pipeline.workspace import Workspace, write_text

Say = Callable[[str], None]
CORPUS, CACHE, SO_FAR = "stages", "cache", "stages-so-far"


def asked_of(sizes: Sizes, count: int | None = None) -> tuple[str, ...]:
    """The conversations that the parts share, or the first of them, as overrides."""
    usual = (f"n={count or sizes.stages}", f"seed={sizes.seed}")
    return (*usual, "script=reference") if sizes.seconds is None else (*usual, f"duration={sizes.seconds}", TEMPLATE)


def stages(sizes: Sizes, folder: Path, say: Say) -> Stages:
    """Make the corpus and speak it bare; it stays in `folder` with its cache, for the parts that need one."""
    settings, root, so_far = settings_of(*asked_of(sizes)), folder / CORPUS, folder / SO_FAR
    found = []
    with speech_cache(folder / CACHE):
        started(os.getpid())
        jobs, spent = scripted(settings, root)
        voices = voices_s(jobs)
        for job, script_s in zip(jobs, spent, strict=True):
            found.append(_measured(so_far / f"{job.spec.id}.json", partial(_both, job, script_s)))
            say(f"stages: {job.spec.id} [{len(found)}/{len(jobs)}]")
        finishing = finish_s(root, [job.spec.id for job in jobs])
    measured = Stages(conversations=tuple(found), voices_s=voices, plan_s=plan_s(), finish_s=finishing)
    shutil.rmtree(so_far)
    return measured


def _measured(path: Path, measure: Callable[[], Conversation]) -> Conversation:
    """What is kept at `path`, or measured now and kept there."""
    if path.exists():
        return Conversation.read(path)
    found = measure()
    write_text(path, found.to_json())
    return found


def _both(job: Job, script_s: float) -> Conversation:
    made = make(_done_over(job), silent)
    bare = speak(Spoken(job.spec, job.root), silent)
    again = make(job, silent)
    return Conversation(
        audio_s=made.audio_s,
        speech_s=bare.speech_s,
        cpu_s={"script": script_s, **_stages_of(made)},
        bare_cpu_s=bare.cpu_s,
        check_s=again.cpu_s,
        bytes=_bytes(job),
        asked={writer: _asked(job.spec, writer) for writer in ("whole", "lines")},
    )


def _done_over(job: Job) -> Job:
    """The job, with what an earlier run has made of it gone, so that all of it is made again."""
    for marker in Workspace(job.root, job.spec.id).work.glob("*.done.json"):
        marker.unlink()
    return job


def _stages_of(made: Spell) -> dict[str, float]:
    """By stage; looking for what is done already belongs to the first one."""
    return {
        stage: seconds + (made.stages[CHECK] if stage == "orchestrate" else 0.0)
        for stage, seconds in made.stages.items()
        if stage != CHECK
    }


def _bytes(job: Job) -> int:
    work = Workspace(job.root, job.spec.id)
    return sum(path.stat().st_size for f in (work.work, work.published) for path in f.rglob("*") if path.is_file())


def _asked(spec: ConversationSpec, writer: Asking) -> Asked:
    """What a model would be asked for its script, as `make estimate` reckons it."""
    need = need_of(spec, settings_of(f"script={writer}"))
    return Asked(requests=need.requests, prompt_tokens=need.prompt_tokens, completion_tokens=need.completion_tokens)
