"""Memory of a worker: at its peak beside bare synthesis, and over many short conversations."""

import shutil
from pathlib import Path
from statistics import fmean

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.fixed import TEMPLATE
from pipeline.bench.making import make
from pipeline.bench.results import Memory
from pipeline.bench.sizes import Sizes
from pipeline.bench.speaking import Spoken, speak
from pipeline.bench.stages import Say
from pipeline.executors import Local
from pipeline.ready import Narrator, simulate_rooms

SHORT_S = 5
BESIDE = 60
"""Conversations that bare synthesis is asked for at most: its peak is that of the longest utterance."""


def memory(sizes: Sizes, folder: Path, say: Say) -> Memory:
    """Make them in one worker, then speak the first of them in a process that does nothing else."""
    root, cache = folder / "memory", folder / "memory-cache"
    shutil.rmtree(root, ignore_errors=True)
    asked = (f"n={sizes.memory}", f"duration={SHORT_S}", f"seed={sizes.seed}", "speakers=2", TEMPLATE)
    with speech_cache(cache):
        simulate_rooms(Narrator(say))  # as a run does before its workers begin
        jobs, _ = scripted(settings_of(*asked), root)
        made = []
        for spell in Local(1).map(make, jobs, silent):
            made.append(spell)
            if len(made) % 25 == 0:
                say(f"memory: {spell.rss_mb:.0f} MB [{len(made)}/{len(jobs)}]")
        first = jobs[:BESIDE]
        bare = list(Local(1).map(speak, [Spoken(job.spec, job.root) for job in first], silent))
    for used in (root, cache):
        shutil.rmtree(used)
    tenth = max(1, len(made) // 10)
    return Memory(
        conversations=len(made),
        beside=len(first),
        worker_peak_mb=made[len(first) - 1].peak_mb,
        bare_peak_mb=bare[-1].peak_mb,
        early_mb=fmean(spell.rss_mb for spell in made[tenth : 2 * tenth]),
        late_mb=fmean(spell.rss_mb for spell in made[-tenth:]),
        peak_mb=made[-1].peak_mb,
    )
