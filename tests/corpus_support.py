"""A finished corpus without synthesis: the worked example, a duo, and one with events that trip readers."""

from pathlib import Path

import numpy as np
from floor_support import (
    Floor,
    bed,
    changed_event,
    changed_segment,
    changed_utterance,
    example,
    example_script,
    example_spec,
    spans,
    speakers,
    stems,
)

from pipeline.assemble import Stems, assemble
from pipeline.output.files import dump_lines
from pipeline.output.manifest import MANIFEST, conversation_folders, manifest_line
from pipeline.records import Timeline
from pipeline.samples import RATE, to_samples
from pipeline.workspace import write_text


def duo() -> Timeline:
    """Two speakers: a hold, a hand-over that overlaps, a backchannel, an interruption, another yield."""
    floor = Floor(speakers(2))
    floor.turn("A", [RATE * 3, RATE * 2], [RATE // 2], 0, listener=("B", "backchannel"))
    floor.turn("B", [RATE * 3], [], -2400, cut=1)
    floor.turn("A", [RATE * 4], [], -RATE // 2, interrupts=True)
    floor.turn("B", [RATE * 2], [], 0)
    return floor.timeline("duo")


def odd() -> Timeline:
    """The example with a backchannel of no length, a claim that touches its speaker's turn, an overlap in one tier,
    a long inner pause, and text with quotation marks and signs that markup would take for its own."""
    timeline = example().model_copy(update={"conversation_id": "odd.a"})
    nothing = spans((1.9, 1.9))[0]
    timeline = changed_segment(timeline, "s2", measured=nothing)
    timeline = changed_event(timeline, "e1", onset=nothing.start, offset=nothing.end)
    # C's claim and C's laugh-like second claim share a tier and overlap; validators would object, readers must not.
    laugh = timeline.events[-1]
    again = laugh.model_copy(
        update={"id": "e9", "onset": laugh.onset + to_samples(0.3), "offset": laugh.offset + to_samples(0.3)}
    )
    touching = laugh.model_copy(update={"id": "e10", "onset": laugh.offset, "offset": laugh.offset + 1})
    timeline = timeline.model_copy(update={"events": (*timeline.events, again, touching)})
    pause = timeline.segment("s5").pauses[0]
    long = spans((7.5, 7.8))[0]
    timeline = changed_segment(timeline, "s5", pauses=(pause.model_copy(update={"measured": long}),))
    said = 'She said "no" & <left>…'
    timeline = changed_utterance(timeline, "u2", written=said)
    return changed_event(timeline, "e4", text=said)


def example_corpus(folder: Path, timelines: tuple[Timeline, ...] = ()) -> Path:
    """Write `timelines` (by default the example, a duo in the dev split and the odd one) as a finished corpus."""
    for index, timeline in enumerate(timelines or (example(), duo(), odd())):
        spec = example_spec().model_copy(
            update={
                "id": timeline.conversation_id,
                "index": index,
                "speakers": timeline.speakers,
                "split": "dev" if timeline.conversation_id == "duo" else "test",
            }
        )
        clean = stems(timeline)
        noisy = (clean + bed(timeline)).astype(np.float32)
        script = example_script().model_copy(update={"conversation_id": timeline.conversation_id})
        assemble(folder / "conversations" / timeline.conversation_id, spec, script, timeline, Stems(clean, noisy))
    lines = [manifest_line(conversation, folder) for conversation in conversation_folders(folder)]
    write_text(folder / MANIFEST, dump_lines(lines))
    return folder
