"""Runs the command as a user does, in a process of its own."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def pipeline(*args: str, module: str = "pipeline", cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess:
    """`python -m pipeline ARGS`, with its output as text."""
    return subprocess.run(
        [sys.executable, "-m", module, *args],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        env={**os.environ, **env},
        check=False,
    )


def empty_speech_cache(folder: Path) -> dict[str, str]:
    """Environment with the models of the usual cache and nothing clocked or rendered yet."""
    from pipeline.models.place import cache_dir

    folder.mkdir(parents=True)
    for entry in cache_dir().iterdir():
        if entry.name != "speech":
            (folder / entry.name).symlink_to(entry)
    return {"TURNFLOOR_CACHE": str(folder)}


def sums(corpus: Path, below: str = "conversations") -> dict[str, str]:
    """SHA-256 of every file of the conversations, by its path."""
    folder = corpus / below
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
