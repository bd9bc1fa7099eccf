"""The event log: one event a line, in samples and in seconds, what was planned beside what was measured."""

import json
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.output.files import dump_lines
from pipeline.records import Event, Timeline
from pipeline.samples import to_seconds


def dump_events(timeline: Timeline) -> str:
    """The events of `timeline` as JSON lines, in its order."""
    return dump_lines(event_line(event, timeline) for event in timeline.events)


def event_line(event: Event, timeline: Timeline) -> dict[str, Any]:
    """What the log says of one event.

    `links` holds the turns it refers to, `cut` the word in which its speaker was cut off, `tone` the shaped F0 of an
    ending, `lifts` the stretches that were raised in overlap.
    """
    segment = timeline.segment(event.segment_id)
    tone = segment.tone if event.kind in ("turn_yield", "turn_hold") else None
    times = {
        "onset": event.onset,
        "offset": event.offset,
        "planned_onset": event.planned.start,
        "planned_offset": event.planned.end,
    }
    return {
        "conversation_id": timeline.conversation_id,
        "id": event.id,
        "kind": event.kind,
        "speaker": event.speaker,
        **times,
        **{f"{name}_s": to_seconds(sample, timeline.rate) for name, sample in times.items()},
        "segment_id": event.segment_id,
        "turn_id": event.turn_id,
        "links": event.links.model_dump(exclude_none=True),
        "text": event.text,
        **({"cut": event.cut.model_dump(mode="json")} if event.cut else {}),
        **({"tone": tone.model_dump(mode="json")} if tone else {}),
        **({"lifts": [lift.model_dump(mode="json") for lift in segment.lifts]} if segment.lifts else {}),
    }


def read_events(path: Path) -> list[dict[str, Any]]:
    """The lines of an event log; InputError names the file, the line and the fault."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return [_parsed(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def _parsed(line: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"{place}: an event is a JSON object")
    return found
