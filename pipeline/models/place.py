"""Where files live that are made or fetched once: outside any checkout and any corpus."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from pipeline.errors import ConfigError, ModelError

CACHE_VARIABLE = "TURNFLOOR_CACHE"
MODELS_VARIABLE = "TURNFLOOR_MODELS"
LIMIT_VARIABLE = "TURNFLOOR_CACHE_GB"
LIMIT_GB = 20.0


def cache_dir() -> Path:
    """The cache folder: the environment variable TURNFLOOR_CACHE, else the user's cache of this system."""
    named = os.environ.get(CACHE_VARIABLE)
    if named and "://" in named:
        raise ModelError(f"{CACHE_VARIABLE}={named}: names a folder; put a URL into TURNFLOOR_SHARED_CACHE")
    return Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("turnfloor", appauthor=False))


def cache_limit() -> float:
    """Most bytes that a cache of what can be made again takes: TURNFLOOR_CACHE_GB, else 20 GB; `inf` for no limit.

    Raises
    ------
    ConfigError
        when the variable holds no positive number.

    """
    named = os.environ.get(LIMIT_VARIABLE) or str(LIMIT_GB)
    try:
        limit = float(named)
    except ValueError:
        limit = 0.0
    if not limit > 0.0:
        raise ConfigError(f"{LIMIT_VARIABLE}={named}: not a size; give gigabytes, such as 20, or inf for no limit")
    return limit * 1e9


def own_models() -> Path | None:
    """The user's own folder of model files (TURNFLOOR_MODELS), for machines without a network."""
    named = os.environ.get(MODELS_VARIABLE)
    return Path(named).expanduser() if named else None


def make_folder(folder: Path) -> None:
    """Make `folder` and its parents.

    Raises
    ------
    ModelError
        when it cannot be made.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(
            f"cache folder {folder} cannot be made ({error.strerror}): name another with {CACHE_VARIABLE}"
        ) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; the system lets go of it when the process ends, however it ends."""
    make_folder(path.parent)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
