"""All that is measured of one voice."""

import numpy as np

from pipeline.calibrate.level import level
from pipeline.calibrate.pace import natural_speed, pace_of
from pipeline.calibrate.rule import TOLERANCE_MS, errors, fit_rule, lost_share
from pipeline.calibrate.samples import CHECK, FIT, TURNS, Values, sample, sentences
from pipeline.models import load
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import Calibration, Voice


def calibrate(voice: Voice, backend: KokoroOnnx) -> Calibration:
    """Measure one voice, whatever was measured of it before."""
    voice = voice.model_copy(update={"calibration": Calibration()})
    texts = sentences()
    pace = pace_of(voice, backend, texts[TURNS], 1.0)
    speed = natural_speed(pace, lambda speed: pace_of(voice, backend, texts[TURNS], speed))
    fit = [sample(voice, backend, text, speed) for text in texts[FIT]]
    check = [sample(voice, backend, text, speed) for text in texts[CHECK]]
    rule = fit_rule(fit)
    onset, offset = errors(check, rule)
    gain, peak = level([*fit, *check])
    return Calibration(
        gain_db=round(gain, 2),
        peak_dbfs=round(peak, 2),
        pace_wpm=round(pace, 1),
        speed=speed,
        rule=rule,
        onset_error_ms=_percentiles(onset),
        offset_error_ms=_percentiles(offset),
        within_40_ms=round(float(np.mean(np.maximum(np.abs(onset), np.abs(offset)) <= TOLERANCE_MS)), 3),
        lost=round(lost_share(check, rule), 3),
        voice_sha256=next(f.sha256 for f in load()["kokoro-voices"].files if f.name == f"{voice.kokoro}.bin"),
    )


def _percentiles(values: Values) -> tuple[float, float, float]:
    low, middle, high = np.percentile(values, [10, 50, 90]).round(1)
    return float(low), float(middle), float(high)
