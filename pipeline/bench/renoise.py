"""Other noise over the corpus of the stages: what stages 4 and 5 take, from the files that stand."""

import shutil
from pathlib import Path

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.making import make
from pipeline.bench.results import Renoise
from pipeline.bench.sizes import Sizes
from pipeline.bench.stages import CACHE, CORPUS, Say, asked_of
from pipeline.conversation import Job
from pipeline.run import planned

OTHER, FIRST = "noise.snr_db=[2.0, 4.0]", "noise.snr_db=[1.0, 2.0]"


def renoise(sizes: Sizes, folder: Path, say: Say) -> Renoise:
    """Mix a copy of the corpus with other noise; where there is no corpus it is made first."""
    settings, root = settings_of(*asked_of(sizes), OTHER), folder / "renoise"
    specs = planned(settings)
    _make_what_is_missing(sizes, folder, say)
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder / CORPUS, root)
    found = []
    with speech_cache(folder / CACHE, empty=False):
        make(Job(specs[0], settings_of(*asked_of(sizes), FIRST), root), silent)  # loads what is loaded once
        for spec in specs:
            found.append(make(Job(spec, settings, root), silent))
            say(f"renoise: {spec.id} [{len(found)}/{len(specs)}]")
    shutil.rmtree(root)
    names = dict.fromkeys(name for spell in found for name in spell.stages)
    audio_s = sum(spell.audio_s for spell in found)
    voices = sum(len(spec.speakers) * spell.audio_s for spec, spell in zip(specs, found, strict=True))
    return Renoise(
        audio_s=audio_s,
        channels=voices / audio_s,
        cpu_s={name: sum(spell.stages.get(name, 0.0) for spell in found) for name in names},
    )


def _make_what_is_missing(sizes: Sizes, folder: Path, say: Say) -> None:
    """The corpus that the stages leave; all of it where they have not been measured."""
    with speech_cache(folder / CACHE, empty=False):
        for job in scripted(settings_of(*asked_of(sizes)), folder / CORPUS)[0]:
            if "render" in make(job, silent).stages:
                say(f"renoise: {job.spec.id} made")
