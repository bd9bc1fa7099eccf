"""Small corpora that cost little, spoken by an endpoint that hums, and what is to be true of one after any fault."""

import io
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from script_support import Answer, FakeEndpoint

from pipeline.__main__ import main
from pipeline.samples import RATE
from pipeline.stages import STAGES

LETTER_S, CLAUSE_S = 0.03, 0.25
KEY = {"OPENAI_API_KEY": "none-needed"}
N = 3
REQUEST = (
    "script=template",
    f"n={N}",
    "duration=6",
    "speakers=2",
    "seed=9",
    "type=casual",
    "noise=none",
    "design.laughter_share=0",
    "tts=openai",
    "tts.endpoint.model=hum",
    "tts.endpoint.backoff_s=0.05",
    "tts.endpoint.voices=[{name: low,gender: M,split: dev,gain_db: -6},{name: high,gender: F,split: dev,gain_db: -6}]",
)
SPOKEN = ("script=template", "n=2", "duration=6", "speakers=2", "seed=9", "type=casual", "noise.distant.probability=1")
"""With the real voice, sound around it, and distant voices."""
TEMPORARY = (".part", ".unfinished/")


def hum(body: dict[str, Any]) -> Answer:
    """A buzz as long as the text, silent between clauses; the same for the same request."""
    pitch = 110.0 if body["voice"] == "low" else 200.0
    parts: list[np.ndarray] = [np.zeros(RATE // 10, np.float32)]
    for clause in body["input"].replace(";", ",").split(","):
        n = max(1, round(LETTER_S * len(clause.strip()) * RATE / body.get("speed", 1.0)))
        at = np.arange(n) / RATE
        shape = np.minimum(1.0, np.minimum(np.arange(n), np.arange(n)[::-1]) / 240)
        wave = sum(np.sin(2 * np.pi * pitch * k * at) / k for k in range(1, 12))
        parts += [(0.2 * shape * wave).astype(np.float32), np.zeros(round(CLAUSE_S * RATE), np.float32)]
    out = io.BytesIO()
    soundfile.write(out, np.concatenate(parts), RATE, format="wav", subtype="PCM_16")
    return Answer(out.getvalue(), headers={"Content-Type": "audio/wav"})


class Run:
    """A run of the command in a process of its own, forked from one that has everything imported."""

    def __init__(self, argv: list[str], env: dict[str, str], folder: Path) -> None:
        self._log = folder / f"run-{time.monotonic_ns()}.log"
        self.process = _FORKS.Process(target=_main, args=(argv, env, str(self._log)))
        self.process.start()

    def wait(self, seconds: float | None = 900.0) -> int | None:
        """Its exit code; None while it runs on."""
        self.process.join(seconds)
        return self.process.exitcode

    def kill(self) -> None:
        """End it and all its workers at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()

    @property
    def said(self) -> str:
        """What it printed."""
        return self._log.read_text() if self._log.exists() else ""


_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["pipeline.__main__", "fault_support", "matplotlib.backends.backend_agg", "matplotlib.pyplot", "misaki.en", "spacy"]
)


def _main(argv: list[str], env: dict[str, str], log: str) -> None:
    os.setsid()
    os.environ.update(env)
    if most := env.get("LARGEST_FILE"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    with open(log, "wb", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.exit(main(argv))


@dataclass
class Bench:
    """Where one small corpus is made, over and over: its own cache, and an endpoint that counts what it is asked."""

    folder: Path
    fake: FakeEndpoint
    env: dict[str, str]
    before: int = 0
    request: tuple[str, ...] = REQUEST
    more: tuple[str, ...] = ("executor=serial",)
    took: float = 0.0
    """Seconds that an undisturbed run takes, where it was measured."""

    @property
    def cache(self) -> Path:
        """What was spoken."""
        return self.folder / "cache"

    def begin(self, out: Path | str, *more: str, **env: str) -> Run:
        """Start a run."""
        address = [f"tts.endpoint.base_url={self.fake.url}"] if "tts=openai" in self.request else []
        argv = [*self.request, *address, *self.more, *more, f"out={out}"]
        return Run(argv, {**KEY, "TURNFLOOR_CACHE": str(self.cache), **self.env, **env}, self.folder)

    def run(self, out: Path | str, *more: str, code: int = 0, **env: str) -> str:
        """A run from its beginning to its end; returns what it printed."""
        run = self.begin(out, *more, **env)
        assert run.wait() == code, run.said
        return run.said

    @property
    def asked(self) -> int:
        """Syntheses that the endpoint was asked for since the bench is there."""
        return len(self.fake.requests) - self.before


@contextmanager
def bench(folder: Path, **env: str) -> Iterator[Bench]:
    """A bench with nothing spoken yet, and an endpoint of its own."""
    with FakeEndpoint(hum) as fake:
        yield bench_at(fake, folder, **env)


def bench_at(fake: FakeEndpoint, folder: Path, **env: str) -> Bench:
    """A bench with nothing spoken yet; corpora have the same bytes where the address of the endpoint is the same."""
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    fake.answers = [hum]
    return Bench(folder, fake, env, len(fake.requests))


def complete(corpus: Path) -> dict[str, int]:
    """When each stage of each conversation was marked as done, by the marker's path."""
    return {str(p.relative_to(corpus)): p.stat().st_mtime_ns for p in corpus.glob("work/*/*.done.json")}


def whole(markers: dict[str, int]) -> list[str]:
    """Conversations of which all stages are done."""
    idents = {Path(name).parent.name for name in markers}
    return sorted(i for i in idents if all(f"work/{i}/{stage}.done.json" in markers for stage in STAGES))


def left_over(*folders: Path) -> list[str]:
    """Temporary files, at any depth."""
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in found if any(mark in str(path) for mark in TEMPORARY)]


def waited(until: Any, seconds: float = 300.0) -> None:
    """Wait for something to be true."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
