"""From the command line to settings: Hydra composes groups and overrides, the records check them.

The application has an own `main` instead of Hydra's, so that errors are one line, no stray folder appears, and
values with spaces or `=` need no second quoting.
"""

from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.global_hydra import GlobalHydra
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from pipeline.errors import ConfigError
from pipeline.records.base import first_fault
from pipeline.resources import resource
from pipeline.settings import Settings
from pipeline.stress.catalogue import check_name

STRESS = "experiment=stress/"
"""How a stress corpus is asked for."""
_TEXT_KEYS = (
    "out",
    "domain",
    "only",
    "script.path",
    "script.topics",
    "noise.musan",
    "tts.voices",
    "executor.address",
    "executor.options",
)
"""Keys whose values are taken as they stand, whatever characters they hold."""


class _Shipped(SearchPathPlugin):
    """Looks in the shipped configuration last, also for the file to start from, which a user's folder need not have."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        search_path.append("shipped", str(resource("conf").resolve()))


Plugins.instance().register(_Shipped)


def composed(overrides: list[str], config_dir: Path | None = None, config_name: str = "config") -> DictConfig:
    """Compose the configuration; `config_dir` adds a folder of the user's own, which is searched first.

    Raises
    ------
    ConfigError
        in one line that names the override, what is wrong with it and what there is.

    """
    folder = (config_dir or resource("conf")).resolve()
    if not folder.is_dir():
        raise ConfigError(f"--config-dir {config_dir}: not a folder; give one that holds configuration groups")
    for override in overrides:
        if (name := override.removeprefix(STRESS)) != override:
            check_name(name, config_dir)
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(folder), version_base="1.3"):
            return compose(config_name, overrides=list(map(_literal, overrides)))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"{_said(error)} (see --help for keys and groups)") from None


def settings_from(config: DictConfig) -> Settings:
    """Check the composed configuration and freeze it."""
    try:
        data: Any = OmegaConf.to_container(config, resolve=True)
        if data.get("experiment"):
            raise ConfigError(
                "experiment: its settings are not where they belong; begin that file with # @package _global_"
            )
        return Settings.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"setting {first_fault(error)}; see --help for what is allowed") from None
    except OmegaConfBaseException as error:
        raise ConfigError(_said(error)) from None


def _literal(override: str) -> str:
    """Quote the value of a text key, and a bare list such as ``speakers=2,3``, so that Hydra takes it as one value."""
    key, found, value = override.partition("=")
    if not found:
        raise ConfigError(f"argument {override!r}: give key=value or group=choice")
    if key in ("speakers", "type") and "," in value and not value.startswith("["):
        return f"{key}=[{value}]"
    if key in _TEXT_KEYS and value not in ("", "null") and value[:1] not in "'\"":
        return f"{key}={_quoted(value)}"
    return override


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\") if value.endswith("\\") else value
    return "'" + escaped.replace("'", "\\'") + "'"


def _said(error: Exception) -> str:
    """What Hydra says, without its tree of hints, its stars and its advice for other programs."""
    text = str(error).partition("Config search path")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("full_key", "object_type", "set_struct", "To append"))]
    return " ".join(kept)[:400] or type(error).__name__
