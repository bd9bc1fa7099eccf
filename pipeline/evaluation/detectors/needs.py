"""Packages that a single detector needs: they come with the extra `score`."""

import importlib
from types import ModuleType

from pipeline.errors import ConfigError


def needed(module: str) -> ModuleType:
    """The module; ConfigError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ConfigError(f"package {module} is missing: pip install 'turnfloor[score]'") from None
