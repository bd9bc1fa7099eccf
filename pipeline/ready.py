"""What is checked and fetched before a run writes anything: models, the noise bank, room on the disk."""

import shutil
import time
from collections.abc import Callable, Sequence

import numpy as np

from pipeline import augment
from pipeline.errors import OutputError
from pipeline.executors import OnRay
from pipeline.models import ensure
from pipeline.records import ConversationSpec
from pipeline.rooms.simulation import responses
from pipeline.settings import Settings
from pipeline.sound.distant import distance
from pipeline.speech.backend import Floats
from pipeline.speech.opening import open_backend
from pipeline.stages import reaches
from pipeline.storage.shared import shared_cache

Say = Callable[[str], None]
BYTES_A_CHANNEL_S = 150_000
"""Upper estimate of what a second of one channel takes: noisy, clean and stems [bytes]."""


def make_ready(settings: Settings, specs: Sequence[ConversationSpec], say: Say) -> None:
    """Fail now rather than in the middle.

    Raises
    ------
    ModelError
        when a model cannot be had or has the wrong sum.
    EndpointError
        when the speech endpoint cannot speak.
    InputError, ConfigError
        when the noise bank or the Ray cluster cannot be used, or an extra is not installed.
    StorageError
        when the cache shared by several machines cannot be reached.
    OutputError
        when the disk is too full for the request.

    """
    if shared := shared_cache():
        shared.read("anything")
    if reaches(settings.until, "augment"):
        augment.open_bank(settings.noise, _Nobody())
    if reaches(settings.until, "render"):
        _check_room(settings, specs)
    if reaches(settings.until, "orchestrate"):
        if settings.executor.kind == "ray":
            OnRay(settings.executor, settings.workers).ready()
        open_backend(settings.tts).ready(Narrator(say))
    if settings.script.needs_model and settings.llm.kind == "embedded" and not settings.llm.model_path:
        ensure(settings.llm.model, Narrator(say))
    # Last, since it takes seconds, and what cannot be used is told at once.
    if reaches(settings.until, "augment") and settings.noise.distant.probability and _missing(settings, specs):
        simulate_rooms(Narrator(say))


def simulate_rooms(narrator: "Narrator") -> None:
    """Have the rooms that distant speech is heard in in the cache, once for all corpora.

    A worker would simulate what it does not find, beside the network that it has in memory: its peak would be a sixth
    higher for it.
    """
    recipe = distance()
    for number in range(recipe.rooms):
        narrator.tell(f"simulating rooms: {number} of {recipe.rooms}")
        responses(recipe.geometry(number))


class Narrator:
    """Turns the byte counts of a fetch into a line every few seconds."""

    def __init__(self, say: Say, every_s: float = 3.0) -> None:
        self._say, self._every_s = say, every_s
        self._last = time.monotonic()

    def __call__(self, done: int, total: int, doing: str) -> None:
        """Take in how far the fetch is [bytes]."""
        self.tell(f"{doing}: {done / 1e6:.0f} of {total / 1e6:.0f} MB")

    def tell(self, text: str) -> None:
        """Say `text` unless something was said just before."""
        if time.monotonic() - self._last >= self._every_s:
            self._last = time.monotonic()
            self._say(text)


class _Nobody:
    """Stands in for distant voices while the bank is only looked at."""

    def snippet(self, rng: np.random.Generator, seconds: float) -> tuple[Floats, str]:
        """Silence; never asked for."""
        return np.zeros(0, np.float32), "nobody"


def _missing(settings: Settings, specs: Sequence[ConversationSpec]) -> list[ConversationSpec]:
    """Conversations that have not been made yet."""
    return [spec for spec in specs if not (settings.root / "work" / spec.id / "assemble.done.json").exists()]


def _check_room(settings: Settings, specs: Sequence[ConversationSpec]) -> None:
    """Refuse a request that the disk cannot hold, as far as it is not made yet."""
    root, missing = settings.root, _missing(settings, specs)
    needs = sorted((spec.target_s * (len(spec.speakers) + 1) * BYTES_A_CHANNEL_S for spec in missing), reverse=True)
    # At a URL, the sound of those alone is here that are being made.
    need = sum(needs[: settings.processes] if settings.store else needs)
    there = next(folder for folder in (root, *root.resolve().parents) if folder.is_dir())
    free = shutil.disk_usage(there).free
    if need > free:
        raise OutputError(
            f"out={root}: the disk has {free / 1e9:.1f} GB free and {len(missing)} conversations take about "
            f"{need / 1e9:.1f} GB; free some space, ask for fewer with n=, or choose another disk with out="
        )
