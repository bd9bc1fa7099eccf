"""Linear prediction is that of the library whose weight no worker is to carry."""

import subprocess
import sys

import librosa
import numpy as np
import pytest
from command_support import ROOT
from scipy.signal import lfilter

from pipeline.speech.prediction import burg


@pytest.mark.parametrize("seed", range(20))
def test_it_is_equal_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(int(rng.integers(500, 4000)))
    sound = np.asarray(lfilter([rng.uniform(0.001, 1.0)], [1.0, -1.6, 0.8], noise), np.float32).astype(np.float64)
    assert np.array_equal(burg(sound, 24), librosa.lpc(sound, order=24))


def test_a_known_filter_is_found() -> None:
    sound = lfilter([1.0], [1.0, -1.6, 0.8], np.random.default_rng(0).standard_normal(200_000))
    assert burg(sound, 2) == pytest.approx([1.0, -1.6, 0.8], abs=0.01)


def test_a_worker_loads_no_compiler() -> None:
    code = "import sys, pipeline.run, pipeline.bench.making, pipeline.speech.laughter; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not {"numba", "librosa", "torch", "matplotlib"} & set(loaded.split())
