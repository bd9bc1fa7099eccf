"""Pages of documentation taken apart: blocks of code, the files that they show, commands, links, messages."""

import ast
import importlib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from command_support import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
COMMAND = re.compile(r"^(?:time )?(?:make |(?:\.venv/bin/)?python -m )")
SHOWN_FILE = re.compile(r"^`(my/[\w./-]+)`:$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the file that it shows, where the line before names one."""

    page: Path
    language: str
    text: str
    file: str = ""

    @property
    def commands(self) -> list[str]:
        """The commands in it; lines that go on, by a backslash or an open quotation mark, are joined."""
        found, lines = [], iter(self.text.replace("\\\n", " ").splitlines())
        for line in lines:
            if COMMAND.match(line) or (self.language == "sh" and line.strip()):
                while line.count("'") % 2:
                    line = f"{line} {next(lines)}"
                found.append(line)
        return found


def blocks(page):
    """The fenced blocks of a page."""
    before, inside, language, lines = "", False, "", []
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = re.match(r"^```(\w*)$", line)
        if fence and not inside:
            inside, language, lines = True, fence[1], []
        elif fence:
            shown = SHOWN_FILE.match(before)
            yield Block(page, language, "\n".join(lines) + "\n", shown[1] if shown else "")
            inside, before = False, ""
        elif inside:
            lines.append(line)
        elif line.strip():
            before = line


def all_blocks():
    return [block for page in PAGES for block in blocks(page)]


def named(page):
    return page.relative_to(ROOT).as_posix()


def expanded(words, **env):
    """Words as a shell gives them to a program; what becomes of its output is left out."""
    words = re.sub(r"\s>\s*\S+$", "", words)
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, text=True, check=True, env={**os.environ, **env}
    )
    return done.stdout.split("\0")[:-1]


def python_commands(line):
    """The `python -m` commands, as lists of words from the module on, that a line of a page comes to."""
    if not line.startswith(("make ", "time make ")):
        words = expanded(line)
        return [words[words.index("-m") + 1 :]]
    _, *given = shlex.split(line.removeprefix("time "))
    done = subprocess.run(
        ["make", "-n", "--no-print-directory", f"VENV={sys.prefix}", *given],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{line}: {done.stderr}"
    env = dict(one.split("=", 1) for one in given if re.match(r"^[A-Z]+=", one))
    said = [text for text in done.stdout.replace("\\\n", " ").splitlines() if f"{sys.prefix}/bin/python -m " in text]
    found = [expanded(text.partition(" -m ")[2], **env) for text in said if " -m pipeline" in text]
    assert found or any(" -m pytest" in text for text in said) or given[0] in ("help", "lint"), line
    return found


def module_of(name):
    """The module that ``python -m NAME`` runs."""
    try:
        return importlib.import_module(f"{name}.__main__")
    except ModuleNotFoundError as error:
        if error.name != f"{name}.__main__" and "is not a package" not in str(error):
            raise
        return importlib.import_module(name)


@cache
def texts():
    """All strings of the program, with … where it puts in a value."""
    found = set()
    for path in (ROOT / "pipeline").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
                found.add(" ".join("".join(map(str, parts)).split()))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(" ".join(node.value.split()))
    return frozenset(found)
