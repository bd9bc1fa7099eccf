"""What records do not cover: plain JSON, JSON lines and bytes, written whole or not at all."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.errors import OutputError
from pipeline.workspace import replacing


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; OutputError when it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def remove(path: Path) -> None:
    """Remove a file, if it is there; OutputError when that is not possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed ({error.strerror}); choose another folder with out=") from None


def dump_json(data: Mapping[str, Any]) -> str:
    """JSON as the records write it: indented by one, keys in their order, ending in a newline."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def dump_lines(items: Iterable[Mapping[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(item, ensure_ascii=False, allow_nan=False) + "\n" for item in items)
