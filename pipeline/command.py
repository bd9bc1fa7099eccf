"""What all commands have in common: help that says what for, with an example and the exit status; a quiet end."""

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

INTERRUPTED = 130
"""Exit status after an interrupt from the keyboard: 128 and the number of the signal, as shells have it."""
READER_GONE = 141
"""Exit status when whoever read the output has left, such as `head`: 128 and the number of SIGPIPE."""
STATUS = "0 done, 2 bad input, 130 interrupted"
_ROLE = re.compile(r":[a-z]+:`([^`]+)`")


class _Paragraphs(argparse.HelpFormatter):
    """Fills each paragraph by itself to the width of the terminal, and leaves indented lines as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(self._filled(part, width, indent) for part in text.split("\n\n"))

    def _filled(self, part: str, width: int, indent: str) -> str:
        lines = part.splitlines()
        if any(line.startswith("  ") for line in lines):
            return "\n".join(indent + line for line in lines)
        return textwrap.fill(" ".join(lines), width, initial_indent=indent, subsequent_indent=indent)


def command_parser(
    module: str, about: str | None, *examples: str, status: str = STATUS, more: str = "", **given: Any
) -> argparse.ArgumentParser:
    """Make the parser of ``python -m MODULE``.

    Parameters
    ----------
    module
        Its dotted name.
    about
        What the command does and why one would; markup for code is taken off.
    examples
        Command lines to try.
    status
        What it exits with, and when.
    more
        Paragraphs between the examples and the exit status.
    given
        What :class:`argparse.ArgumentParser` takes else.

    """
    shown = "\n".join(f"  {example}" for example in examples)
    parts = [f"example{'s' if len(examples) > 1 else ''}:\n{shown}", more, f"exit status: {status}"]
    return argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=_plain(about or ""),
        epilog="\n\n".join(filter(None, parts)),
        formatter_class=_Paragraphs,
        **given,
    )


def _plain(text: str) -> str:
    """Text without the marks of a docstring.

    >>> _plain("See :mod:`pipeline.gold` and ``make help``.")
    'See pipeline.gold and make help.'
    """
    return _ROLE.sub(r"\1", text).replace("``", "").strip()


def ended(main: Callable[[], int]) -> int:
    """The exit status of a command, also where it is interrupted or its output is no longer read."""
    try:
        status = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # What is still in the buffer must not fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return status


def in_colour() -> bool:
    """Whether to print in colour: on a terminal that can, unless NO_COLOR asks for none (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
