"""Reports how the scripts of a corpus read: topic, variety, words said again, fallbacks, and what writing them took.

Takes a finished corpus, or one made with `until=script`. The figures are defined in :mod:`pipeline.output.wording`.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.output.diversity import BLOCK
from pipeline.output.repeats import most_repeated
from pipeline.output.wording import judged, wording
from pipeline.records import TYPES
from pipeline.written import read_topics_of, read_written

ROWS: tuple[tuple[str, str, str], ...] = (
    ("conversations", "conversations", "d"),
    ("lines (turns and claims)", "lines", "d"),
    ("words", "words", "d"),
    ("on topic", "on_topic.share", ".1%"),
    ("  beside other topics (chance)", "on_topic.by_chance", ".1%"),
    ("  neutral lines", "on_topic.neutral", "d"),
    ("  lines not measured", "on_topic.not_measured", "d"),
    *((f"distinct-{n}", f"distinct.{n}", ".3f") for n in (1, 2, 3)),
    *((f"distinct-{n} in {BLOCK:,} words", f"distinct_in_{BLOCK}.{n}", ".3f") for n in (1, 2, 3)),
    ("four words said again", "said_again.either", ".1%"),
    ("  within a conversation", "said_again.within", ".1%"),
    ("  between conversations", "said_again.between", ".1%"),
    ("fallbacks to authored points", "authored.fallback_share", ".1%"),
    ("cut-ins in authored words", "authored.cut_in_share", ".1%"),
    ("requests to the model", "writing.requests", "d"),
    ("repairs", "writing.repairs", "d"),
    ("fresh tries", "writing.fresh_tries", "d"),
    ("valid at the first try", "writing.first_time_valid_share", ".1%"),
)
"""Name, place in the figures, and format of each row."""
NAME_WIDTH = 33


def main(argv: list[str] | None = None) -> int:
    """Print the figures of a corpus; 2 for bad input."""
    parser = command_parser("pipeline.prose", __doc__, "python -m pipeline.prose corpora/mine")
    parser.add_argument("corpus", type=Path, help="the corpus folder")
    parser.add_argument("--seconds", type=float, help="what writing all scripts took [s], as no script records it")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(argv)
    try:
        found = prose(given.corpus, given.seconds)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    for line in [json.dumps(found, indent=1, ensure_ascii=False)] if given.json else table(found):
        print(line)
    return 0


def prose(corpus: Path, seconds: float | None = None) -> dict[str, Any]:
    """The figures of all scripts of a corpus and of each type, ready for JSON.

    Parameters
    ----------
    corpus
        The corpus folder, finished or with scripts only.
    seconds
        What writing all of them took [s]; None: not known.

    Raises
    ------
    InputError, ConfigError
        in one line, when something there cannot be read.

    """
    if seconds is not None and not 0 <= seconds < float("inf"):
        raise ConfigError(f"--seconds {seconds}: give the seconds that writing took, 0 or more")
    conversations = judged(read_written(corpus), read_topics_of(corpus))
    phrases = most_repeated(one.texts for one in conversations)
    return {
        "all": wording(conversations),
        "by_type": {
            kind: wording(some) for kind in TYPES if (some := [one for one in conversations if one.type == kind])
        },
        "most_repeated": [
            {"text": phrase.text, "lines": phrase.lines, "conversations": phrase.conversations} for phrase in phrases
        ],
        "seconds_a_conversation": None if seconds is None else round(seconds / len(conversations), 1),
    }


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """The figures as a person reads them."""
    columns = {"all": found["all"], **found["by_type"]}
    yield " " * NAME_WIDTH + "".join(f"{name:>{_width(name)}}" for name in columns)
    for name, place, form in ROWS:
        cells = (f"{_shown(column, place, form):>{_width(head)}}" for head, column in columns.items())
        yield f"{name:<{NAME_WIDTH}}" + "".join(cells)
    if found["seconds_a_conversation"] is not None:
        yield f"{'seconds a conversation':<{NAME_WIDTH}}{found['seconds_a_conversation']:>{_width('all')}.1f}"
    if found["most_repeated"]:
        yield "\nmost repeated runs of four words (lines, conversations):"
    for phrase in found["most_repeated"]:
        yield f"  {phrase['text']} ({phrase['lines']}, {phrase['conversations']})"


def _width(name: str) -> int:
    return max(8, len(name)) + 2


def _shown(figures: Mapping[str, Any], place: str, form: str) -> str:
    value: Any = figures
    for key in place.split("."):
        value = value[key]
    return "-" if value is None else format(value, form)


if __name__ == "__main__":
    sys.exit(ended(main))
