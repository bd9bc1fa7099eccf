"""The command: ``python -m pipeline.bench``; measures part by part, and goes on where it was stopped.

CPU seconds of one thread: absolute times wander on a shared machine, and ratios within one run are what counts.
"""

# A process that only speaks begins by importing this module: what it does not need is imported where it is used.
import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.command import command_parser, ended

if TYPE_CHECKING:
    from pipeline.bench.sizes import Sizes

MEASURED, RESULTS = "measured.json", "results.json"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code: 0, or 2 for bad input."""
    from pipeline.errors import PipelineError
    from pipeline.executors.base import one_thread_each

    given = _parser().parse_args(argv)
    one_thread_each()
    try:
        _measure(given)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def _measure(given: argparse.Namespace) -> None:
    from pipeline.bench.fed import fed
    from pipeline.bench.machine import machine
    from pipeline.bench.results import keep, kept
    from pipeline.bench.stages import SO_FAR
    from pipeline.bench.table import lines
    from pipeline.errors import ConfigError
    from pipeline.workspace import write_text

    folder: Path = given.out
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out {folder}: is no folder; give another place")
    if given.peer and not given.peer.is_file():
        raise ConfigError(f"--peer {given.peer}: is no Python; name bin/python of the peer's environment")
    path, sizes = folder / RESULTS, _sizes(given)
    parts, found = _parts(given), kept(path, machine(), sizes)
    keep(path, found)  # what is kept of single conversations is of this request, too
    if given.again and "stages" in parts:
        shutil.rmtree(folder / SO_FAR, ignore_errors=True)
    for name, part in parts.items():
        if getattr(found, name) is not None and not given.again:
            _say(f"{name}: measured already, in {path}; --again measures it anew")
            continue
        found = found.having(name, part(sizes, folder))
        keep(path, found)
    if (measured := fed(found)) is not None:
        write_text(folder / MEASURED, measured.to_json())
    print(found.to_json() if given.json else "\n".join(lines(found)), flush=True)


def _parts(given: argparse.Namespace) -> "dict[Any, Callable[[Sizes, Path], Any]]":
    """What is to be measured, in order."""
    from pipeline.bench.memory import memory
    from pipeline.bench.peer import peer
    from pipeline.bench.planning import plan
    from pipeline.bench.renoise import renoise
    from pipeline.bench.sizes import PARTS
    from pipeline.bench.stages import stages
    from pipeline.bench.workers import workers
    from pipeline.errors import ConfigError

    known: dict[Any, Callable[..., Any]] = {
        "stages": stages,
        "renoise": renoise,
        "plan": plan,
        "workers": workers,
        "memory": memory,
        "peer": partial(peer, python=given.peer),
    }
    wanted = given.only.split(",") if given.only else [name for name in PARTS if name != "peer" or given.peer]
    for name in wanted:
        if name not in PARTS:
            raise ConfigError(f"--only {name}: there is no such part; choose from {','.join(PARTS)}")
    if "peer" in wanted and not given.peer:
        raise ConfigError("--only peer: name the Python that has the peer, with --peer")
    return {name: partial(known[name], say=_say) for name in PARTS if name in wanted}


def _sizes(given: argparse.Namespace) -> "Sizes":
    from pydantic import ValidationError

    from pipeline.bench.sizes import SMALL, Sizes
    from pipeline.errors import ConfigError
    from pipeline.records.base import first_fault

    asked = {name: value for name in Sizes.model_fields if (value := getattr(given, name)) is not None}
    try:
        return Sizes.model_validate({**(SMALL.model_dump() if given.small else {}), **asked})
    except ValidationError as error:
        raise ConfigError(first_fault(error)) from None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.bench",
        "Measure what each part takes, in one run, beside bare synthesis and on request beside a peer.",
        "python -m pipeline.bench --only stages,renoise",
        "python -m pipeline.bench --small --out bench-small",
        more="Parts: stages (1 to 5, beside bare synthesis), renoise (4 and 5 over a corpus that stands), plan (2, "
        "with an empty and a full cache), workers (one and two, and bare), memory, peer. Two to three hours on two "
        "cores; a part that is measured is not measured again by the same command.",
    )
    parser.add_argument("--only", metavar="PART,PART", help="measure these parts alone")
    parser.add_argument(
        "--out", type=Path, default=Path("bench"), help="folder of results and corpora (default: bench)"
    )
    parser.add_argument("--again", action="store_true", help="measure anew what is measured already")
    parser.add_argument("--small", action="store_true", help="to see that it runs, in minutes; its figures say nothing")
    parser.add_argument("--stages", type=int, metavar="N", help="conversations of stages, renoise and plan (12)")
    parser.add_argument("--seconds", type=float, metavar="S", help="plain ones of this length, not the shipped scripts")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="conversations that workers make, some of the same (8)"
    )
    parser.add_argument("--memory", type=int, metavar="N", help="conversations of 5 s for memory (500)")
    parser.add_argument("--dialogues", type=int, metavar="N", help="dialogues for the peer (4)")
    parser.add_argument("--turns", type=int, metavar="N", help="the first turns of each alone")
    parser.add_argument("--seed", type=int, metavar="N", help="of all draws (77)")
    parser.add_argument("--peer", type=Path, metavar="PYTHON", help="the Python of an environment that has sdialog")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
