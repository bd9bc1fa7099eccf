"""Whether the files of a corpus agree with one another: events, gold, sound, manifest.

Like the invariants of the floor, each way to disagree has a name:

=====================  ======================================================================
file-missing           a file of the conversation is not there
file-unreadable        a file is there and cannot be read as what it should be
events-match-timeline  `events.jsonl` states the events of `timeline.json`, in samples and seconds
gold-matches-events    `gold.json` is what follows from the events
channels-equal-length  every audio file has the timeline's rate and number of samples
no-clipping            no sample stands at full scale
manifest-sums          the manifest lists the conversation's files with their sizes and sums
=====================  ======================================================================
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import FloorError, InputError
from pipeline.gold import gold
from pipeline.output.events import read_events
from pipeline.output.flac import read_flac
from pipeline.records import Event, Gold, Timeline
from pipeline.workspace import sha256_of

FULL_SCALE = 1.0 - 2.0**-14
"""Samples of at least this magnitude count as clipped."""
RECORDS = ("script.json", "exchange.jsonl", "timeline.json", "events.jsonl", "gold.json", "meta.json")


def audit(folder: Path, timeline: Timeline) -> list[FloorError]:
    """Every way in which the files of one conversation disagree with its timeline."""
    return [*_missing(folder, timeline), *_records(folder, timeline), *_sound(folder, timeline)]


def manifest_faults(folder: Path, corpus: Path, lines: list[dict[str, Any]]) -> list[FloorError]:
    """Every file of one conversation that the manifest does not state as it is."""
    line = next((line for line in lines if line.get("id") == folder.name), None)
    if line is None:
        return [FloorError("manifest-sums", f"{folder.name} is not in the manifest")]
    listed = {entry["path"]: entry for entry in line.get("files", [])}
    there = {path.relative_to(corpus).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return list(_compared(listed, there))


def _compared(listed: dict[str, dict[str, Any]], there: dict[str, Path]) -> Iterator[FloorError]:
    for name in sorted(listed.keys() | there.keys()):
        if name not in there:
            yield FloorError("manifest-sums", f"{name} is in the manifest and not there")
        elif name not in listed:
            yield FloorError("manifest-sums", f"{name} is there and not in the manifest")
        elif listed[name].get("sha256") != sha256_of(there[name]):
            yield FloorError("manifest-sums", f"{name} is not the file that the manifest has the sum of")
        elif listed[name].get("bytes") != there[name].stat().st_size:
            yield FloorError("manifest-sums", f"{name} has {there[name].stat().st_size} bytes, the manifest says other")


def audio_files(timeline: Timeline) -> list[str]:
    """The audio files of a conversation, by their paths in its folder."""
    channels = [f"{kind}/{speaker.id}.flac" for speaker in timeline.speakers for kind in ("noisy", "clean")]
    return ["mix.flac", *channels]


def _missing(folder: Path, timeline: Timeline) -> Iterator[FloorError]:
    for name in (*RECORDS, *audio_files(timeline)):
        if not (folder / name).is_file():
            yield FloorError("file-missing", f"{folder.name}/{name} is not there")


def _records(folder: Path, timeline: Timeline) -> Iterator[FloorError]:
    if (folder / "events.jsonl").is_file():
        yield from _event_faults(folder / "events.jsonl", timeline)
    if (folder / "gold.json").is_file():
        yield from _gold_faults(folder / "gold.json", timeline)


def _event_faults(path: Path, timeline: Timeline) -> Iterator[FloorError]:
    try:
        lines = read_events(path)
    except InputError as error:
        yield FloorError("file-unreadable", str(error))
        return
    if [line.get("id") for line in lines] != [event.id for event in timeline.events]:
        yield FloorError(
            "events-match-timeline", f"{path.name} does not list the {len(timeline.events)} events in order"
        )
        return
    for line, event in zip(lines, timeline.events, strict=True):
        for name, stated, true in _statements(line, event, timeline):
            if stated != true:
                yield FloorError(
                    "events-match-timeline", f"{path.name}, event {event.id}: {name} {stated}, the timeline says {true}"
                )


def _statements(line: dict[str, Any], event: Event, timeline: Timeline) -> Iterator[tuple[str, object, object]]:
    yield "conversation_id", line.get("conversation_id"), timeline.conversation_id
    yield "links", line.get("links"), event.links.model_dump(exclude_none=True)
    for name in ("kind", "speaker", "segment_id", "turn_id", "text"):
        yield name, line.get(name), getattr(event, name)
    times = {"onset": event.onset, "offset": event.offset}
    times |= {"planned_onset": event.planned.start, "planned_offset": event.planned.end}
    for name, sample in times.items():
        yield name, line.get(name), sample
        yield f"{name}_s", line.get(f"{name}_s"), round(sample / timeline.rate, 6)


def _gold_faults(path: Path, timeline: Timeline) -> Iterator[FloorError]:
    try:
        stated = Gold.read(path)
    except InputError as error:
        yield FloorError("file-unreadable", str(error))
        return
    if stated != gold(timeline, stated.holds):
        yield FloorError("gold-matches-events", f"{path.name} is not what the events give with holds={stated.holds}")


def _sound(folder: Path, timeline: Timeline) -> Iterator[FloorError]:
    for name in audio_files(timeline):
        if (folder / name).is_file():
            yield from _file_faults(folder / name, name, timeline)


def _file_faults(path: Path, name: str, timeline: Timeline) -> Iterator[FloorError]:
    try:
        samples, rate = read_flac(path)
    except InputError as error:
        yield FloorError("file-unreadable", str(error))
        return
    if rate != timeline.rate or len(samples) != timeline.n_samples:
        yield FloorError(
            "channels-equal-length",
            f"{name} has {len(samples)} samples at {rate} Hz; the timeline has {timeline.n_samples} at {timeline.rate}",
        )
    clipped = np.flatnonzero(np.abs(samples) >= FULL_SCALE)
    if len(clipped):
        yield FloorError(
            "no-clipping", f"{name} has {len(clipped)} samples at full scale, the first at {clipped[0] / rate:.3f} s"
        )
