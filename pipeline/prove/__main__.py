"""Puts a finished corpus to its gates and gives one verdict.

Gates: recognition of what is said, times by forced alignment, silence where nobody speaks, different voices, background
at the stated level, clipping, the validator, and realised against target. Writes a page and its data into the corpus's
folder `report`. Needs the extra `prove`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.command import command_parser, ended, in_colour
from pipeline.errors import ConfigError, PipelineError
from pipeline.executors.settings import cores
from pipeline.output.manifest import conversation_folders
from pipeline.progress import Display

from .page import write_page
from .proving import GATES, Asked, prove
from .table import lines


def main(argv: Sequence[str] | None = None) -> int:
    """Prove the corpus that the command line names; 0: all gates pass, 1: one fails, 2: bad input."""
    given = _parser().parse_args(argv)
    try:
        asked = _asked(given)
        with Display(len(conversation_folders(given.corpus))) as display:
            proof = prove(given.corpus, asked, given.workers or cores(), display.show)
        print(proof.to_json() if given.json else "\n".join((*lines(proof, colour=in_colour()), "")), end="")
        page = None if given.no_page else write_page(given.corpus, proof)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if page and not given.json:
        print(f"page: {page}")
    return 0 if proof.verdict == "pass" else 1


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.prove",
        __doc__,
        "python -m pipeline.prove corpora/mine --gates clipping,validator",
        status="0 all gates pass, 1 a gate fails, 2 bad input, 130 interrupted",
    )
    parser.add_argument("corpus", type=Path, help="the folder of a finished corpus")
    parser.add_argument("--gates", default=",".join(GATES), help=f"those to ask, of {','.join(GATES)} (default: all)")
    parser.add_argument(
        "--words", type=int, default=3000, help="words asked of the recogniser; 0: all there are (default: 3000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="draws what is heard (default: 1)")
    parser.add_argument("--workers", type=int, default=0, help="processes (default: one a core)")
    parser.add_argument("--no-page", action="store_true", help="print only; leave the corpus as it is")
    parser.add_argument("--json", action="store_true", help="print the proof as JSON")
    return parser


def _asked(given: argparse.Namespace) -> Asked:
    for name in ("words", "seed", "workers"):
        if getattr(given, name) < 0:
            raise ConfigError(f"--{name} {getattr(given, name)}: give 0 or more")
    return Asked(gates=tuple(filter(None, given.gates.split(","))), words=given.words, seed=given.seed)


if __name__ == "__main__":
    sys.exit(ended(main))
