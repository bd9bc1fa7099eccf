"""Stems come back from disk as they were settled."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.stems import HEADROOM, read_stems, settle_samples, write_stems


@given(seed=st.integers(0, 10**6), channels=st.integers(1, 5), n=st.integers(1, 3000), scale=st.floats(0, 3.9))
@settings(max_examples=30, deadline=None)
def test_what_is_read_equals_what_was_written(tmp_path_factory, seed, channels, n, scale):
    path = tmp_path_factory.mktemp("stems") / "stems.flac"
    made = (np.random.default_rng(seed).uniform(-1, 1, (channels, n)) * scale).astype(np.float32)
    stems = settle_samples(made)
    write_stems(path, stems)
    assert np.array_equal(read_stems(path), stems)
    assert np.abs(stems - made).max() <= HEADROOM / 2**23


@pytest.mark.parametrize("sample", [HEADROOM, -1.01 * HEADROOM, np.nan, np.inf])
def test_nothing_is_clipped_what_is_beyond_the_headroom_is_refused(sample):
    with pytest.raises(InputError, match=r"headroom of 4.0: lower them"):
        settle_samples(np.array([[0.1, sample]], np.float32))


def test_a_file_that_holds_no_stems_is_refused(tmp_path):
    path = tmp_path / "stems.flac"
    path.write_text("no sound")
    with pytest.raises(InputError, match="remove it and run again"):
        read_stems(path)
