"""Scores turn-taking detectors on a finished corpus, and asks whether a single feature of its sound would do.

Thresholds are chosen on the conversations of split dev and frozen for those of test. Detectors: rms, webrtc, silero,
smart_turn; any other one enters as a file of its predictions or probabilities in TurnBench's layout.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.command import command_parser
from pipeline.errors import ConfigError, OutputError, PipelineError
from pipeline.evaluation.adapters import named, read_predictions, read_probabilities, together
from pipeline.evaluation.corpus import Conversation, read_corpus
from pipeline.evaluation.detectors.registry import known
from pipeline.evaluation.listening import Heard, listened
from pipeline.evaluation.metrics import RESAMPLES
from pipeline.evaluation.predictions import PredictionFile
from pipeline.evaluation.profiles import PROFILES, profile_named
from pipeline.evaluation.report import Report, lines
from pipeline.evaluation.scorecard import Scorecard, scorecard, split_up
from pipeline.evaluation.scorer import Task
from pipeline.evaluation.shortcuts.judging import shortcuts
from pipeline.workspace import write_text


def main(argv: list[str] | None = None) -> int:
    """Print the scores of a corpus; 2 for bad input."""
    given = _parser().parse_args(argv)
    try:
        print("\n".join(_lines(given)))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.score",
        __doc__,
        "python -m pipeline.score corpora/splits",
        "python -m pipeline.score corpora/splits --predictions mine=answers.json --slices",
    )
    add = parser.add_argument
    add("corpus", type=Path, help="the folder of a finished corpus")
    add("--detectors", default="rms,webrtc,silero", metavar="LIST", help="(default: %(default)s; '' for none)")
    add("--predictions", action="append", default=[], type=named, metavar="NAME=FILE", help="decisions; repeatable")
    add("--probabilities", action="append", default=[], type=named, metavar="NAME=FILE", help="of one task; repeatable")
    add(
        "--dev",
        type=Path,
        metavar="CORPUS",
        help="choose thresholds on another corpus; files call its conversations dev:ID",
    )
    add("--profile", default="multiparty", metavar="NAME", help=f"{' or '.join(PROFILES)} (default: %(default)s)")
    add("--slices", action="store_true", help="by speakers, type, SNR, contested holds, words of the claim, ...")
    add("--no-shortcuts", dest="shortcuts", action="store_false", help="leave out the shortcut rules")
    add("--seed", type=int, default=0, help="of the intervals (default: 0)")
    add("--resamples", type=int, default=RESAMPLES, metavar="N", help="of the intervals (default: %(default)s)")
    add("--workers", type=int, metavar="N", help="processes (default: one a core)")
    add("--write", type=Path, metavar="FOLDER", help="write each detector's predictions there, in TurnBench's layout")
    add("--json", action="store_true", help="print everything as JSON")
    return parser


def _lines(given: argparse.Namespace) -> list[str]:
    names = tuple(dict.fromkeys(name for name in given.detectors.split(",") if name))
    known(names)
    profile = profile_named(given.profile)
    if given.resamples < 0:
        raise ConfigError(f"--resamples {given.resamples}: give 0 or more")
    conversations = read_corpus(given.corpus)
    # Both corpora may call a conversation c0000.
    elsewhere = read_corpus(given.dev) if given.dev else []
    others = [replace(one, id=f"dev:{one.id}", cluster=f"dev:{one.cluster}") for one in elsewhere]
    everything = [*conversations, *others]
    splits = split_up(conversations, others)
    heard, edges = listened(everything, names, given.shortcuts, given.workers)
    heard = together(
        heard,
        read_predictions(given.predictions, everything, splits),
        read_probabilities(given.probabilities, everything, splits),
    )
    card = scorecard(splits, heard, profile, given.seed, given.resamples)
    found = shortcuts(splits, edges, profile) if given.shortcuts else None
    if given.write:
        _write_predictions(given.write, card, heard, everything)
    report = Report(scores=card, shortcuts=found)
    return [report.model_dump_json(indent=1, exclude_none=True)] if given.json else list(lines(report, given.slices))


def _write_predictions(folder: Path, card: Scorecard, heard: Heard, conversations: Sequence[Conversation]) -> None:
    """Write what each detector decides at its operating point."""
    for name, found in heard.items():
        results = [result for result in card.results if result.detector == name]
        points = {r.task: r.dev.threshold if r.dev else 0.0 for r in results if r.dev or not r.has_threshold}
        decisions: dict[str, dict[str, dict[Task, list[float]]]] = {
            one.id: {
                speaker: {
                    task: found[one.id][task][speaker].at(threshold)
                    for task, threshold in points.items()
                    if speaker in found[one.id].get(task, {})
                }
                for speaker in one.keys
            }
            for one in conversations
            if one.id in found
        }
        file = PredictionFile.of(decisions, {one.id: one.keys for one in conversations})
        _write(folder / f"{name}.json", file.to_json(indent=None))


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error}); name another place") from None
