"""No voice sounds below its speech, so that its turns end where they are heard to end."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from pipeline.samples import RATE
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.rumble import without_rumble
from pipeline.speech.voices import pool

TEXT = "But the twins, who had the twins?"
DRIFTING = ("v13", "v21")
"""The voices that drift most: their ends lay 0.6 s late, by energy."""


def sine(hz: float) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(RATE) / RATE).astype(np.float32)


def level_db(sound: np.ndarray) -> float:
    inner = sound[RATE // 4 : -RATE // 4]
    return float(10 * np.log10(np.mean(inner**2) / 0.5))


@pytest.mark.parametrize(
    ("hz", "low", "high"), [(20, -200, -90), (60, -6.2, -5.8), (75, -0.6, 0.0), (200, -0.01, 0.01)]
)
def test_what_lies_below_a_voice_goes_and_the_voice_stays(hz, low, high):
    assert low <= level_db(without_rumble(sine(hz))) <= high


def test_nothing_moves():
    click = np.zeros(RATE, np.float32)
    click[RATE // 2] = 1.0
    kept = without_rumble(click)
    assert len(kept) == RATE
    assert int(np.argmax(kept)) == RATE // 2
    assert kept[RATE // 2 - 100] == pytest.approx(kept[RATE // 2 + 100], abs=1e-6)


@pytest.mark.parametrize("length", [0, 1, 2, 30])
def test_the_shortest_sounds_are_taken(length):
    assert without_rumble(np.full(length, 0.1, np.float32)).shape == (length,)


def ends_as_heard(name: str) -> float:
    """How much later speech ends by all of its energy than by what is above 80 Hz [s]."""
    backend = KokoroOnnx(cache=ArrayCache())
    sound = backend.render(backend.clock(TEXT, pool()[name]))
    audible = sosfiltfilt(butter(4, 80, "highpass", fs=RATE, output="sos"), sound).astype(np.float32)
    return (measure_bounds(sound).end - measure_bounds(audible).end) / RATE


@pytest.mark.speech
@pytest.mark.parametrize("name", DRIFTING)
def test_a_voice_that_drifts_ends_where_it_is_heard_to_end(name):
    assert abs(ends_as_heard(name)) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(pool()))
def test_every_voice_ends_where_it_is_heard_to_end(name):
    assert abs(ends_as_heard(name)) <= 0.05
