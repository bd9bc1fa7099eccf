"""Bounds of speech are found to a few milliseconds, whatever the level and the silence around."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.records.span import Span
from pipeline.speech.bounds import measure_bounds, measure_silences

RATE = 24_000


def sounding(*spans: tuple[int, int], n: int = 2 * RATE, level: float = 0.1) -> np.ndarray:
    """Noise at `level` in `spans`, and 60 dB less everywhere."""
    noise = np.random.default_rng(1).standard_normal(n).astype(np.float32)
    gate = np.full(n, level / 1000, np.float32)
    for start, end in spans:
        gate[start:end] = level
    return noise * gate


@given(st.integers(2000, 20_000), st.integers(3000, 24_000), st.floats(0.001, 1.0))
def test_bounds_lie_within_ten_milliseconds(start: int, length: int, level: float) -> None:
    found = measure_bounds(sounding((start, start + length), level=level))
    assert abs(found.start - start) <= 240
    assert abs(found.end - start - length) <= 240


def test_a_click_is_not_speech() -> None:
    samples = sounding((10_000, 20_000))
    samples[40_000] = 0.05
    assert measure_bounds(samples).end < 20_500


def test_silence_has_empty_bounds() -> None:
    assert measure_bounds(np.zeros(5000, np.float32)) == Span(start=0, end=0)
    assert measure_bounds(np.zeros(0, np.float32)) == Span(start=0, end=0)
    assert measure_silences(np.zeros(5000, np.float32)) == []


def test_silences_from_80_ms_on_are_found() -> None:
    found = measure_silences(sounding((4000, 10_000), (13_600, 20_000), (21_200, 30_000)))
    (silence,) = found
    assert silence.start == pytest.approx(10_000, abs=240)
    assert silence.end == pytest.approx(13_600, abs=240)
