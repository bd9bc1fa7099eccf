"""The stress corpora that there are: the shipped ones, and those in a user's own folder of configuration."""

from pathlib import Path

import yaml

from pipeline.errors import ConfigError
from pipeline.resources import resource

FOLDER = ("experiment", "stress")


def stress_corpora(config_dir: Path | None = None) -> dict[str, str]:
    """Name and purpose of each stress corpus, those of `config_dir` among them."""
    roots = [resource("conf"), *([config_dir] if config_dir else [])]
    files = [path for root in roots for path in sorted(root.joinpath(*FOLDER).glob("[!_]*.yaml"))]
    return {path.stem: _purpose(path) for path in sorted(files, key=lambda path: path.stem)}


def check_name(name: str, config_dir: Path | None = None) -> None:
    """Refuse a name that no stress corpus has; ConfigError lists those there are, with what they isolate."""
    there = stress_corpora(config_dir)
    if name not in there:
        wrong = f"stress corpus {name!r}: there is none of that name" if name else "NAME is missing"
        listed = "; ".join(f"{known} ({purpose})" for known, purpose in there.items())
        raise ConfigError(f"{wrong}; choose one of {listed}; or your own in DIR/experiment/stress (--config-dir DIR)")


def _purpose(path: Path) -> str:
    try:
        return str(yaml.safe_load(path.read_text(encoding="utf-8"))["stress"]["isolates"])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
        return "does not say what it isolates"
