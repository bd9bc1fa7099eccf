"""Stage 4: a shared ambient bed at a drawn SNR, sound effects and distant speech over the clean stems.

Sources reach the channels through taps, the identity unless given: each voice its own channel, each
noise alike in all. Nuisance carries no event label, yet all of it is logged, and the log with the clean
stems and the bank gives the noisy channels again to the last bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError, InputError
from pipeline.records.nuisance import Kind, LevelRecord, NuisanceLog, NuisanceRecord, Tap, Taps
from pipeline.records.room import RoomRecord
from pipeline.rooms.hearing import over_line, planned, voices
from pipeline.rooms.settings import RoomSettings
from pipeline.samples import RATE, to_samples
from pipeline.sound.bank import NoiseBank, Sound
from pipeline.sound.beds import scene_named
from pipeline.sound.distant import SpeechSource
from pipeline.sound.embedded import EmbeddedBank
from pipeline.sound.levels import (
    Activity,
    Interval,
    active_rms,
    active_speech,
    amplitude,
    decibels,
    mean_square,
    merged,
)
from pipeline.sound.musan import MusanBank
from pipeline.sound.musan.catalogue import default_folder
from pipeline.sound.settings import NoiseSettings
from pipeline.sound.synthesis import Samples, drawn, drawn_count, faded

VERSION = 2
"""Of this stage: another one makes other samples from the same inputs."""

Channels = NDArray[np.float32]
RngFor = Callable[[str], np.random.Generator]
"""Gives the generator of a purpose: ``functools.partial(generator, corpus_seed, conversation, "augment")``."""


@dataclass(frozen=True, eq=False)
class Augmented:
    """What the stage makes of a conversation."""

    noisy: Channels
    """[channels, n], before the one gain of the conversation: it may pass full scale."""
    nuisance: tuple[NuisanceRecord, ...]
    levels: LevelRecord
    scene: str
    taps: Taps
    rate: int
    room: RoomRecord | None = None
    mix: Channels | None = None
    """[n]: all of it on one channel; None where that follows from clean and noisy."""

    @property
    def log(self) -> NuisanceLog:
        """All of it but the samples."""
        return NuisanceLog(
            rate=self.rate,
            scene=self.scene,
            levels=self.levels,
            taps=self.taps,
            nuisance=self.nuisance,
            room=self.room,
        )


def open_bank(settings: NoiseSettings, speech: SpeechSource | None = None, rate: int = RATE) -> NoiseBank:
    """The bank that the settings ask for.

    Parameters
    ----------
    settings
        Of stage 4.
    speech
        Distant voices of the embedded bank; MUSAN has its own.
    rate
        The corpus rate [Hz].

    Raises
    ------
    InputError
        when the MUSAN directory is not one.
    ConfigError
        when distant speech is asked of the embedded bank without voices.

    """
    if settings.kind == "musan":
        return MusanBank(settings.musan or default_folder(), rate)
    if speech is None and settings.distant.probability > 0.0:
        raise ConfigError("distant speech needs voices: give a speech source, or set noise.distant.probability=0")
    return EmbeddedBank(speech, rate)


def augment(
    stems: Channels,
    activity: Sequence[Sequence[Interval]],
    scene: str,
    settings: NoiseSettings,
    bank: NoiseBank,
    rng_for: RngFor,
    *,
    avoid: Sequence[Interval] = (),
    taps: Taps | None = None,
    level_until: int | None = None,
    room: RoomSettings | None = None,
) -> Augmented:
    """Mix noise over the clean stems of a conversation.

    Parameters
    ----------
    stems
        Clean speech [stems, n] at the bank's rate; one stem a channel unless `taps` say otherwise.
    activity
        For each stem its active sample intervals, from the timeline.
    scene
        Where it takes place; `settings.scene` goes before it.
    settings
        Of stage 4.
    bank
        Gives the sounds; see :func:`open_bank`.
    rng_for
        Gives a generator for each purpose, so that no draw depends on another.
    avoid
        Sample intervals that no effect and no distant voice shall touch.
    taps
        How sources reach channels; identity by default.
    level_until
        Take the level of the speech from the samples before this one alone; None: from all.
    room
        How it is heard; as it is spoken by default. Levels are those of the clean stems in any room.

    Raises
    ------
    InputError
        when there is no active speech, the scene is not known, or a sound of the bank has no energy.
    ConfigError
        when the room is too small for those in it.

    """
    stems = np.ascontiguousarray(stems, dtype=np.float32)
    taps = taps or Taps.identity(len(stems))
    speech, channels = active_speech(stems[:, :level_until], activity)
    scene = settings.scene or scene
    plan = _Plan(stems.shape[1], speech.db, settings, bank, rng_for, taps.noise, avoid)
    snr = plan.snr(scene) if settings.bed else None
    parts = ([] if snr is None else [plan.bed(scene, snr)]) + plan.effects() + plan.distant()
    heard_in = planned(room or RoomSettings(), stems, speech.db, rng_for, level_until, bank.rate)
    noisy, mix = _heard(stems, parts, taps, heard_in, bank.rate)
    records = tuple(part.record for part in parts)
    levels = _levels(speech, channels, snr, records, noisy)
    return Augmented(noisy, records, levels, scene, taps, bank.rate, heard_in, mix)


def remix(
    stems: Channels,
    nuisance: Sequence[NuisanceRecord],
    bank: NoiseBank,
    taps: Taps | None = None,
    room: RoomRecord | None = None,
) -> Channels:
    """The noisy channels [channels, n] again, to the last bit, from the clean stems and the log.

    Parameters
    ----------
    stems
        As float samples before the gain of the conversation [stems, n].
    nuisance
        As logged, in its order.
    bank
        Of the same kind and version as the one that the log was made with.
    taps
        Of the voices; identity by default. Each nuisance carries its own.
    room
        As logged.

    """
    return remixed(stems, nuisance, bank, taps, room)[0]


def remixed(
    stems: Channels,
    nuisance: Sequence[NuisanceRecord],
    bank: NoiseBank,
    taps: Taps | None = None,
    room: RoomRecord | None = None,
) -> tuple[Channels, Channels | None]:
    """As :func:`remix`, with all of it on one channel [n] where a room or a line makes it; else None."""
    stems = np.ascontiguousarray(stems, dtype=np.float32)
    parts = [_Part(record, _sounding(bank.recall(record.clip), record)) for record in nuisance]
    return _heard(stems, parts, taps or Taps.identity(len(stems)), room, bank.rate)


@dataclass(frozen=True, eq=False)
class _Part:
    """A logged sound and its samples as they leave the source [length]."""

    record: NuisanceRecord
    samples: Channels


@dataclass(frozen=True)
class _Plan:
    """Draws the nuisance of one conversation."""

    n: int
    speech_db: float
    settings: NoiseSettings
    bank: NoiseBank
    rng_for: RngFor
    row: tuple[Tap, ...]
    avoid: Sequence[Interval]

    def snr(self, scene: str) -> float:
        """The SNR of this conversation [dB]."""
        within = scene_named(scene).snr_db if self.settings.snr_by_scene else self.settings.snr_db
        return drawn(self.rng_for("snr"), within)

    def bed(self, scene: str, snr_db: float) -> _Part:
        """The ambience under all of it, its RMS over the conversation at the SNR."""
        sound = self.bank.bed(scene, self.n, self.rng_for("bed"))
        rms = mean_square(sound.samples) ** 0.5
        wanted = self.speech_db - snr_db
        gain = amplitude(wanted) / _some_energy(rms, sound)
        return self._part("bed", "bed", sound, 0, gain, wanted, fade=0)

    def effects(self) -> list[_Part]:
        """The slots of sound effects, their labels all different."""
        settings, rng = self.settings.effects, self.rng_for("effects")
        count = int(rng.choice(settings.slots))
        labels = [settings.labels[i] for i in rng.permutation(len(settings.labels))[:count]]
        parts = []
        for k, label in enumerate(labels, 1):
            name = f"effect-{k}"
            sound = self.bank.effect(label, settings.max_s, self.rng_for(name))
            cap = amplitude(self.speech_db + settings.peak_db)
            wanted, fade = self.speech_db - settings.below_db, self._samples(settings.fade_s)
            parts.append(self._event(name, "effect", sound, wanted, cap, fade, self.avoid))
        return parts

    def distant(self) -> list[_Part]:
        """With some probability a few snippets of distant speech, none over another."""
        settings, rng = self.settings.distant, self.rng_for("distant")
        if rng.random() >= settings.probability:
            return []
        parts: list[_Part] = []
        for k in range(1, drawn_count(rng, settings.snippets) + 1):
            name, seconds = f"distant-{k}", drawn(rng, settings.seconds)
            sound = self.bank.distant(seconds, self.rng_for(name))
            taken = [(part.record.onset, part.record.onset + part.record.length) for part in parts]
            wanted, fade = self.speech_db - settings.below_db, self._samples(settings.fade_s)
            parts.append(self._event(name, "distant", sound, wanted, np.inf, fade, [*self.avoid, *taken]))
        return parts

    def _event(
        self, name: str, kind: Kind, sound: Sound, wanted: float, cap: float, fade: int, avoid: Sequence[Interval]
    ) -> _Part:
        """A sound that comes and goes, by its active RMS, its peak within the cap."""
        length = min(len(sound.samples), self.n)
        shaped = faded(sound.samples[:length], fade)
        gain = amplitude(wanted) / _some_energy(active_rms(shaped, self.bank.rate), sound)
        highest = cap / float(np.abs(shaped).max())
        onset, clear = _onset(self.n, length, avoid, self.rng_for(f"{name}-onset"))
        capped = gain > highest
        return self._part(name, kind, sound, onset, min(gain, highest), wanted, fade=fade, capped=capped, clear=clear)

    def _part(
        self,
        name: str,
        kind: Kind,
        sound: Sound,
        onset: int,
        gain: float,
        wanted: float,
        *,
        fade: int,
        capped: bool = False,
        clear: bool = True,
    ) -> _Part:
        record = NuisanceRecord(
            id=name,
            kind=kind,
            clip=sound.clip,
            onset=onset,
            length=min(len(sound.samples), self.n),
            gain=gain,
            fade=fade,
            level_db=wanted,
            wanted_db=wanted,
            capped=capped,
            clear=clear,
            taps=self.row,
        )
        samples = _sounding(sound.samples, record)
        level = decibels(mean_square(samples) if kind == "bed" else active_rms(samples, self.bank.rate) ** 2)
        return _Part(record.model_copy(update={"level_db": level}), samples)

    def _samples(self, seconds: float) -> int:
        return to_samples(seconds, self.bank.rate)


def _some_energy(rms: float, sound: Sound) -> float:
    """`rms`, unless the sound is silent or no sound: a level cannot be set then."""
    if not (np.isfinite(rms) and rms > 0.0):
        raise InputError(f"{sound.clip.kind} {sound.clip.id!r} has no energy to set a level by: leave it out")
    return rms


def _onset(n: int, length: int, avoid: Sequence[Interval], rng: np.random.Generator) -> tuple[int, bool]:
    """First sample for a sound of `length` within `n`, uniform over where it touches nothing to be avoided.

    Where there is no such place it is drawn from everywhere, and the second value is False.
    """
    last = n - length
    blocked = merged([(a - length + 1, b) for a, b in merged(avoid, n)], last + 1)
    starts = [0, *(b for _, b in blocked)]
    ends = [*(a for a, _ in blocked), last + 1]
    free = [(a, b) for a, b in zip(starts, ends, strict=True) if b > a] or [(0, last + 1)]
    place = int(rng.integers(sum(b - a for a, b in free)))
    for a, b in free:
        if place < b - a:
            break
        place -= b - a
    return a + place, len(blocked) == 0 or blocked[0] != (0, last + 1)


def _sounding(samples: Samples, record: NuisanceRecord) -> Channels:
    """A clip's samples cut, faded and amplified as logged [length]."""
    if len(samples) != record.clip.length:
        raise InputError(f"clip {record.clip.id!r} has {len(samples)} samples, not {record.clip.length}: another bank?")
    return (faded(samples[: record.length], record.fade) * record.gain).astype(np.float32)


