"""The command: ``python -m pipeline.stress NAME n=20``, which is ``python -m pipeline experiment=stress/NAME n=20``."""

import argparse
import sys
from pathlib import Path

from pipeline.__main__ import main as make
from pipeline.command import command_parser, ended
from pipeline.compose import STRESS


def main(argv: list[str] | None = None) -> int:
    """Make the stress corpus that is named; returns the exit code of the run, 2 where there is none of that name."""
    given = _parser().parse_intermixed_args(argv)
    own = [] if given.config_dir is None else ["--config-dir", str(given.config_dir)]
    own += ["--json"] if given.json else []
    return make([*own, f"{STRESS}{given.name}", *given.overrides])


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.stress",
        "Make a stress corpus, one that has far more of one thing than talk usually has, and say whether its figures "
        "prove it.",
        "python -m pipeline.stress dense_overlap n=20",
        status="0 made, 1 some conversations failed, 2 bad input, 130 interrupted",
    )
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="which one; without a name they are listed")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings, as python -m pipeline takes them")
    parser.add_argument("--config-dir", type=Path, help="a folder of your own configuration, searched first")
    parser.add_argument("--json", action="store_true", help="print what became of the run as one JSON object")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
