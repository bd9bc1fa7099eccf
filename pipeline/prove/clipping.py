"""Gate: no sample of any file is clipped, at full scale or under it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.output.audit import FULL_SCALE
from pipeline.sound.levels import decibels
from pipeline.speech.backend import Floats

from .gate import Figure, Gate, Place, judged, place
from .limits import Limits
from .reading import Conversation

ASKS = "Is any sample clipped?"
FLAT = 3
"""Equal samples at the highest level that make a flat top: those of a wave of 1 kHz at -20 dBFS lie 20 steps apart."""
SILENT = 10**-3
"""A channel whose highest sample is lower is not asked: steps of 16 bits make flat tops there."""


@dataclass(frozen=True)
class Found:
    """What one file shows."""

    file: str
    peak_db: float
    at_full_scale: int
    flat_tops: int
    where: Place
    """The first clipped sample; the highest one where there is none."""


def find(conversation: Conversation) -> Iterator[Found]:
    """Peak and flat tops of each audio file."""
    for name, speaker, sound in _files(conversation):
        magnitude = np.abs(sound)
        top = float(magnitude.max(initial=0.0))
        full = np.flatnonzero(magnitude >= FULL_SCALE)
        flat = flat_tops(sound)
        clipped = sorted([*full[:1].tolist(), *flat[:1]])
        at = clipped[0] if clipped else int(magnitude.argmax())
        says = f"{name}: {len(full)} samples at full scale, {len(flat)} flat tops, peak {decibels(top**2):.2f} dBFS"
        where = place(conversation.timeline, speaker, at, says)
        yield Found(name, decibels(top**2), len(full), len(flat), where)


def flat_tops(sound: Floats) -> list[int]:
    """Where `FLAT` samples and more in a row stand at the highest or at the lowest level, if that occurs again.

    A wave that was cut off at some level stands there again and again; one that was not touches its highest once.
    """
    found = [at for extreme in (sound.max(initial=0.0), sound.min(initial=0.0)) for at in _runs(sound == extreme)]
    return sorted(found) if np.abs(sound).max(initial=0.0) > SILENT and len(found) > 1 else []


def _runs(mask: np.ndarray) -> list[int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8))).reshape(-1, 2)
    return [int(start) for start, end in edges if end - start >= FLAT]


def _files(conversation: Conversation) -> Iterator[tuple[str, str, Floats]]:
    yield "mix.flac", "", conversation.mix
    for kind, channels in (("noisy", conversation.noisy), ("clean", conversation.clean)):
        for speaker, sound in channels.items():
            yield f"{kind}/{speaker}.flac", speaker, sound


def gate(found: Sequence[Found], limits: Limits) -> Gate:
    """All files of the corpus."""
    figures = [
        Figure(
            what="files with clipped samples",
            value=sum(one.at_full_scale + one.flat_tops > 0 for one in found),
            side="at most",
            limit=limits.clipped_files,
            n=len(found),
            of="files",
        ),
    ]
    if found:
        highest = max(one.peak_db for one in found)
        figures.append(
            Figure(
                what="highest sample",
                value=round(highest, 2),
                unit="dBFS",
                side="at most",
                limit=limits.peak_dbfs,
                n=len(found),
                of="files",
            )
        )
    worst = sorted(found, key=lambda one: (-one.at_full_scale - one.flat_tops, -one.peak_db))
    clipped = [one.where for one in worst if one.at_full_scale or one.flat_tops]
    return judged("clipping", ASKS, figures if found else [], clipped or [one.where for one in worst[:1]])
