"""The calibrated voices are alike in pace and level; `python -m pipeline.calibrate --spread` measures all of them."""

import numpy as np
import pytest

from pipeline.calibrate.__main__ import main
from pipeline.calibrate.pace import PACE, pace_of
from pipeline.calibrate.samples import sentences
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import pool, voice
from pipeline.spread import measure, summary

EXTREMES = ("af_nicole", "am_eric", "af_nova", "bf_isabella")
"""The slowest and the fastest voice, and those with the highest and the lowest gain."""


def test_they_are_the_extremes_of_the_pool():
    pace, gain = ({v.kokoro: getattr(v.calibration, name) for v in pool().values()} for name in ("pace_wpm", "gain_db"))
    assert (min(pace, key=pace.get), max(pace, key=pace.get)) == EXTREMES[:2]
    assert (max(gain, key=gain.get), min(gain, key=gain.get)) == EXTREMES[2:]


@pytest.mark.speech
def test_the_loudest_and_the_softest_come_to_one_level():
    backend = KokoroOnnx(cache=ArrayCache())
    found = [
        measure(voice(name), backend, ["When I was a kid, my grandmother kept a jar of buttons."])
        for name in EXTREMES[2:]
    ]
    native, calibrated = ([getattr(m, name) for m in found] for name in ("native_p56_db", "p56_db"))
    assert np.ptp(native) > 6
    assert np.ptp(calibrated) < 3
    assert all(m.peak_db < -3 for m in found)
    assert all(m.p56_db == pytest.approx(m.native_p56_db + m.voice.calibration.gain_db) for m in found)
    lines = list(summary(found))
    assert lines[3].startswith(f"level, calibrated: {min(calibrated):.1f} to {max(calibrated):.1f} dBFS (P.56)")


@pytest.mark.speech
def test_the_slowest_and_the_fastest_speak_at_a_natural_pace():
    backend = KokoroOnnx(cache=ArrayCache())
    for name in EXTREMES[:2]:
        calibration = voice(name).calibration
        assert not PACE[0] <= calibration.pace_wpm <= PACE[1]
        assert PACE[0] <= pace_of(voice(name), backend, sentences()["turns"][:2], calibration.speed) <= PACE[1]


def test_an_unknown_voice_is_one_line(capsys):
    assert main(["--spread", "v99"]) == 2
    assert capsys.readouterr().err.startswith("error: voice 'v99' is not in the pool: known are v01")
