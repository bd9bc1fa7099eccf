"""Measure a timing profile from annotations: ``python -m pipeline.timing FILES.rttm --out my/timing/mine.yaml``."""

import argparse
import json
import sys
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.errors import OutputError, PipelineError
from pipeline.timing.measured import measure
from pipeline.timing.profile import profile
from pipeline.timing.rttm import read_rttm
from pipeline.timing.transcripts import read_words
from pipeline.workspace import write_text


def main(argv: list[str] | None = None) -> int:
    """Print what was measured and write the profile; returns the exit code: 0, or 2 for bad input."""
    arguments = _parser().parse_args(argv)
    try:
        recordings = read_rttm(arguments.files)
        words = read_words(arguments.words, recordings) if arguments.words else None
        measured = measure(recordings, words)
        out = _out(arguments.out, arguments.name)
        if out:
            _write(out, profile(measured, arguments.name or out.stem))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    print(json.dumps(measured.summary(), indent=1) if arguments.json else "\n".join(measured.lines()))
    if out:
        print(_use(out), file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _out(out: Path | None, name: str | None) -> Path | None:
    """Where the profile goes; None: nowhere."""
    if out and out.suffix != ".yaml":
        raise OutputError(f"--out {out}: a profile is a file NAME.yaml; name it so")
    return out or (Path("timing") / f"{name}.yaml" if name else None)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except OSError as error:
        raise OutputError(f"--out {path}: cannot be written ({error.strerror}); choose another place") from None


def _use(out: Path) -> str:
    """How the profile is used, from the folder it stands in."""
    if out.resolve().parent.name != "timing":
        return f"{out} written; to use it, move it into a folder 'timing' and give that one's parent with --config-dir"
    return f"{out} written; use it: python -m pipeline --config-dir {out.parent.parent} timing={out.stem}"


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.timing",
        "Measure the timing of the floor in annotated recordings: gaps, overlaps, holds, interruptions.\n\n"
        "What comes out can be written as a profile that conversations are timed by: timing=NAME.",
        "python -m pipeline.timing annotations/*.rttm --words annotations/*.ctm --out conf/timing/mine.yaml",
        more="Events are mapped as in Table 23 of the MultiPartyTurnBench paper: segments of one speaker are merged "
        "under 0.15 s apart; a hold pauses for 0.2 s or more; overlap counts from 0.1 s; a backchannel lasts at most "
        "1.2 s and has at most 3 words; an interrupter speaks for 1 s or more and the holder is silent within 2.5 s of "
        "its onset.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.rttm", help="who speaks when: RTTM, 10 fields")
    parser.add_argument(
        "--words",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="words of the same recordings: .ctm (its channel is the speaker) or .stm; without, a backchannel is told "
        "by its duration alone",
    )
    parser.add_argument("--name", help="name of the profile (default: that of --out)")
    parser.add_argument("--out", type=Path, help="write the profile there (with --name alone: timing/NAME.yaml)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
