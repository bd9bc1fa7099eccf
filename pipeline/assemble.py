"""Stage 5: stems and the timeline become FLAC channels, event log, gold, metadata and a page to listen.

Everything of one conversation is written into its folder file by file, each whole or not at all; `meta.json`
is removed first and written last, so that a folder which has it is complete.
"""

import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pipeline.errors import InputError
from pipeline.gold import gold
from pipeline.output.events import dump_events
from pipeline.output.figures import figures
from pipeline.output.files import dump_json, remove, write_bytes
from pipeline.output.flac import Bits, flac_bytes
from pipeline.output.page import conversation_page
from pipeline.output.pairs import pair_facts
from pipeline.pairs.fork import active_until, shared_until
from pipeline.records import ConversationSpec, Record, Script, Timeline
from pipeline.sound.levels import active_speech, amplitude, decibels
from pipeline.workspace import write_text

VERSION = 3
"""Part of this stage's fingerprint; raised when its output changes."""
Floats = NDArray[np.float32]


class AssembleSettings(Record):
    """How a conversation is written."""

    bits: Bits = 16
    level_db: float = Field(default=-26.0, le=0.0)
    """Pooled active-speech level of the clean channels [dBFS], the nominal level of ITU-T P.56 material."""
    peak_db: float = Field(default=-1.0, lt=0.0)
    """Highest sample of any file [dBFS]; the level gives way where it would be exceeded."""
    holds: Literal["planned", "all"] = "planned"
    """Which pauses `gold.json` counts as hard negatives of end of turn."""


@dataclass(frozen=True)
class Stems:
    """The sound of one conversation at the timeline's rate, rows in the order of its speakers."""

    clean: Floats
    """[speakers, n]"""
    noisy: Floats
    """[speakers, n]"""
    mix: Floats | None = None
    """[n]: all speech over one copy of the noise; None where each channel carries the same noise."""

    @cached_property
    def mono(self) -> Floats:
        """All speech over one copy of the noise [n]: shared noise must not add up over the channels."""
        if self.mix is not None:
            return self.mix
        speech: Floats = self.clean.sum(axis=0, dtype=np.float32)
        noise: Floats = self.noisy[0] - self.clean[0]
        return np.add(speech, noise, dtype=np.float32)


class Levels(Record):
    """The gains of a conversation and the levels that came out [dB]."""

    gain_db: float
    """The one gain of all clean and noisy channels."""
    limited: bool
    """Whether the peak held the gain below what the level asks for."""
    active_speech_db: float
    """Pooled active-speech level of the clean channels as written [dBFS]."""
    peak_db: float
    """Highest sample of clean and noisy channels as written [dBFS]."""
    mix_gain_db: float
    """Gain of the mix on top of that; never above 0."""
    mix_peak_db: float | None = None
    """None for a silent mix."""


def assemble(
    folder: Path,
    spec: ConversationSpec,
    script: Script,
    timeline: Timeline,
    stems: Stems,
    settings: AssembleSettings | None = None,
    *,
    nuisance: Mapping[str, Any] | None = None,
    exchange: str = "",
    meta: Mapping[str, Any] | None = None,
    sibling: Stems | None = None,
    clean_stands: Callable[[Levels], bool] = lambda _: False,
) -> Levels:
    """Write one conversation into `folder`, which is made; what stood there under the same names is replaced.

    Parameters
    ----------
    folder
        ``conversations/ID`` of a corpus.
    spec, script, timeline
        The records of the stages before; the timeline as measured.
    stems
        Clean and noisy sound; see :class:`Stems`.
    settings
        How to write it.
    nuisance
        What stage 4 mixed in, ready for JSON; kept as ``nuisance`` of `meta.json`. Its
        ``levels.snr_db`` is the SNR that pages and statistics show.
    exchange
        The recorded exchange with the language model, as JSON lines.
    meta
        Seeds, versions and model sums, ready for JSON; nothing that a second run would not repeat.
    sibling
        The other member of a counterfactual pair: both get the gain that neither clips at.
    clean_stands
        Whether the clean channels in `folder` are those of these stems at such levels: they are left as they are.

    Raises
    ------
    InputError
        when the stems do not fit the timeline, hold what is no number, or are silent.
    OutputError
        when the folder cannot be written.

    """
    settings = settings or AssembleSettings()
    _check(timeline, stems)
    levels = plan_levels(timeline, stems, settings, sibling)
    remove(folder / "meta.json")
    _write_audio(folder, timeline, stems, levels, settings, keep_clean=clean_stands(levels))
    write_text(folder / "script.json", script.to_json())
    write_text(folder / "exchange.jsonl", exchange)
    write_text(folder / "timeline.json", timeline.to_json())
    write_text(folder / "events.jsonl", dump_events(timeline))
    write_text(folder / "gold.json", gold(timeline, settings.holds).to_json())
    whole = _meta(spec, script, timeline, settings, levels, nuisance, meta)
    write_text(folder / "index.html", conversation_page(spec, timeline, whole))
    write_text(folder / "meta.json", dump_json(whole))
    return levels


