"""Human validation of a corpus: clips and a form for annotators, and how far their answers agree.

``python -m pipeline.annotate CORPUS`` writes a kit: for each annotator a folder with clips and an offline form whose
answers are saved to a file, and beside these the key, which no annotator may see.
``python -m pipeline.annotate agreement ANSWERS...`` reads the files of answers back.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.annotation.agreement import agreement
from pipeline.annotation.answers import read_answers, read_key
from pipeline.annotation.kit import KEY, Plan, write_kit
from pipeline.annotation.table import table
from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError


def main(argv: Sequence[str] | None = None) -> int:
    """Write a kit, or read answers back; 2 for bad input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _agree(arguments[1:]) if arguments[:1] == ["agreement"] else _write(arguments)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code


def _write(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    for name, least in (("annotators", 1), ("per_kind", 0), ("none_there", 0), ("seed", 0)):
        if getattr(given, name) < least:
            raise ConfigError(f"--{name.replace('_', '-')} {getattr(given, name)}: give {least} or more")
    out: Path = given.out or given.corpus / "annotation"
    plan = Plan(
        annotators=given.annotators,
        per_kind=given.per_kind,
        none_there=given.none_there,
        sound=given.sound,
        seed=given.seed,
    )
    key = write_kit(given.corpus, out, plan, lambda line: print(line, file=sys.stderr))
    print(f"{len(key.candidates)} candidates for {key.annotators} annotators in {out}")
    print(f"give each annotator one folder annotator-N, to open its index.html; keep {KEY} to yourself")
    return 0


def _agree(arguments: Sequence[str]) -> int:
    given = _agreement_parser().parse_args(arguments)
    key = read_key(given.answers, given.kit)
    found = agreement(key, read_answers(given.answers, key))
    print(found.to_json() if given.json else "\n".join(table(found)), end="" if given.json else "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.annotate",
        __doc__,
        "python -m pipeline.annotate corpora/mine --per-kind 10",
        "python -m pipeline.annotate agreement --kit corpora/mine/annotation answers-1.json answers-2.json",
        more="python -m pipeline.annotate agreement --help says how answers are read back.",
    )
    parser.add_argument("corpus", type=Path, help="the folder of a finished corpus")
    parser.add_argument("--out", type=Path, help="folder of the kit (default: annotation, in the corpus)")
    parser.add_argument("--annotators", type=int, default=3, help="folders to write (default: 3)")
    parser.add_argument("--per-kind", type=int, default=20, help="events of each kind; 0: all (default: 20)")
    parser.add_argument("--none-there", type=int, default=20, help="moments without an event (default: 20)")
    parser.add_argument("--sound", choices=("noisy", "clean"), default="noisy", help="what is heard (default: noisy)")
    parser.add_argument("--seed", type=int, default=1, help="draws candidates and orders (default: 1)")
    return parser


def _agreement_parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.annotate agreement",
        "How far annotators agree with one another, and with the log.",
        "python -m pipeline.annotate agreement --kit corpora/mine/annotation answers-1.json answers-2.json",
    )
    parser.add_argument("answers", type=Path, nargs="+", help="the files that annotators saved, one each")
    parser.add_argument("--kit", type=Path, help="folder of the kit (default: above the first file)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
