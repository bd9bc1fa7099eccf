"""The pages of a corpus: plain HTML that needs no network, one a conversation and one for all."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from pipeline.output.picture import ENDINGS, KINDS, ROLES, length, overview, strip, text_of
from pipeline.records import ConversationSpec, Timeline
from pipeline.samples import to_seconds


@cache
def templates() -> Environment:
    """The templates beside this module; everything put into HTML is escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"n": number, "rows": table_rows}
    return environment


def number(value: float | None, digits: int = 2) -> str:
    """A figure for people; a dash where nothing was counted.

    >>> number(2.0, 1), number(None)
    ('2.0', '-')
    """
    return "-" if value is None else f"{value:.{digits}f}"


def table_rows(stats: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The rows of a corpus's table: all conversations, then each type, then each number of speakers."""
    types = [(name.replace("_", "-"), figures) for name, figures in stats["by_type"].items()]
    speakers = [(f"{count} speakers", figures) for count, figures in stats["by_speakers"].items()]
    return [("all", stats["all"]), *(types if len(types) > 1 else []), *(speakers if len(speakers) > 1 else [])]


def conversation_page(spec: ConversationSpec, timeline: Timeline, meta: Mapping[str, Any]) -> str:
    """The page of one conversation: audio, a picture of its floor, and its words.

    Parameters
    ----------
    spec, timeline
        The conversation.
    meta
        What `meta.json` holds: figures and the record of the noise are shown from it.

    """
    return templates().get_template("conversation.html.j2").render(
        spec=spec,
        duration_s=to_seconds(timeline.n_samples, timeline.rate),
        duration=length(to_seconds(timeline.n_samples, timeline.rate)),
        overview=overview(timeline),
        strip=strip(timeline),
        kinds=KINDS,
        lines=_lines(timeline),
        realised=meta["realised"],
        levels=meta["levels"],
        nuisance=meta["nuisance"],
        scene=meta["nuisance"].get("scene", spec.scene),
        pair=meta.get("pair"),
        sources=_sources(spec),
    )  # fmt: skip


def corpus_page(name: str, rows: Sequence[Mapping[str, Any]], stats: Mapping[str, Any]) -> str:
    """The page that lists all conversations, from the lines of the manifest."""
    return templates().get_template("corpus.html.j2").render(name=name, rows=rows, stats=stats, length=length)


def _sources(spec: ConversationSpec) -> list[dict[str, str]]:
    found = [{"label": "Mix", "path": "mix.flac", "group": "All"}]
    for speaker in spec.speakers:
        for kind in ("noisy", "clean"):
            found.append({"label": kind, "path": f"{kind}/{speaker.id}.flac", "group": speaker.name})
    return found


def _lines(timeline: Timeline) -> list[dict[str, Any]]:
    """What is said, in order of onset, for reading and for finding a place."""
    number = {speaker.id: n for n, speaker in enumerate(timeline.speakers)}
    found = []
    for segment in sorted(timeline.segments, key=lambda s: (s.bounds.start, s.bounds.end)):
        what = ROLES[segment.role] if segment.role != "floor" else ENDINGS[segment.ending or "yield"].lstrip(", ")
        found.append(
            {
                "start_s": to_seconds(segment.bounds.start, timeline.rate),
                "end_s": to_seconds(segment.bounds.end, timeline.rate),
                "speaker": number[segment.speaker],
                "name": timeline.speakers[number[segment.speaker]].name,
                "role": segment.role,
                "what": what,
                "text": text_of(segment, timeline),
            }
        )
    return found
