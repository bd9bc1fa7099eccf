"""A cache at a URL behind the one on this machine: what one machine clocked, spoke or simulated, others find."""

import os
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.models.place import cache_dir
from pipeline.storage.address import checked, is_url
from pipeline.storage.store import Store, store_at

VARIABLE = "TURNFLOOR_SHARED_CACHE"


def shared_cache() -> Store | None:
    """The cache that the environment variable TURNFLOOR_SHARED_CACHE names; None where it names none.

    Raises
    ------
    ConfigError
        when it holds no URL.

    """
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    if not is_url(named):
        raise ConfigError(f"{VARIABLE}={named}: not a URL; write s3://bucket/cache, or file:///folder for a folder")
    try:
        return store_at(checked(named))
    except ValueError as error:
        raise ConfigError(f"{VARIABLE}: {error}") from None


def key_for(path: Path) -> str | None:
    """The key of an entry there, from its path here; None for one outside the cache folder, which is not shared."""
    home = cache_dir()
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else None
