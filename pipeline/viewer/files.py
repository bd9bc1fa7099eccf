"""The files of the page, each written whole, and only where it changes."""

import json
from pathlib import Path

from pipeline.errors import OutputError
from pipeline.output.files import remove
from pipeline.output.page import templates
from pipeline.records import Record
from pipeline.workspace import write_text

ASSETS = Path(__file__).parent / "assets"
PAGE = "index.html"
MARK = '<meta name="generator" content="turnfloor view">'
"""By which a folder is known to be a page of this kind, that may be written anew."""
STYLE = "style.css"
DATA = "data"


def check_free(out: Path) -> None:
    """OutputError where something else stands in `out`, which is not to be overwritten."""
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out}: is a file; give a folder")
    if out.is_dir() and any(out.iterdir()) and MARK not in _text(out / PAGE):
        raise OutputError(f"{out}: holds something else than a page of this kind; give another folder")


def write_assets(out: Path) -> None:
    """Write the page itself: its HTML, style and scripts, with the waveform library and its licence."""
    put(out / PAGE, (ASSETS / PAGE).read_text(encoding="utf-8"))
    style = templates().get_template("style.css.j2").render()
    put(out / "assets" / STYLE, style + (ASSETS / STYLE).read_text(encoding="utf-8"))
    others = [asset for asset in sorted(ASSETS.iterdir()) if asset.name not in (PAGE, STYLE)]
    for asset in others:
        put(out / "assets" / asset.name, asset.read_text(encoding="utf-8"))
    clear(out / "assets", {STYLE, *(asset.name for asset in others)})


def put(path: Path, text: str) -> None:
    """Write a file, unless it says just that already."""
    if _text(path) != text:
        write_text(path, text)


def script(target: str, record: Record, first: str = "") -> str:
    r"""A script that hands a record to the page, after a line of comment where there is `first`.

    >>> from pipeline.records import Span
    >>> script('turnfloor.spans["a"]', Span(start=1, end=2), "of old")
    '// of old\nturnfloor.spans["a"] = {"start":1,"end":2};\n'
    """
    data = record.model_dump(mode="json", exclude_none=True)
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return (f"// {first}\n" if first else "") + f"{target} = {text};\n"


def first_line(path: Path) -> str:
    """The comment that a script of :func:`script` begins with; empty where there is none."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().removeprefix("// ").rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ""


def clear(folder: Path, kept: set[str]) -> None:
    """Remove the files that an earlier page left in one of its folders, other than those of these names."""
    for left in sorted(folder.iterdir()):
        if left.name not in kept and left.is_file():
            remove(left)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
