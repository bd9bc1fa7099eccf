"""What a corpus says of its counterfactual pairs, and whether their members are what they should be.

`pairs.jsonl` has a line a pair. Members are compared by name and sound:

=============  ==================================================================================
pair-linked    both members are there, equally long, and name the pair, its fork and one another
pair-equal     every clean and noisy channel, and the mix, is the same in both before the fork
pair-differs   the clean channels differ from the fork on
=============  ==================================================================================
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import FloorError, InputError
from pipeline.label import text_of
from pipeline.output.audit import audio_files
from pipeline.output.files import dump_lines
from pipeline.output.flac import read_flac
from pipeline.records import PAIR_KINDS, Pair, Timeline
from pipeline.samples import to_seconds
from pipeline.workspace import write_text

PAIRS = "pairs.jsonl"


def pair_facts(timeline: Timeline) -> dict[str, Any]:
    """The membership of a conversation, ready for JSON, its fork in seconds, too."""
    if timeline.pair is None:
        return {}
    facts = timeline.pair.model_dump(mode="json")
    return {**facts, "fork_s": round(to_seconds(timeline.pair.fork, timeline.rate), 6)}


def write_pairs(corpus: Path, idents: Sequence[str]) -> list[dict[str, Any]]:
    """Write a line for each pair whose members are both among the conversations `idents`; return what they hold."""
    found: dict[str, list[Timeline]] = {}
    for ident in idents:
        path = corpus / "conversations" / ident / "timeline.json"
        if not path.exists():
            continue
        timeline = Timeline.read(path)
        if timeline.pair is not None:
            found.setdefault(timeline.pair.id, []).append(timeline)
    lines = [_line(members) for _, members in sorted(found.items()) if len(members) == 2]
    write_text(corpus / PAIRS, dump_lines(lines))
    return lines


def _line(members: Sequence[Timeline]) -> dict[str, Any]:
    facts = pair_facts(members[0])
    shared = {name: facts[name] for name in ("id", "kind", "asked", "fork", "fork_s")}
    return {**shared, "members": [_member(timeline) for timeline in members]}


def _member(timeline: Timeline) -> dict[str, Any]:
    pair = _pair_of(timeline)
    segment = timeline.segment(pair.segment_id)
    event = next(event for event in timeline.events if event.id == pair.event_id)
    return {
        "member": pair.member,
        "conversation_id": timeline.conversation_id,
        "event_id": event.id,
        "label": event.kind,
        "segment_id": segment.id,
        "role": segment.role,
        "speaker": segment.speaker,
        "onset": segment.bounds.start,
        "offset": segment.bounds.end,
        "text": text_of(segment, {utterance.id: utterance for utterance in timeline.utterances}),
    }


def _pair_of(timeline: Timeline) -> Pair:
    if timeline.pair is None:
        raise InputError(f"{timeline.conversation_id}: is no member of a pair")
    return timeline.pair


def in_a_line(lines: Sequence[dict[str, Any]]) -> str:
    """How many pairs there are of each kind, and which are of another than was their turn.

    >>> in_a_line([{"id": "c0000", "kind": "pause", "asked": "claim"}])
    '1 pair: 1 pause; c0000 is of kind pause, since its script has no moment for claim'
    """
    counts = Counter(line["kind"] for line in lines)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in PAIR_KINDS if counts[kind])
    others = [
        f"; {line['id']} is of kind {line['kind']}, since its script has no moment for {line['asked']}"
        for line in lines
        if line["kind"] != line["asked"]
    ]
    return f"{len(lines)} pair{'s' if len(lines) != 1 else ''}{': ' if kinds else ''}{kinds}{''.join(others)}"


def pair_faults(folder: Path, timeline: Timeline) -> list[FloorError]:
    """Every way in which the conversation in `folder` and its sibling beside it are no pair; none for other ones."""
    if timeline.pair is None:
        return []
    path = folder.parent / timeline.pair.sibling / "timeline.json"
    try:
        other = Timeline.read(path)
    except InputError as error:
        return [FloorError("pair-linked", f"{timeline.conversation_id}: its sibling is not there: {error}")]
    found = list(_link_faults(timeline, other))
    # What both have in common is checked once.
    return found if found or timeline.pair.member == "a" else list(_sound_faults(folder, timeline, other))


def _link_faults(one: Timeline, other: Timeline) -> Iterator[FloorError]:
    theirs = other.pair.model_dump() if other.pair else {}
    mine = _pair_of(one).model_dump()
    for name in ("id", "fork", "kind", "asked"):
        if theirs.get(name) != mine[name]:
            yield FloorError(
                "pair-linked",
                f"{one.conversation_id} states {name} {mine[name]} of its pair, "
                f"{other.conversation_id} {theirs.get(name)}",
            )
    if theirs.get("sibling") != one.conversation_id or theirs.get("member") == mine["member"]:
        yield FloorError("pair-linked", f"{other.conversation_id} is not the other member to {one.conversation_id}")
    if (one.n_samples, one.speakers) != (other.n_samples, other.speakers):
        yield FloorError("pair-linked", f"{one.conversation_id} and its sibling differ in length or speakers")


def _sound_faults(folder: Path, timeline: Timeline, other: Timeline) -> Iterator[FloorError]:
    fork, differ = _pair_of(timeline).fork, False
    for name in audio_files(timeline):
        try:
            one, theirs = (read_flac(place / name)[0] for place in (folder, folder.parent / other.conversation_id))
        except InputError as error:
            yield FloorError("file-unreadable", str(error))
            return
        apart = np.flatnonzero(one[: len(theirs)] != theirs[: len(one)])
        if len(apart) and apart[0] < fork:
            yield FloorError(
                "pair-equal",
                f"{name} of {timeline.conversation_id} and {other.conversation_id} differs from "
                f"{to_seconds(int(apart[0]), timeline.rate):.3f} s on, before the fork at "
                f"{to_seconds(fork, timeline.rate):.3f} s",
            )
        differ |= name.startswith("clean/") and bool(len(apart))
    if not differ:
        yield FloorError("pair-differs", f"{timeline.conversation_id} sounds like {other.conversation_id} to the end")
