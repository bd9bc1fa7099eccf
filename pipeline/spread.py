"""How alike the calibrated voices are in pace and level: ``python -m pipeline.calibrate --spread``.

Measured on whole turns, on which no gain was fitted, before any variation is drawn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyloudnorm

from pipeline.samples import RATE
from pipeline.sound.levels import amplitude, decibels, p56
from pipeline.speech.backend import Backend
from pipeline.speech.voices import Voice
from pipeline.text import words_of

SPOKEN = 1
"""How many of the turns are spoken, some ten seconds each; the pace is that of all."""


@dataclass(frozen=True)
class Measured:
    """Pace and level of a voice at its calibrated speed and gain; `native`: without (the level: without the gain)."""

    voice: Voice
    native_wpm: float
    wpm: float
    """Words a minute, pauses included."""
    native_p56_db: float
    p56_db: float
    """Active-speech level by ITU-T P.56 [dBFS]."""
    loudness: float
    """Integrated loudness [LUFS]."""
    peak_db: float
    """[dBFS]"""


def measure(voice: Voice, backend: Backend, texts: Sequence[str]) -> Measured:
    """Measure one voice on `texts`, whole turns of some words each."""
    speed, gain = voice.calibration.speed, voice.calibration.gain_db
    clocked = [backend.clock(text, voice, speed) for text in texts]
    spans = [(backend.render(turn), turn.speech) for turn in clocked[:SPOKEN]]
    speech = np.concatenate([sound[span.start : span.end] for sound, span in spans]).astype(np.float64)
    level = p56(speech).level_db
    return Measured(
        voice=voice,
        native_wpm=voice.calibration.pace_wpm,
        wpm=_pace([(text, turn.speech.length) for text, turn in zip(texts, clocked, strict=True)]),
        native_p56_db=level,
        p56_db=level + gain,
        loudness=float(pyloudnorm.Meter(RATE).integrated_loudness(speech * amplitude(gain))),
        peak_db=decibels(float(np.abs(speech).max()) ** 2) + gain,
    )


def _pace(said: Sequence[tuple[str, int]]) -> float:
    """Words a minute of texts that take so many samples each."""
    return sum(len(words_of(text)) for text, _ in said) / (sum(length for _, length in said) / RATE / 60)


HEADER = (
    "voice kokoro        words/min: native  calibrated   P.56 dBFS: native  calibrated   LUFS calibrated   peak dBFS"
)


def row(found: Measured) -> str:
    """One line of the table."""
    return (
        f"{found.voice.id:5} {found.voice.kokoro:12} {found.native_wpm:19.0f} {found.wpm:11.0f} "
        f"{found.native_p56_db:19.1f} {found.p56_db:11.1f} {found.loudness:17.1f} {found.peak_db:11.1f}"
    )


def summary(all_found: Sequence[Measured]) -> Iterator[str]:
    """The ranges over all voices, native and calibrated, as lines."""
    for name, unit, values in (
        ("pace, native", "words/min", [m.native_wpm for m in all_found]),
        ("pace, calibrated", "words/min", [m.wpm for m in all_found]),
        ("level, native", "dBFS (P.56)", [m.native_p56_db for m in all_found]),
        ("level, calibrated", "dBFS (P.56)", [m.p56_db for m in all_found]),
        ("loudness, calibrated", "LUFS", [m.loudness for m in all_found]),
        ("peak, calibrated", "dBFS", [m.peak_db for m in all_found]),
    ):
        low, high, spread = min(values), max(values), float(np.std(values))
        yield f"{name}: {low:.1f} to {high:.1f} {unit}, standard deviation {spread:.2f}, {len(values)} voices"
