"""The command: ``python -m pipeline.estimate n=50 script=whole llm=openai``; prints, and starts nothing."""

import argparse
import sys
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.compose import composed, settings_from
from pipeline.errors import PipelineError
from pipeline.estimate.estimate import estimate


def main(argv: list[str] | None = None) -> int:
    """Print the estimate; returns the exit code: 0, or 2 for bad input."""
    given = _parser().parse_args(argv)
    try:
        found = estimate(settings_from(composed(given.overrides, given.config_dir, given.config_name)))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(found.to_json(), end="")
    else:
        print("\n".join(found.lines()))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.estimate",
        "What a request would take in tokens, money, time, audio and disk space, before anything is spent.\n\n"
        "Figures rest on constants that were measured once, and on the conversations that the corpus folder has.",
        "python -m pipeline.estimate n=50 script=whole llm=openai",
        usage="python -m pipeline.estimate [--json] [what python -m pipeline takes]",
    )
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings, as python -m pipeline takes them")
    parser.add_argument("--config-dir", type=Path, help="a folder of your own configuration, searched first")
    parser.add_argument("--config-name", default="config", help="the file to start from (default: config)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