def _heard(
    stems: Channels, parts: Sequence[_Part], taps: Taps, room: RoomRecord | None, rate: int
) -> tuple[Channels, Channels | None]:
    """What each channel hears [channels, n], and all of it on one [n] where a room or a line makes that another sum.

    A room carries the voices, in place of their taps; the noise is what the microphones hear, and a line comes last.
    """
    if room is None:
        return _mixed(stems, parts, taps), None
    carried = voices(stems, room, rate)
    channels = _mixed(stems, parts, taps, carried.channels if carried else None)
    mix = (carried.mono if carried else stems.sum(axis=0, dtype=np.float32))[None].copy()
    for part in parts:
        _add(mix, part.samples, part.record.onset, part.record.taps[:1])
    lined = np.stack([over_line(channel, room, rate) for channel in channels])
    return lined, over_line(mix[0], room, rate)


def _mixed(stems: Channels, parts: Sequence[_Part], taps: Taps, carried: Channels | None = None) -> Channels:
    """All sources through their taps, added in the order given [channels, n]; `carried`: the voices, mixed already."""
    if len(taps.speech) != len(stems):
        raise InputError(f"taps for {len(taps.speech)} stems, and there are {len(stems)}: give a row for each")
    out = np.zeros((len(taps.noise), stems.shape[1]), dtype=np.float32) if carried is None else carried.copy()
    for stem, row in zip(stems, taps.speech, strict=True):
        if carried is None:
            _add(out, stem, 0, row)
    for part in parts:
        _add(out, part.samples, part.record.onset, part.record.taps)
    return out


def _add(out: Channels, source: Channels, onset: int, row: Sequence[Tap]) -> None:
    """One source added to each channel it reaches, what is delayed past the end cut off."""
    for channel, tap in zip(out, row, strict=True):
        start = onset + tap.delay
        heard = source[: max(0, len(channel) - start)]
        if tap.gain == 1.0:
            channel[start : start + len(heard)] += heard
        elif tap.gain != 0.0:
            channel[start : start + len(heard)] += np.float32(tap.gain) * heard


def _levels(
    speech: Activity,
    channels: Sequence[Activity],
    snr: float | None,
    records: Sequence[NuisanceRecord],
    noisy: Channels,
) -> LevelRecord:
    bed = next((record.level_db for record in records if record.kind == "bed"), None)
    return LevelRecord(
        active_speech_db=speech.db,
        active_samples=speech.samples,
        channel_active_db=tuple(c.db if c.power > 0.0 else None for c in channels),
        bed_db=bed,
        snr_drawn_db=snr,
        snr_db=None if bed is None else speech.db - bed,
        peak=float(max(noisy.max(), -noisy.min())),
    )
