"""The command: ``python -m pipeline.scale --hours 10000 --nodes 20``; simulates, and starts nothing."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.records.base import first_fault
from pipeline.scale.check import checked
from pipeline.scale.check import lines as check_lines
from pipeline.scale.measured import SHIPPED, Measured
from pipeline.scale.outcome import Outcome, outcome
from pipeline.scale.plot import write_plot
from pipeline.scale.scenario import Scenario
from pipeline.scale.table import lines, rows, with_nodes

PICTURES = (".png", ".svg", ".pdf")
SHORT: dict[str, str] = {
    "hours": "hours of audio to make",
    "seconds": "mean length of a conversation [s] (default: as measured)",
    "nodes": "machines",
    "workers": "processes that speak on each, a core each",
    "executor": "ray: one queue (with one node also: local); slurm: shares",
    "shards": "shares of slurm (default: one a node)",
    "retries": "how often ray starts a lost worker again",
    "writer": "who writes the scripts: none (reference, template), whole or lines, by a remote model",
    "concurrency": "conversations asked for at once, as llm.concurrency",
    "requests_a_minute": "what the endpoint takes (default: any number)",
    "tokens_a_minute": "what the endpoint takes, prompts and completions (default: any number)",
    "tokens_a_second": "how fast one reply is written",
    "repairs": "further replies that a script needs, on the mean",
    "request_failures": "share of requests that fail and are tried again",
    "worker_failures": "losses of a worker's process, an hour and worker",
    "node_failures": "losses of a node, an hour and node",
    "node_back_s": "until a lost node is back [s]",
    "price_node_hour": "of a node",
    "price_prompt": "of a million prompt tokens",
    "price_completion": "of a million completion tokens",
    "currency": "of all prices",
    "seed": "of all draws",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the answer; returns the exit code: 0, or 2 for bad input."""
    given = _parser().parse_args(argv)
    try:
        scenarios = _scenarios(given)
        measured = Measured.read(given.measured)
        if given.check:
            print(_as_json([one.model_dump() for one in checked(measured)]) if given.json else _text(measured))
            return 0
        several = _outcomes(measured, scenarios)
        if given.plot:
            write_plot(given.plot, several)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(_as_json([_plain(found) for found in several] if given.sweep else _plain(several[0])))
    else:
        print("\n".join(rows(several) if given.sweep else lines(several[0], measured)))
    return 0


def _text(measured: Measured) -> str:
    return "\n".join(check_lines(measured))


def _outcomes(measured: Measured, scenarios: Sequence[Scenario]) -> list[Outcome]:
    found = []
    for scenario in scenarios:
        if len(scenarios) > 1:
            print(f"{scenario.nodes} nodes ...", file=sys.stderr, flush=True)
        found.append(outcome(measured, scenario))
    return found


def _plain(found: Outcome) -> dict[str, Any]:
    return {**found.model_dump(mode="json"), "cost": found.cost, "bottleneck": found.bottleneck}


def _as_json(data: object) -> str:
    return json.dumps(data, indent=1)


def _scenarios(given: argparse.Namespace) -> list[Scenario]:
    asked = _scenario(given)
    return with_nodes(asked, given.sweep) if given.sweep else [asked]


def _scenario(given: argparse.Namespace) -> Scenario:
    asked = {name: value for name in SHORT if (value := getattr(given, name)) is not None}
    try:
        return Scenario.model_validate(asked)
    except ValidationError as error:
        place, _, said = first_fault(error).partition(": ")
        option = f"--{place.replace('_', '-')}" if place in SHORT else "options"
        raise ConfigError(f"{option}: {said}") from None


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.scale",
        "What a corpus of many hours takes on many machines: how fast, what it costs, what fails, and what holds it up."
        "\n\nA simulation of the executors, fed with stage times that make bench measured; it starts nothing.",
        "python -m pipeline.scale --hours 10000 --nodes 20",
        "python -m pipeline.scale --hours 10000 --sweep 8,32,128",
    )
    for name, said in SHORT.items():
        field = Scenario.model_fields[name]
        shown = "" if "default" in said or field.default is None else f" (default: {field.default})"
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="X", help=said + shown)
    parser.add_argument("--sweep", type=_counts, metavar="1,2,4", help="a table over these numbers of nodes")
    parser.add_argument("--plot", type=_picture, metavar="FILE", help="a picture of that table (.png, .svg or .pdf)")
    parser.add_argument(
        "--measured", type=Path, default=SHIPPED, metavar="FILE", help="stage times of your own machine"
    )
    parser.add_argument("--check", action="store_true", help="the model beside the runs that were measured")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    return parser


def _picture(text: str) -> Path:
    """A file that a picture is written to."""
    if Path(text).suffix not in PICTURES:
        raise argparse.ArgumentTypeError(f"{text!r} ends in none of {', '.join(PICTURES)}")
    return Path(text)


def _counts(text: str) -> list[int]:
    """Numbers of nodes, such as `1,2,4`."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers of nodes; write 1,2,4")
    return found


if __name__ == "__main__":
    sys.exit(ended(main))
