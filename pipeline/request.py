"""The request that a corpus folder belongs to: recorded as `corpus.yaml`, which can be run again as it is."""

from pathlib import Path
from typing import Any

import yaml

from pipeline.errors import OutputError
from pipeline.executors.settings import ExecutorSettings
from pipeline.locks import LOCK
from pipeline.settings import Settings
from pipeline.stages import STAGES
from pipeline.workspace import write_text

NAME = "corpus.yaml"
SAME = ("type", "speakers", "split", "duration", "seed", "domain")
"""What makes a request this corpus and no other; everything else may change, and repeats what depends on it."""

OURS = (LOCK, f".{NAME}.")
"""How the names of files begin that stand in a folder before its request does: locks, and the request half written."""


def corpus_yaml(settings: Settings) -> str:
    """The resolved configuration, with no key, no time of day, and no trace of the machine but the user's own paths."""
    data = settings.model_dump(mode="json")
    data["llm"] = settings.llm.public()
    data["only"] = None
    data["workers"] = None
    data["shard"] = None
    data["executor"] = ExecutorSettings().model_dump(mode="json")
    data["until"] = STAGES[-1]
    head = (
        "# The resolved configuration. Run it again: python -m pipeline --config-dir THIS_FOLDER --config-name corpus\n"
    )
    return head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def check_folder(root: Path, settings: Settings) -> None:
    """Refuse a folder that holds something else than this corpus, before anything is written.

    Raises
    ------
    OutputError
        in one line that names the folder, what stands there and the remedy.

    """
    if root.exists() and not root.is_dir():
        raise OutputError(f"out={root}: that is a file; choose a folder with out=")
    if not root.is_dir():
        return
    path = root / NAME
    if path.exists():
        _check_same(root, _read(path), settings)
    elif any(entry.name != "work" and not entry.name.startswith(OURS) for entry in root.iterdir()):
        raise OutputError(f"out={root}: the folder holds something that is not a corpus; choose another with out=")


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        data = None
    if not isinstance(data, dict):
        raise OutputError(f"{path}: not a readable corpus.yaml; mend it, or choose another folder with out=")
    return data


def _check_same(root: Path, known: dict[str, Any], settings: Settings) -> None:
    asked = settings.model_dump(mode="json")
    if bool((known.get("pairs") or {}).get("kind")) != bool(asked["pairs"]["kind"]):
        raise OutputError(
            f"out={root}: of the corpus there and the one that is asked, one consists of counterfactual pairs; choose "
            "another folder with out=, or ask for the same"
        )
    for key in SAME:
        if known.get(key) != asked[key]:
            raise OutputError(
                f"out={root}: the folder holds a corpus of another request ({key}={_shown(known.get(key))}, "
                f"not {_shown(asked[key])}); choose another folder with out=, or ask for the same"
            )
    if isinstance(known.get("n"), int) and known["n"] > asked["n"]:
        # A smaller n would drop conversations from the manifest that stand there.
        raise OutputError(
            f"out={root}: the corpus there has n={known['n']} conversations and n={asked['n']} is asked; a corpus can "
            f"grow but not shrink: ask for {known['n']} or more, or choose another folder with out="
        )


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def write_request(root: Path, settings: Settings) -> None:
    """Record the request in the corpus folder."""
    write_text(root / NAME, corpus_yaml(settings))
