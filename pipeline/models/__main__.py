"""List the models, or bring them into the cache: ``python -m pipeline.models [--all] [NAME ...]``."""

import json
import sys
from collections.abc import Callable, Sequence

from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.models import store
from pipeline.models.report import Progress

_ABOUT = """Lists the models and voices that conversations are made with, or brings them into the cache beforehand."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = command_parser("pipeline.models", _ABOUT, "python -m pipeline.models", "python -m pipeline.models --all")
    parser.add_argument("names", nargs="*", metavar="NAME", help="models to fetch")
    parser.add_argument("--all", action="store_true", help="fetch all that a default run needs")
    parser.add_argument("--list", action="store_true", help="list the models (what happens without arguments)")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    options = parser.parse_args(arguments)
    try:
        names = [*(store.load().default if options.all else ()), *options.names]
        if not names or options.list:
            print(json.dumps(_listed(), indent=1)) if options.json else _list()
        for name in dict.fromkeys(names):
            print(f"{name}: {store.ensure(name, plain_progress())}")
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def plain_progress(say: Callable[[str], None] | None = None, step: float = 0.1) -> Progress:
    """Make a progress callback that says a line at each `step` (a share of the whole)."""
    said: dict[str, int] = {}

    def progress(done: int, total: int, label: str) -> None:
        part = int(done / total / step)
        if said.get(label) != part:
            said[label] = part
            (say or _to_stderr)(f"{label}: {done / 1e6:.0f} of {total / 1e6:.0f} MB")

    return progress


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _listed() -> list[dict[str, object]]:
    catalogue = store.load()
    return [
        {
            "name": name,
            "bytes": model.bytes,
            "default": name in catalogue.default,
            "in_cache": store.is_there(name),
            "licence": model.licence,
            "origin": model.origin,
        }
        for name, model in catalogue.models.items()
    ]


def _list() -> None:
    catalogue = store.load()
    for name, model in catalogue.models.items():
        state = "in the cache" if store.is_there(name) else "not fetched"
        needed = "default" if name in catalogue.default else "optional"
        print(f"{name:14} {model.bytes / 1e6:7.1f} MB  {needed:8}  {state:12}  {model.licence}")
        print(f"{'':14} {model.origin}")


if __name__ == "__main__":
    sys.exit(ended(main))
