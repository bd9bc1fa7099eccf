"""Beside the nearest peer that is to be had as a package, on the same dialogues of two, in the same voices.

The peer runs in an environment of its own, whose Python is named; see :mod:`pipeline.bench.peer_side`.
"""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from pipeline.bench.corpus import scripted, settings_of, silent, speech_cache
from pipeline.bench.making import make
from pipeline.bench.results import Peer, Side
from pipeline.bench.sizes import Sizes
from pipeline.bench.speaking import started
from pipeline.bench.stages import Say
from pipeline.conversation import Job
from pipeline.errors import ConfigError, WorkerError
from pipeline.executors.base import ONE_THREAD
from pipeline.models import ensure
from pipeline.models.graphs import Precision
from pipeline.models.place import own_models
from pipeline.records import Script, Timeline
from pipeline.samples import to_seconds
from pipeline.speech.styles import VOICES
from pipeline.speech.voices import voice
from pipeline.text import words_of
from pipeline.workspace import Workspace, write_text

SIDE = Path(__file__).with_name("peer_side.py")


def peer(sizes: Sizes, folder: Path, say: Say, python: Path) -> Peer:
    """Speak the turns of shipped scripts of two with both, one after the other.

    Raises
    ------
    ConfigError
        when there is no such Python.
    WorkerError
        when the peer fails; what it said last is told.

    """
    if not python.exists():
        raise ConfigError(f"--peer {python}: there is no such file; name the Python that has sdialog and kokoro")
    root = folder / "peer"
    dialogues = _dialogues(sizes, folder / "peer-scripts")
    own = _own(sizes, folder, root)
    say(f"peer: {own.name}: {own.cpu_a_speech_s:.3f} CPU s a second of speech")
    eight_bit = _own(sizes, folder, root, "int8")
    say(f"peer: {eight_bit.name}: {eight_bit.cpu_a_speech_s:.3f} CPU s a second of speech")
    theirs = _theirs(dialogues, folder / "peer-out", python)
    say(f"peer: {theirs.name}: {theirs.cpu_a_speech_s:.3f} CPU s a second of speech")
    words = sum(len(words_of(text)) for dialogue in dialogues for _, text in dialogue["turns"])
    return Peer(dialogues=len(dialogues), words=words, own=own, eight_bit=eight_bit, peer=theirs)


def _asked(sizes: Sizes) -> tuple[str, ...]:
    """Shipped scripts of two."""
    return f"n={sizes.dialogues}", f"seed={sizes.seed}", "speakers=2", "script=reference"


def _dialogues(sizes: Sizes, folder: Path) -> list[dict[str, Any]]:
    """Each with voices by speaker and turns, as data for the peer, which takes nothing but turns."""
    found = []
    for job in scripted(settings_of(*_asked(sizes)), folder)[0]:
        turns = Script.read(Workspace(folder, job.spec.id).path("script.json")).turns[: sizes.turns]
        voices = {speaker.id: voice(speaker.voice).kokoro for speaker in job.spec.speakers}
        found.append({"id": job.spec.id, "voices": voices, "turns": [(turn.speaker, turn.text) for turn in turns]})
    return found


def _own(sizes: Sizes, folder: Path, root: Path, precision: Precision = "float32") -> Side:
    """All stages but the script, with labels, noise and FLAC; of the shipped scripts the turns alone."""
    shutil.rmtree(root, ignore_errors=True)
    with speech_cache(folder / "peer-cache"):
        start_s = started(os.getpid(), precision)
        jobs, _ = scripted(settings_of(*_asked(sizes), f"tts.precision={precision}"), root)
        for job in jobs:
            work = Workspace(root, job.spec.id)
            script = Script.read(work.path("script.json"))
            alone = script.model_copy(update={"acts": script.turns[: sizes.turns]})
            write_text(work.path("script.json"), alone.to_json())
        begin = time.monotonic()
        spells = [make(job, silent) for job in jobs]
        wall_s = time.monotonic() - begin
    shutil.rmtree(folder / "peer-cache")
    return Side(
        name=f"turnfloor {precision}",
        start_cpu_s=start_s if precision == "float32" else None,
        cpu_s=sum(spell.cpu_s for spell in spells),
        wall_s=wall_s,
        speech_s=sum(_turns_s(job) for job in jobs),
    )


def _turns_s(job: Job) -> float:
    """Seconds of speech as labelled."""
    timeline = Timeline.read(Workspace(job.root, job.spec.id).path("rendered.json"))
    return to_seconds(sum(segment.bounds.length for segment in timeline.segments), timeline.rate)


def _theirs(dialogues: list[dict[str, Any]], out: Path, python: Path) -> Side:
    asked = {"dialogues": dialogues, "out": str(out), "voices": str(ensure(VOICES)), "weights": str(own_models() or "")}
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    done = subprocess.run(  # noqa: S603 - the Python that the user names
        [str(python), str(SIDE)], input=json.dumps(asked), capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise WorkerError(f"--peer {python}: {last[:300]}; see pipeline/bench/peer_side.py for what it needs")
    return Side.from_json(done.stdout.strip().splitlines()[-1], "the peer's answer")
