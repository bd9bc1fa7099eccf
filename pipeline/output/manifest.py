"""The manifest of a corpus: a line a conversation, with every file's sum."""

import json
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.storage.stored import stored_of
from pipeline.workspace import sha256_of

MANIFEST = "manifest.jsonl"


def conversation_folders(corpus: Path) -> list[Path]:
    """The folders of all finished conversations, by id.

    Raises
    ------
    InputError
        when `corpus` has no folder of conversations.

    """
    folder = corpus / "conversations"
    if not folder.is_dir():
        raise InputError(f"{corpus}: not a corpus, it has no folder 'conversations'; give the folder that OUT named")
    return sorted(f for f in folder.iterdir() if f.is_dir() and not f.name.startswith("."))


def read_meta(folder: Path) -> dict[str, Any]:
    """The `meta.json` of a conversation; InputError when there is none or it is not valid."""
    return read_object(folder / "meta.json", "make this conversation again")


def read_object(path: Path, remedy: str) -> dict[str, Any]:
    """The JSON object in a file; InputError, which ends in the `remedy`, when there is none or it is not valid."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); {remedy}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not a JSON object; {remedy}")
    return found


def manifest_line(folder: Path, corpus: Path) -> dict[str, Any]:
    """What the manifest says of the conversation in `folder`: what it is, and size and SHA-256 of each file."""
    meta = read_meta(folder)
    spec, realised = meta["spec"], meta["realised"]
    return {
        "id": meta["conversation_id"],
        "index": spec["index"],
        "split": spec["split"],
        "type": spec["type"],
        "title": spec["title"],
        "domain": spec["domain"],
        "tone": spec["tone"],
        "scene": meta["nuisance"].get("scene", spec["scene"]),
        "snr_db": realised["snr_db"]["p50"],
        "duration_s": realised["duration_s"],
        "n_speakers": len(spec["speakers"]),
        "speakers": [{key: s[key] for key in ("id", "name", "voice", "gender", "channel")} for s in spec["speakers"]],
        "events": realised["events"],
        **({"pair": meta["pair"]} if "pair" in meta else {}),
        "files": _files(folder, corpus),
    }


def _files(folder: Path, corpus: Path) -> list[dict[str, Any]]:
    """Those that are here, and those that only the corpus's store holds."""
    found = {path: (path.stat().st_size, sha256_of(path)) for path in folder.rglob("*") if path.is_file()}
    for name, kept in stored_of(corpus, folder.name).files.items():
        if (path := corpus / name).is_relative_to(folder):
            found.setdefault(path, (kept.bytes, kept.sha256))
    return [
        {"path": path.relative_to(corpus).as_posix(), "bytes": size, "sha256": known}
        for path, (size, known) in sorted(found.items())
    ]


def read_manifest(corpus: Path) -> list[dict[str, Any]]:
    """The lines of a corpus's manifest; InputError names the file and line that cannot be read."""
    path = corpus / MANIFEST
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); finish the corpus by making it again") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{number}: not JSON ({error})") from None
    return found
