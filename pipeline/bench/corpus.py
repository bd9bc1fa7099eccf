"""The corpora of the benchmark: what is asked for, their scripts, and caches in which nothing is clocked or spoken."""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pipeline.compose import composed, settings_from
from pipeline.conversation import Job
from pipeline.models.place import CACHE_VARIABLE, cache_dir
from pipeline.progress import Display
from pipeline.records import ConversationSpec
from pipeline.run import planned
from pipeline.settings import Settings
from pipeline.speech.opening import open_backend
from pipeline.writing import scripts


def settings_of(*overrides: str) -> Settings:
    """The usual settings but for `overrides`."""
    return settings_from(composed(["workers=1", *overrides]))


@contextmanager
def speech_cache(folder: Path, empty: bool = True) -> Iterator[None]:
    """The models of the usual cache, and in `folder` all else that is kept meanwhile; at first nothing."""
    open_backend(settings_of("n=1").tts).ready()
    usual, before = cache_dir(), os.environ.get(CACHE_VARIABLE)
    if empty:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("models", "graphs"):
        if (usual / name).exists() and not (folder / name).is_symlink():
            (folder / name).symlink_to(usual / name)
    os.environ[CACHE_VARIABLE] = str(folder.resolve())
    try:
        yield
    finally:
        os.environ.pop(CACHE_VARIABLE)
        if before is not None:
            os.environ[CACHE_VARIABLE] = before


def scripted(settings: Settings, root: Path) -> tuple[list[Job], list[float]]:
    """Jobs of the conversations, their scripts written; and the CPU seconds that each script took."""
    jobs, spent = [], []
    for spec in planned(settings):
        begin = time.process_time()
        write([spec], settings, root)
        spent.append(time.process_time() - begin)
        jobs.append(Job(spec, settings, root))
    return jobs, spent


def write(specs: Sequence[ConversationSpec], settings: Settings, root: Path) -> None:
    """Write scripts that no model is asked for, and say nothing."""
    with Path(os.devnull).open("w") as nowhere, Display(len(specs), stream=nowhere) as display:
        list(scripts(specs, settings, root, display))


def silent(_: object) -> None:
    """Take in a note."""
