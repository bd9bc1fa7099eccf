"""The timelines of a corpus folder: those of finished conversations, and of planned ones."""

from pathlib import Path

from pipeline.errors import InputError
from pipeline.records import Timeline

_FILE = "timeline.json"


def read_timelines(corpus: Path) -> list[Timeline]:
    """The timeline of every conversation in `corpus`, by id.

    A finished conversation counts with measured bounds, one that is only planned (`until=orchestrate`) with planned
    ones.

    Raises
    ------
    InputError
        in one line, when there is none or one of them cannot be read.

    """
    places = {
        path.parent.name: path for part in ("work", "conversations") for path in corpus.glob(f"{part}/[!.]*/{_FILE}")
    }
    if not places:
        raise InputError(
            f"{corpus}: no timelines there; give the folder that OUT named, finished or made with until=orchestrate"
        )
    return [Timeline.read(places[ident]) for ident in sorted(places)]
