"""Laughter in the speaker's own voice: exact lengths, the calls of the literature, nobody's letters read aloud."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.laughs import call_rate, heard_laughs, level_slope, main
from pipeline.samples import RATE, to_samples
from pipeline.speech.bouts import DEEPEST_DB, plan_bouts
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.laughter import laugh
from pipeline.speech.voices import pool, voice

VOICES = ("v07", "v10")
"""A woman's and a man's."""


@given(st.integers(to_samples(0.4), to_samples(6.0)), st.integers(0, 99))
def test_bouts_fill_a_laugh_to_the_sample(length, seed):
    bouts = plan_bouts(length, 4, np.random.default_rng(seed))
    at = 0
    for bout in bouts:
        for call in bout.calls:
            assert call.start == at
            assert 0 <= call.onset <= call.onset + call.voiced <= call.length
            assert 0 <= call.vowel < 4
            at += call.length
        at += bout.inhalation
    assert at == length
    assert length < to_samples(0.9) or all(bout.inhalation for bout in bouts)
    assert max(call.level_db for bout in bouts for call in bout.calls) <= 0.0


def test_calls_have_the_measures_of_the_literature():
    laughs = [plan_bouts(to_samples(1.6), 4, np.random.default_rng(seed))[0].calls for seed in range(200)]
    calls = [call for laugh in laughs for call in laugh]
    voiced = [call for call in calls if call.voiced]
    assert 4.4 < 1.0 / np.mean([call.length / RATE for call in calls]) < 5.2, "calls a second"
    assert 0.075 < np.mean([call.voiced / RATE for call in voiced]) < 0.13
    assert all(0.05 < call.voiced / RATE < 0.15 for call in voiced)
    assert 0.03 < 1 - len(voiced) / len(calls) < 0.2, "some calls are unvoiced"
    assert all(1.0 < call.lift < 2.3 for call in voiced), "above the F0 of speech"
    assert min(call.level_db for call in calls) > -DEEPEST_DB - 6.0, "the last call is still heard"
    assert np.mean([slope(laugh, "level_db") < -0.5 for laugh in laughs]) > 0.95, "the level falls"
    assert np.mean([slope([c for c in laugh if c.voiced], "lift") < 0.0 for laugh in laughs]) > 0.95, "F0 falls"
    loudest = [int(np.argmax([call.level_db for call in laugh])) for laugh in laughs]
    assert np.mean(np.array(loudest) == 0) > 0.5, "the first call is most often the loudest"


def slope(calls, name):
    return np.polyfit(np.arange(len(calls)), [getattr(call, name) for call in calls], 1)[0]


def test_no_two_calls_of_a_bout_are_alike():
    (bout,) = plan_bouts(to_samples(1.6), 4, np.random.default_rng(1))
    assert len({(call.length, call.voiced, round(call.lift, 3)) for call in bout.calls}) == len(bout.calls)


@pytest.fixture(scope="module")
def backend():
    return KokoroOnnx(cache=ArrayCache())


def sounded(backend, name, seconds, seed=0):
    return laugh(backend, voice(name), to_samples(seconds), np.random.default_rng(seed))


@pytest.mark.speech
@pytest.mark.parametrize("name", VOICES)
@pytest.mark.parametrize("seconds", [0.4, 0.61803, 1.8, 6.0])
def test_a_laugh_of_any_length_is_exact_and_sounds_from_end_to_end(backend, name, seconds):
    sound = sounded(backend, name, seconds)
    assert sound.dtype == np.float32
    assert sound.shape == (to_samples(seconds),)
    assert np.isfinite(sound).all()
    loudest = np.abs(sound).max()
    edge = to_samples(0.04)
    assert np.abs(sound[:edge]).max() > loudest * 10 ** (-35 / 20)
    assert np.abs(sound[-edge:]).max() > loudest * 10 ** (-35 / 20)
    silent = np.abs(sound) < loudest * 1e-4
    runs = np.diff(np.flatnonzero(np.concatenate([[True], ~silent, [True]])))
    assert runs.max() < to_samples(0.02), "breath is heard between the calls"


@pytest.mark.speech
@pytest.mark.parametrize("name", [*VOICES, "v05"])  # the last one's calls would peak above its speech
def test_a_laugh_neither_clips_nor_clicks(backend, name):
    calibration = voice(name).calibration
    for seed in range(4):
        levelled = sounded(backend, name, 1.5, seed) * 10 ** (calibration.gain_db / 20)
        assert np.abs(levelled).max() <= 10 ** (calibration.peak_dbfs / 20) * 1.0001
        assert abs(levelled[0]) < 1e-3
        assert abs(levelled[-1]) < 1e-3


@pytest.mark.speech
def test_the_same_seed_gives_the_same_laugh_and_another_seed_another(backend):
    assert np.array_equal(sounded(backend, "v07", 1.2, 3), sounded(backend, "v07", 1.2, 3))
    assert not np.array_equal(sounded(backend, "v07", 1.2, 3), sounded(backend, "v07", 1.2, 4))
    assert not np.array_equal(sounded(backend, "v07", 1.2, 3), sounded(backend, "v10", 1.2, 3))


@pytest.mark.speech
@pytest.mark.parametrize("name", VOICES)
def test_calls_are_measured_on_the_sound_at_their_rate_and_falling(backend, name):
    sounds = [sounded(backend, name, 1.6, seed) for seed in range(4)]
    assert 4.0 < np.median([call_rate(sound) for sound in sounds]) < 6.0
    assert all(level_slope(sound) < -2.0 for sound in sounds)


@pytest.mark.speech
def test_a_laugh_too_short_to_be_one_is_refused(backend):
    with pytest.raises(InputError, match=r"laughter of 0.100 s is too short: ask for 0.12 s or more"):
        sounded(backend, "v07", 0.1)


def test_bad_arguments_are_told_in_one_line(capsys):
    assert main(["--seeds", "0"]) == 2
    assert capsys.readouterr().err == "error: --seeds 0: ask for 1 or more\n"
    assert main(["--voices", "v99"]) == 2
    assert "voice 'v99' is not in the pool" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.speech
def test_a_tagger_hears_laughter_more_than_speech(backend):
    found = {v.id: list(heard_laughs(backend, v, 1.5, 8)) for v in pool().values()}
    every = [one for laughs in found.values() for one in laughs]
    # Measured: 156 of 192 laughs, 23 of 24 voices by their means.
    assert sum(one.laughs for one in every) >= 0.7 * len(every)
    assert np.mean([one.speech for one in every]) < 0.1
    by_voice = [np.mean([one.laughter - one.speech for one in laughs]) > 0 for laughs in found.values()]
    assert sum(by_voice) >= len(by_voice) - 3
