"""Stage 2 alone: with an empty cache of clocked words, and once more with a full one."""

import shutil
from pathlib import Path

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.making import make
from pipeline.bench.results import Planning
from pipeline.bench.sizes import Sizes
from pipeline.bench.spell import Spell
from pipeline.bench.stages import Say, asked_of


def plan(sizes: Sizes, folder: Path, say: Say) -> Planning:
    """Plan the conversations twice."""
    with speech_cache(folder / "plan-cache"):
        cold = _planned(sizes, folder / "plan", "empty", say)
        warm = _planned(sizes, folder / "plan", "full", say)
    shutil.rmtree(folder / "plan-cache")
    return Planning(
        audio_s=sum(spell.audio_s for spell in cold),
        cold_cpu_s=sum(spell.cpu_s for spell in cold),
        warm_cpu_s=sum(spell.cpu_s for spell in warm),
    )


def _planned(sizes: Sizes, root: Path, cache: str, say: Say) -> list[Spell]:
    shutil.rmtree(root, ignore_errors=True)
    jobs, _ = scripted(settings_of(*asked_of(sizes), "until=orchestrate"), root)
    found = [make(job, silent) for job in jobs]
    say(f"plan: {len(jobs)} conversations with an {cache} cache" if cache == "empty" else "plan: again")
    shutil.rmtree(root)
    return found
