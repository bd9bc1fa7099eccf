"""The folder of an export: written whole or not at all, and never over anything that an export has not written."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, OutputError
from pipeline.output.files import dump_json
from pipeline.process import process_name
from pipeline.workspace import sha256_of, write_text

MARKER = "export.json"
"""Names the format, and every file with its SHA-256."""


@contextmanager
def export_folder(out: Path, about: dict[str, Any]) -> Iterator[Path]:
    """Give a folder beside `out` that takes its place when the block ends well, and vanishes otherwise.

    Parameters
    ----------
    out
        Where the export is to stand. Nothing may be there, or an empty folder, or an earlier export of the same
        format in which no file was changed or added.
    about
        What the marker says beside the files; ``format`` is one of its keys.

    Raises
    ------
    OutputError
        when something else stands there, or the disk cannot be written.
    InputError
        when a file of the corpus cannot be read.

    """
    check_free(out, about["format"])
    part = out.with_name(f".{out.name}.{process_name()}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        files = {path.relative_to(part).as_posix(): sha256_of(path) for path in _files(part)}
        write_text(part / MARKER, dump_json({**about, "files": files}))
        shutil.rmtree(out, ignore_errors=True)
        part.replace(out)
    except OSError as error:
        place = Path(str(error.filename or out))
        if not (place == out or place.is_relative_to(part) or place.is_relative_to(out)):
            raise InputError(f"{place}: cannot be read ({error.strerror}); make this conversation again") from None
        raise OutputError(f"{out}: cannot be written ({error.strerror or error}); name another folder") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_free(out: Path, form: str) -> None:
    """OutputError unless an export of this format may be written to `out`."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir():
        raise OutputError(f"{out}: is a file; name a folder that does not exist yet")
    known = _marker(out)
    if known is None:
        raise OutputError(f"{out}: exists and is no export; name a folder that does not exist yet")
    if known.get("format") != form:
        raise OutputError(f"{out}: holds an export as {known.get('format')}; name another folder for {form}")
    for path in _files(out):
        name = path.relative_to(out).as_posix()
        if name != MARKER and known["files"].get(name) != sha256_of(path):
            raise OutputError(f"{out}: {name} there was added or changed since the export; name another folder")


def _marker(out: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((out / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("files"), dict) else None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
