"""Writes a page for looking at a corpus; it needs no network.

It has an overview, a list, and each conversation with its sound, log and gold, and what detectors decide where files of
that are given. Open `index.html` in the folder that is named at the end, or let --serve hand it out to this machine.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.errors import InputError, PipelineError
from pipeline.evaluation.adapters import named
from pipeline.loader import Corpus, load_corpus
from pipeline.output.manifest import conversation_folders
from pipeline.viewer.decisions import read_entries
from pipeline.viewer.serving import server
from pipeline.viewer.writing import Written, write_view

PORT = 8737


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page of a corpus, and serve it where that is asked for; 2 for bad input."""
    given = _parser().parse_args(argv)
    try:
        every = [folder.name for folder in conversation_folders(given.corpus)]
        corpus = _chosen(given.corpus, every, given.only)
        entries = read_entries(given.predictions, every)
        written = write_view(corpus, given.out, entries, lambda line: print(line, file=sys.stderr))
        _tell(written, given.json)
        if given.serve:
            _serve(given.corpus, written.page.parent, given.port)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("pipeline.view", __doc__, "python -m pipeline.view corpora/mine --serve")
    add = parser.add_argument
    add("corpus", type=Path, help="the corpus folder")
    add("out", type=Path, nargs="?", help="folder of the page (default: view, in the corpus)")
    add("--only", metavar="IDS", help="show these conversations alone, such as c0000,c0003")
    add(
        "--predictions",
        action="append",
        default=[],
        type=named,
        metavar="[NAME=]FILE",
        help="decisions in TurnBench's layout, or a folder with files of them; repeatable",
    )
    add("--serve", action="store_true", help="serve the page to this machine until Ctrl-C")
    add("--port", type=int, default=PORT, help="of --serve; 0: any that is free (default: %(default)s)")
    add("--json", action="store_true", help="print what was written as JSON")
    return parser


def _chosen(path: Path, every: Sequence[str], only: str | None) -> Corpus:
    """The conversations to show: those named, else all there are, half-made ones too, which are refused later."""
    if not every:
        return load_corpus(path)
    ids = [ident for ident in only.split(",") if ident] if only else every
    unknown = [ident for ident in ids if ident not in every]
    if unknown:
        raise InputError(f"--only {unknown[0]}: not in {path}; it has {', '.join(every[:3])}, …")
    return Corpus(path, sorted(set(ids)))


def _tell(written: Written, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(written) | {"page": str(written.page)}), flush=True)
    else:
        print(f"{written.conversations} conversations in {written.page}", flush=True)


def _serve(corpus: Path, out: Path, port: int) -> None:
    """Serve until the user stops it."""
    found, address = server(corpus, out, port)
    print(f"serving {address} (Ctrl-C stops it)", file=sys.stderr, flush=True)
    try:
        found.serve_forever()
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        found.server_close()


if __name__ == "__main__":
    sys.exit(ended(main))
