"""Corpora to look at, without synthesis: small ones, a pair, and a long conversation of five speakers."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from corpus_support import example_corpus
from floor_support import Floor, example_script, speakers
from pace_clock import pace_clock
from pair_support import play_script
from talk_support import a_spec, paper_timing

from pipeline.gold import gold
from pipeline.output.files import dump_json, write_bytes
from pipeline.output.flac import flac_bytes
from pipeline.pairs.members import members_of
from pipeline.pairs.orchestrate import orchestrate_pair
from pipeline.records import Timeline
from pipeline.samples import RATE, to_samples
from pipeline.workspace import write_text


def pair_corpus(folder: Path) -> Path:
    """The three of `example_corpus`, and a counterfactual pair: `c0001.a` and `c0001.b`."""
    example_corpus(folder)
    kept = (folder / "manifest.jsonl").read_bytes()
    pair = orchestrate_pair(members_of(a_spec(3)), play_script(), pace_clock, paper_timing(), ("claim",))
    example_corpus(folder, tuple(member.timeline for member in pair))
    assert (folder / "manifest.jsonl").read_bytes() != kept
    return folder


def long_talk(minutes: float = 10.0) -> Timeline:
    """Five speakers in turn, with holds, interruptions, claims, backchannels and laughs."""
    floor, ids = Floor(speakers(5)), "ABCDE"
    roles, number, cut = ("backchannel", "claim", "laughter"), 0, False
    while floor.now < to_samples(60 * minutes - 12):
        listener = None if cut else (ids[(number + 2) % 5], roles[number % 3])
        following = number % 4 == 2
        floor.turn(
            ids[number % 5],
            [RATE * 3, RATE * 2],
            [RATE // 2],
            -RATE // 2 if cut else RATE // 10 if number else 0,
            listener,
            1 if following else None,
            cut,
        )
        number, cut = number + 1, following
    if cut:
        floor.turn(ids[number % 5], [RATE * 3], [], -RATE // 2, None, None, True)
    return floor.timeline("long")


def put_talk(corpus: Path, timeline: Timeline) -> Path:
    """Put a conversation into a corpus as files alone: its log in full, one soft tone on all channels."""
    like = next((corpus / "conversations").iterdir())
    folder = corpus / "conversations" / timeline.conversation_id
    meta = json.loads((like / "meta.json").read_text(encoding="utf-8"))
    meta["conversation_id"] = meta["spec"]["id"] = timeline.conversation_id
    meta["spec"]["speakers"] = [speaker.model_dump(mode="json", exclude_none=True) for speaker in timeline.speakers]
    meta["spec"]["title"] = f"{len(timeline.speakers)} people who talk for long"
    write_text(folder / "meta.json", dump_json(meta))
    write_text(folder / "timeline.json", timeline.to_json())
    write_text(folder / "gold.json", gold(timeline).to_json())
    write_text(
        folder / "script.json",
        example_script().model_copy(update={"conversation_id": timeline.conversation_id}).to_json(),
    )
    second = 0.1 * np.sin(2 * np.pi * 200 * np.arange(RATE) / RATE)
    write_bytes(folder / "mix.flac", flac_bytes(np.resize(second, timeline.n_samples).astype(np.float32), RATE))
    for kind in ("clean", "noisy"):
        (folder / kind).mkdir(exist_ok=True)
        for speaker in timeline.speakers:
            os.link(folder / "mix.flac", folder / kind / f"{speaker.id}.flac")
    return folder


def data_of(path: Path) -> dict[str, Any]:
    """The record that a data script hands to the page."""
    text = path.read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text[text.index("= ") + 2 : text.rindex(";")])
    return data


def predictions(timelines: dict[str, Timeline], late_s: float = 0.3, stray_s: tuple[float, ...] = ()) -> dict[str, Any]:
    """A file of predictions: every positive, so much later, but of speaker_1 nothing other than `stray_s`."""
    entries = []
    for ident, timeline in timelines.items():
        found = gold(timeline)
        entry: dict[str, Any] = {"conversation_id": ident}
        for number, speaker in enumerate(timeline.speakers, 1):
            for task, track in (("eot", found.eot), ("interruption", found.interruption)):
                own = [one.time_s + late_s for one in track.positives if one.speaker == speaker.id]
                times = list(stray_s) if number == 1 else own
                entry.setdefault(f"speaker_{number}", {})[task] = sorted(times)
        entries.append(entry)
    return {"schema_version": 1, "predictions": entries}
