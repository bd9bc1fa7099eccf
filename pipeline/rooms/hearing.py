"""From what everybody says to what each channel hears: a room first, what is mixed in after it, a line last."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy.signal
import soundfile
from numpy.typing import NDArray

from pipeline.errors import InputError
from pipeline.records.room import Acoustics, Geometry, Matrix, RoomRecord
from pipeline.rooms.decay import rt60_of
from pipeline.rooms.places import arranged
from pipeline.rooms.settings import AcousticsSettings, RoomSettings
from pipeline.rooms.simulation import Responses, removed, responses, simulator, travel
from pipeline.rooms.telephone import telephone, through_line
from pipeline.samples import RATE
from pipeline.sound.levels import amplitude, decibels, energy
from pipeline.sound.synthesis import Rng

Channels = NDArray[np.float32]
Float = TypeVar("Float", np.float32, np.float64)


VERSION = 1
"""Raised when the same room makes other samples of the same stems."""


def identity() -> str:
    """What the sound of a room or a line depends on beside its settings: part of fingerprints."""
    return f"{VERSION} {simulator()} libsndfile {soundfile.__libsndfile_version__}"


@dataclass(frozen=True, eq=False)
class Voices:
    """All voices as a room carries them."""

    channels: Channels
    """[channels, n]"""
    mono: Channels
    """Each voice once, as its own channel has it [n]."""


def planned(
    settings: RoomSettings,
    stems: Channels,
    active_speech_db: float,
    rng_for: Callable[[str], Rng],
    until: int | None = None,
    rate: int = RATE,
) -> RoomRecord | None:
    """How a conversation is to be heard; None where it is left as it was spoken.

    Parameters
    ----------
    settings
        Of the group `room`.
    stems
        Clean speech [speakers, n].
    active_speech_db
        Pooled active-speech level of the stems [dBFS].
    rng_for
        Gives a generator for each purpose.
    until
        Take all levels from the samples before this one, and let nothing at or after it be heard before; None: the end.
    rate
        The corpus rate [Hz].

    Raises
    ------
    ConfigError
        when the room is too small, or the line does not fit the rate.

    """
    if settings.off:
        return None
    end = stems.shape[1] if until is None else until
    room = _acoustics(settings.acoustics, stems, end, rng_for("room"), rate) if settings.acoustics else None
    line = telephone(settings.telephone, active_speech_db, rate) if settings.telephone else None
    return RoomRecord(until=end, acoustics=room, telephone=line)


def voices(stems: Channels, record: RoomRecord, rate: int = RATE) -> Voices | None:
    """All voices through the room of the record; None where there is none.

    Raises
    ------
    InputError
        when the responses are not those of the record: another version of the library, or another processor.

    """
    if record.acoustics is None:
        return None
    room = record.acoustics
    paths = responses(room.geometry, rate)
    if _sum_of(paths) != room.responses_sha256:
        raise InputError(
            f"room responses by {simulator()} here are not those of the log, by {room.simulator}: install that "
            "version, or make the conversation again"
        )
    channels = np.zeros((len(room.geometry.microphones), stems.shape[1]), np.float32)
    mono = np.zeros(stems.shape[1], np.float32)
    for s, stem in enumerate(stems):
        heard = _images(stem, paths[s], record.until)
        heard *= np.array(room.gains[s])[:, None]
        channels += heard
        mono += heard[s].astype(np.float32)
    return Voices(channels, mono)


def over_line(samples: NDArray[np.float32], record: RoomRecord, rate: int = RATE) -> NDArray[np.float32]:
    """`samples` [n] of a channel through the line of the record, as they are where there is none [n]."""
    line = record.telephone
    if line is None:
        return samples
    return _parted(lambda part: through_line(part, line, rate), samples, record.until)


def _acoustics(settings: AcousticsSettings, stems: Channels, until: int, rng: Rng, rate: int) -> Acoustics:
    geometry, rt60_s = arranged(settings, len(stems), rng, rate)
    paths = responses(geometry, rate)
    rows = [_levelled(stem, paths[s], s, settings.crosstalk_db, until) for s, stem in enumerate(stems)]
    far = max(range(len(stems)), key=lambda m: math.dist(geometry.mouths[0], geometry.microphones[m]))
    return Acoustics(
        microphones=settings.microphones,
        geometry=geometry,
        rt60_asked_s=rt60_s,
        rt60_s=round(rt60_of(paths[0, far], rate), 4),
        removed=removed(geometry, rate),
        delays=_delays(geometry, rate),
        gains=tuple(gains for gains, _ in rows),
        crosstalk_asked_db=settings.crosstalk_db,
        crosstalk_db=tuple(found for _, found in rows),
        responses_sha256=_sum_of(paths),
        simulator=simulator(),
    )


def _levelled(
    stem: NDArray[np.float32], paths: NDArray[np.float64], own: int, crosstalk_db: float | None, until: int
) -> tuple[tuple[float, ...], float | None]:
    """Gains of one voice in all channels, and its realised crosstalk [dB].

    In its own channel it has the energy that it was spoken with, so that its level holds after the response; where it
    says nothing before `until`, its responses tell what that takes.
    """
    heard = _images(stem, paths, until)[:, :until] if np.any(stem[:until]) else paths
    spoken = energy(stem[:until]) or 1.0
    powers = [energy(image) for image in heard]
    others = [power for channel, power in enumerate(powers) if channel != own]
    gain = math.sqrt(spoken / powers[own])
    across = sum(others) / len(others) if others else 0.0
    below = decibels(powers[own] / across) if across else None
    if below is None or crosstalk_db is None:
        return (gain,) * len(powers), below
    more = amplitude(below - crosstalk_db)
    gains = tuple(gain if channel == own else gain * more for channel in range(len(powers)))
    return gains, decibels(powers[own] / (across * more**2))


def _images(stem: NDArray[np.float32], paths: NDArray[np.float64], until: int) -> NDArray[np.float64]:
    """One voice as each channel hears it, without gains [channels, n]."""

    def convolved(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = scipy.signal.oaconvolve(samples[None, :], paths, axes=-1)
        return np.asarray(whole[:, : len(samples)])

    return _parted(convolved, stem.astype(np.float64), until)


def _parted(effect: Callable[[NDArray[Float]], NDArray[Float]], samples: NDArray[Float], until: int) -> NDArray[Float]:
    """`effect` of `samples` [n], where what comes before `until` is to the bit the same whatever follows.

    The effects are causal, but neither the rounding of a transform nor the frames of a codec are.
    """
    whole = effect(samples)
    if until < len(samples):
        alone = samples.copy()
        alone[until:] = 0.0
        whole[..., :until] = effect(alone)[..., :until]
    return whole


def _delays(geometry: Geometry, rate: int) -> Matrix:
    off = removed(geometry, rate)
    return tuple(
        tuple(round(travel(mouth, place, rate) - off[s], 3) for place in geometry.microphones)
        for s, mouth in enumerate(geometry.mouths)
    )


def _sum_of(paths: Responses) -> str:
    return hashlib.sha256(paths.astype(np.float32).tobytes()).hexdigest()
