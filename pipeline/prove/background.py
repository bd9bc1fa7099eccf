"""Gate: the background of the noisy channels is as loud as the log says.

Heard where nobody speaks on a channel and no logged effect or distant voice sounds: the stated level is the bed's, and
the stated SNR that of the clean channels' active speech over it. Where speakers leak into each other's channels, only
moments when nobody at all speaks are heard.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.assemble import active_intervals
from pipeline.errors import InputError
from pipeline.records.nuisance import NuisanceLog
from pipeline.samples import to_samples
from pipeline.sound.levels import active_speech, decibels, mean_square

from .gate import Figure, Gate, Place, judged, place
from .limits import Limits
from .reading import Conversation

ASKS = "Is the background as loud as the log says?"
BESIDE_S = 0.2
"""Left out beside speech, effects and distant voices [s]."""
ROOM_S = 1.0
"""The same after them where a room lets them die away [s]."""
LEAST_S = 1.0
"""A channel with less to hear is not judged [s]."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """What is heard beside what is stated, of a channel or of all together."""

    channel: bool
    """Whether it is one channel; else the whole conversation."""
    off_db: float
    """Level heard less level stated [dB]."""
    where: Place


def find(conversation: Conversation) -> Iterator[Found]:
    """The conversation's SNR, and each channel's level; nothing where no bed was laid or a line shaped it."""
    log = _log(conversation)
    if log is None or log.levels.bed_db is None or log.levels.snr_db is None or (log.room and log.room.telephone):
        return
    free = speech_free(conversation, log)
    yield from _snr(conversation, log.levels.snr_db, free)
    stated = log.levels.bed_db + _gain_db(conversation)
    for speaker, mask in free.items():
        yield from _channel(conversation, speaker, mask, stated + _tap_db(conversation, log, speaker))


def _log(conversation: Conversation) -> NuisanceLog | None:
    """What `meta.json` states of the noise; None where none was mixed."""
    stated: Mapping[str, Any] = conversation.meta.get("nuisance") or {}
    if not stated:
        return None
    try:
        return NuisanceLog.model_validate(stated)
    except ValueError:
        raise InputError("meta.json: its record of the noise cannot be read; make this conversation again") from None


def _gain_db(conversation: Conversation) -> float:
    """The gain on all channels [dB]."""
    try:
        return float(conversation.meta["levels"]["gain_db"])
    except (KeyError, TypeError, ValueError):
        raise InputError("meta.json states no gain; make this conversation again") from None


def _tap_db(conversation: Conversation, log: NuisanceLog, speaker: str) -> float:
    """How the bed reaches a channel [dB]."""
    bed = next((one for one in log.nuisance if one.kind == "bed"), None)
    if bed is None:
        raise InputError("meta.json states a level of a bed, but no bed; make this conversation again")
    channels = {one.id: one.channel for one in conversation.timeline.speakers}
    return decibels(bed.taps[channels[speaker]].gain ** 2)


def speech_free(conversation: Conversation, log: NuisanceLog) -> dict[str, Mask]:
    """For each speaker, the samples [n] of the channel that hold the bed alone."""
    rate, n = conversation.timeline.rate, conversation.timeline.n_samples
    before = to_samples(BESIDE_S, rate)
    after = to_samples(ROOM_S if log.room else BESIDE_S, rate)
    other = np.zeros(n, dtype=bool)
    for one in log.nuisance:
        if one.kind != "bed":
            reach = max(tap.delay for tap in one.taps)
            other[max(0, one.onset - before) : one.onset + one.length + reach + after] = True
    spoken = {}
    for speaker in conversation.noisy:
        mask = np.zeros(n, dtype=bool)
        for segment in conversation.segments(speaker):
            mask[max(0, segment.bounds.start - before) : segment.bounds.end + after] = True
        spoken[speaker] = mask
    anybody = np.logical_or.reduce(list(spoken.values()))
    return {speaker: ~(other | (anybody if log.room else mask)) for speaker, mask in spoken.items()}


def _snr(conversation: Conversation, stated_db: float, free: Mapping[str, Mask]) -> Iterator[Found]:
    """Active speech of the clean channels over the bed as heard, each moment on a channel that holds it alone."""
    bed = np.full(conversation.timeline.n_samples, np.nan, dtype=np.float32)
    for speaker, mask in free.items():
        bed[mask] = conversation.noisy[speaker][mask]
    heard = bed[~np.isnan(bed)]
    if len(heard) < to_samples(LEAST_S, conversation.timeline.rate):
        return
    clean = np.stack([conversation.clean[speaker.id] for speaker in conversation.timeline.speakers])
    speech, _ = active_speech(clean, active_intervals(conversation.timeline))
    snr_db = speech.db - _level_db(heard)
    says = f"SNR {snr_db:.2f} dB, stated {stated_db:.2f} dB"
    yield Found(False, snr_db - stated_db, Place(conversation=conversation.id, says=says))


def _channel(conversation: Conversation, speaker: str, mask: Mask, stated_db: float) -> Iterator[Found]:
    if int(mask.sum()) < to_samples(LEAST_S, conversation.timeline.rate):
        return
    level = _level_db(conversation.noisy[speaker][mask])
    says = f"background {level:.2f} dBFS, stated {stated_db:.2f} dBFS"
    yield Found(True, level - stated_db, place(conversation.timeline, speaker, int(mask.argmax()), says))


def _level_db(samples: NDArray[np.float32]) -> float:
    """Mean level [dBFS], not below a 24-bit step."""
    return max(decibels(mean_square(samples)), -20 * 23 * math.log10(2))


def gate(found: Sequence[Found], limits: Limits, silent: Sequence[str] = ()) -> Gate:
    """All conversations; `silent`: those without a bed that can be judged."""
    figures, off, nearest = list[Figure](), list[Place](), list[Place]()
    for channel, what, of, limit in (
        (False, "SNR away from the one stated", "conversations", limits.snr_off_db),
        (True, "level of a channel's background away from the one stated", "channels", limits.background_off_db),
    ):
        some = sorted((one for one in found if one.channel == channel), key=lambda one: -abs(one.off_db))
        if some:
            figures.append(
                Figure(
                    what=what,
                    value=round(abs(some[0].off_db), 2),
                    unit="dB",
                    side="at most",
                    limit=limit,
                    n=len(some),
                    of=of,
                )
            )
            off += [one.where for one in some if abs(one.off_db) > limit]
            nearest.append(some[0].where)
    why = f"without a bed, over a line, or with less than {LEAST_S:g} s of background alone"
    notes = [f"Not judged, {why}: {len(silent)} conversations."] if silent else []
    return judged("background", ASKS, figures, off or nearest, notes)
