"""What is judged: conversations made for it in memory, or the finished ones of a corpus."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import soundfile

from pipeline.clock import speaking_clock
from pipeline.compose import composed, settings_from
from pipeline.orchestrate import orchestrate
from pipeline.output.manifest import conversation_folders
from pipeline.plan_reference import plan_reference
from pipeline.records import ConversationSpec, Segment, Timeline
from pipeline.render import render
from pipeline.script import write_script
from pipeline.seeds import generator
from pipeline.settings import Settings
from pipeline.speech.backend import Backend, Floats
from pipeline.writers.reference import reference_files

from .logged import Channels

Conversation = tuple[Timeline, Channels]


def of_corpus(folder: Path) -> Iterator[Conversation]:
    """The finished conversations of a corpus, with their clean channels.

    Raises
    ------
    InputError
        when `folder` is not a corpus.

    """
    for place in conversation_folders(folder):
        timeline = Timeline.read(place / "timeline.json")
        sounds = {
            speaker.id: soundfile.read(place / "clean" / f"{speaker.id}.flac", dtype="float32")[0]
            for speaker in timeline.speakers
        }
        yield timeline, _by_speaker(sounds)


def reference(seed: int) -> tuple[Settings, list[ConversationSpec]]:
    """The shipped scripts that make conversations, in an order drawn by `seed`."""
    settings = settings_from(
        composed(["script=reference", "type=all", f"seed={seed}", "speakers=2,3,4,5", "split=both"])
    )
    n = len(reference_files())
    specs = plan_reference(settings.request, n, settings.design, settings.noise.scenes)
    return settings, [specs[i] for i in generator(seed, "boundaries", "scripts").permutation(len(specs))]


def made(
    settings: Settings, specs: Sequence[ConversationSpec], backend: Backend, voices: int
) -> Iterator[Conversation]:
    """Conversations spoken one after the other, those with new voices first, until `voices` were heard; then the rest.

    Each is made when it is asked for.
    """
    left, heard = list(specs), set[str]()
    while left:
        new = [sum(speaker.voice not in heard for speaker in spec.speakers) for spec in left]
        spec = left.pop(int(np.argmax(new)) if len(heard) < voices else 0)
        heard |= {speaker.voice for speaker in spec.speakers}
        yield _spoken(settings, spec, backend)


def _spoken(settings: Settings, spec: ConversationSpec, backend: Backend) -> Conversation:
    script, _ = write_script(spec, settings.script)
    clock = speaking_clock(spec, backend, settings.timing, settings.tts.endings.lengths)
    rendered = render(spec, orchestrate(spec, script, clock, settings.timing), backend, settings.tts)
    stems = rendered.stems
    return rendered.timeline, _rows(stems)


def _rows(stems: Floats) -> Callable[[Segment], Floats]:
    def channel(segment: Segment) -> Floats:
        row: Floats = stems[segment.channel]
        return row

    return channel


def _by_speaker(sounds: dict[str, Floats]) -> Callable[[Segment], Floats]:
    return lambda segment: sounds[segment.speaker]
