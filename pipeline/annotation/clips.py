"""The sound of a candidate: the mix and each speaker's channel, under names that say nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.errors import InputError
from pipeline.output.files import write_bytes
from pipeline.output.flac import flac_bytes, read_flac
from pipeline.records import Timeline
from pipeline.speech.backend import Floats

from .candidates import Candidate

Sound = Literal["noisy", "clean"]
POINTS = 260
"""Of a channel's outline in the form."""
FLOOR_DB = 50.0
"""An outline shows what is at most this far under full scale [dB]."""
MIX = "mix"


def sounds_of(folder: Path, timeline: Timeline, sound: Sound) -> dict[str, Floats]:
    """The mix and the channels of a conversation, by speaker; InputError where one cannot be read."""
    found = {speaker.id: read_flac(folder / sound / f"{speaker.id}.flac")[0] for speaker in timeline.speakers}
    if sound == "noisy":
        return {MIX: read_flac(folder / "mix.flac")[0], **found}
    together: Floats = np.stack(list(found.values())).sum(axis=0, dtype=np.float32)
    lowered: Floats = together / np.float32(max(1.0, 1.001 * float(np.abs(together).max())))
    return {MIX: lowered, **found}


def write_clips(folder: Path, candidate: Candidate, sounds: Mapping[str, Floats], rate: int) -> dict[str, list[int]]:
    """Write the sounds of a candidate into `folder`; returns the outline of each channel, by letter, 0 to 99."""
    outlines = {}
    for letter, speaker in {MIX: MIX, **candidate.letters}.items():
        clip = sounds[speaker][candidate.clip.start : candidate.clip.end]
        if len(clip) != candidate.clip.length:
            raise InputError(f"{candidate.conversation}: {speaker} is shorter than the timeline; make it again")
        write_bytes(folder / clip_name(candidate.id, letter), flac_bytes(clip, rate))
        if letter != MIX:
            outlines[letter] = outline(clip)
    return outlines


def clip_name(ident: str, letter: str) -> str:
    """The file of one sound of a candidate."""
    return f"{ident}-{letter.lower()}.flac"


def outline(clip: Floats) -> list[int]:
    """Level of `POINTS` equal parts of a clip, from 0 (`FLOOR_DB` under full scale and less) to 99 (full scale)."""
    power = [float(np.mean(np.square(part, dtype=np.float64))) for part in np.array_split(clip, POINTS)]
    db = 10 * np.log10(np.maximum(power, 1e-12))
    return [int(value) for value in np.clip(99 * (1 + db / FLOOR_DB), 0, 99)]
