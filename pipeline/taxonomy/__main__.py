"""Draws each kind of event once, from a timeline: who has the floor, who says what, and how detectors are scored there.

Takes `timeline.json` of any conversation. Writes ``KIND.svg`` for each kind that occurs in it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.errors import InputError, PipelineError
from pipeline.records import Timeline
from pipeline.taxonomy.drawing import drawn, first_of_each
from pipeline.workspace import write_text


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the events and name the files; 2 for bad input."""
    parser = command_parser(
        "pipeline.taxonomy", __doc__, "python -m pipeline.taxonomy docs/events/timeline.json docs/events"
    )
    parser.add_argument("timeline", type=Path, metavar="TIMELINE", help="a timeline.json")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the pictures go")
    given = parser.parse_args(argv)
    try:
        print(*pictures(Timeline.read(given.timeline), given.folder), sep="\n")
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def pictures(timeline: Timeline, folder: Path) -> list[Path]:
    """Draw the first event of each kind, into ``KIND.svg``.

    Raises
    ------
    InputError
        when the timeline has no event.
    OutputError
        when the folder cannot be written.

    """
    events = first_of_each(timeline)
    if not events:
        raise InputError(f"{timeline.conversation_id}: has no event to draw; give the timeline of another conversation")
    paths = [folder / f"{kind}.svg" for kind in events]
    for path, event in zip(paths, events.values(), strict=True):
        write_text(path, drawn(event, timeline))
    return paths


if __name__ == "__main__":
    sys.exit(ended(main))
