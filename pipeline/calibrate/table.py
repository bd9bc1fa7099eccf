"""The calibrations as a file and as a table."""

from pathlib import Path

import yaml

from pipeline.calibrate.level import LOUDNESS
from pipeline.speech.voices import Calibration, Voice

NOTE = """# Made by `python -m pipeline.calibrate`; see pipeline/calibrate for what each figure means.
# Errors are measured minus planned, 10th, 50th and 90th percentile, on sentences that no rule was fitted on.
"""
HEADER = (
    "voice kokoro       gain dB  peak dBFS  words/min  speed  onset error ms       offset error ms      "
    "within 40 ms   lost"
)


def row(voice: Voice, calibration: Calibration) -> str:
    """One line of the table."""
    onset, offset = (
        " ".join(f"{value:6.1f}" for value in error)
        for error in (calibration.onset_error_ms, calibration.offset_error_ms)
    )
    return (
        f"{voice.id:5} {voice.kokoro:12} {calibration.gain_db:7.2f} {calibration.peak_dbfs:10.2f} "
        f"{calibration.pace_wpm:10.1f} {calibration.speed:6.2f}  {onset} {offset} "
        f"{calibration.within_40_ms:12.3f} {calibration.lost:6.3f}"
    )


def write(path: Path, voice: Voice, calibration: Calibration, engine: str) -> None:
    """Put the calibration of one voice into the file at `path`, and leave the others."""
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    voices = (known or {}).get("voices", {}) | {voice.kokoro: calibration.model_dump(mode="json")}
    text = yaml.safe_dump(
        {"engine": engine, "loudness_lufs": LOUDNESS, "voices": dict(sorted(voices.items()))},
        sort_keys=False,
        width=120,
    )
    temporary = path.with_suffix(".tmp")
    temporary.write_text(NOTE + text, encoding="utf-8")
    temporary.replace(path)