def plan_levels(timeline: Timeline, stems: Stems, settings: AssembleSettings, sibling: Stems | None = None) -> Levels:
    """The one gain that brings active speech to its level, or the peak to its limit, whichever is lower.

    For a member of a pair: speech before the fork, and the peak of both.
    """
    both = [stems] if sibling is None else [stems, sibling]
    pooled, _ = active_speech(stems.clean[:, : shared_until(timeline)], active_intervals(timeline))
    peak = max(_peak(part) for one in both for part in (one.clean, one.noisy))
    wanted, most = settings.level_db - pooled.db, settings.peak_db - decibels(peak**2)
    gain_db = _rounded_down(min(wanted, most))
    mix_peak_db = decibels(max(_peak(one.mono) for one in both) ** 2) + gain_db
    mix_gain_db = _rounded_down(min(0.0, settings.peak_db - mix_peak_db))
    return Levels(
        gain_db=gain_db,
        limited=most < wanted,
        active_speech_db=round(pooled.db + gain_db, 4),
        peak_db=round(decibels(peak**2) + gain_db, 4),
        mix_gain_db=mix_gain_db,
        mix_peak_db=round(mix_peak_db + mix_gain_db, 4) if math.isfinite(mix_peak_db) else None,
    )


def _rounded_down(db: float) -> float:
    """To the millionth, so that the recorded gain is the one that was used."""
    return math.floor(db * 1e6) / 1e6


def active_intervals(timeline: Timeline) -> list[list[tuple[int, int]]]:
    """For each speaker, first sample and one past the last of everything that speaker utters."""
    return [
        [(s.bounds.start, active_until(s, timeline)) for s in timeline.segments if s.speaker == speaker.id]
        for speaker in timeline.speakers
    ]


def _check(timeline: Timeline, stems: Stems) -> None:
    due = (len(timeline.speakers), timeline.n_samples)
    for name, array, shape in (
        ("clean", stems.clean, due),
        ("noisy", stems.noisy, due),
        ("mix", stems.mix, due[1:]),
    ):
        if array is None:
            continue
        if array.shape != shape:
            raise InputError(
                f"{timeline.conversation_id}: {name} sound has shape {array.shape}; the timeline asks for {shape}"
            )
        if not np.isfinite(array).all():
            raise InputError(f"{timeline.conversation_id}: {name} sound holds values that are no numbers; render again")


def _peak(samples: Floats) -> float:
    return float(max(samples.max(), -samples.min()))


def _write_audio(
    folder: Path, timeline: Timeline, stems: Stems, levels: Levels, settings: AssembleSettings, *, keep_clean: bool
) -> None:
    gain = np.float32(amplitude(levels.gain_db))
    for kind, channels in (("noisy", stems.noisy),) if keep_clean else (("clean", stems.clean), ("noisy", stems.noisy)):
        # Speakers of an earlier run under other ids must not stay.
        shutil.rmtree(folder / kind, ignore_errors=True)
        for speaker, channel in zip(timeline.speakers, channels, strict=True):
            data = flac_bytes(channel * gain, timeline.rate, settings.bits)
            write_bytes(folder / kind / f"{speaker.id}.flac", data)
    mix = stems.mono * np.float32(amplitude(levels.gain_db + levels.mix_gain_db))
    write_bytes(folder / "mix.flac", flac_bytes(mix, timeline.rate, settings.bits))


def _meta(
    spec: ConversationSpec,
    script: Script,
    timeline: Timeline,
    settings: AssembleSettings,
    levels: Levels,
    nuisance: Mapping[str, Any] | None,
    meta: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "conversation_id": spec.id,
        **({"pair": pair_facts(timeline)} if timeline.pair else {}),
        "spec": spec.model_dump(mode="json", exclude_none=True),
        "assemble": settings.model_dump(mode="json"),
        "levels": levels.model_dump(mode="json"),
        "realised": figures(timeline, script, nuisance).summary(),
        "nuisance": dict(nuisance or {}),
        **(meta or {}),
    }
