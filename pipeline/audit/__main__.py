"""Scores one-feature rules on a corpus, finished or planned with `until=orchestrate`, and marks shortcuts."""

import sys
from pathlib import Path

from pipeline.audit.auditing import audit
from pipeline.audit.reading import read_timelines
from pipeline.audit.table import table
from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError

_ABOUT = """Would a single feature solve the tasks of this corpus?

Scores one-feature rules on the log of a corpus, finished or planned with until=orchestrate, as if they were detectors,
and marks those that would be a shortcut."""


def main(argv: list[str] | None = None) -> int:
    """Print the audit of a corpus; 2 for bad input."""
    parser = command_parser("pipeline.audit", _ABOUT, "python -m pipeline.audit corpora/mine")
    parser.add_argument("corpus", type=Path, help="the corpus folder")
    parser.add_argument("--json", action="store_true", help="print the audit as JSON")
    given = parser.parse_args(argv)
    try:
        found = audit(read_timelines(given.corpus))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(found.to_json(), end="")
    else:
        print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
