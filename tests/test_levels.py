"""Levels: what the noise is set against does not move with silence, order or the number of speakers."""

import math

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st
from musan_support import REAL
from pyvoicebox import v_activlev

from pipeline.errors import InputError
from pipeline.sound.levels import (
    active_rms,
    active_speech,
    amplitude,
    convolve,
    decibels,
    fast_length,
    mean_square,
    merged,
    p56,
)
from pipeline.sound.musan.recordings import read

RATE = 8000


def speech_like(seconds, rate=RATE, seed=0):
    """Noise in bursts of changing strength, with pauses: what a level meter has to cope with."""
    rng = np.random.default_rng(seed)
    n = int(seconds * rate)
    t = np.arange(n) / rate
    syllables = np.abs(np.sin(2 * np.pi * 2.1 * t)) ** 2 * (np.sin(2 * np.pi * 0.31 * t) > -0.4)
    return 0.1 * rng.standard_normal(n) * syllables


intervals = st.lists(
    st.tuples(st.integers(-50, 400), st.integers(0, 150)).map(lambda p: (p[0], p[0] + p[1])), max_size=8
)


@given(intervals)
def test_merged_intervals_hold_the_same_samples_each_once(spans):
    wanted = {i for a, b in spans for i in range(max(0, a), min(300, b))}
    got = [i for a, b in merged(spans, 300) for i in range(a, b)]
    assert got == sorted(wanted)


@given(intervals.filter(lambda spans: any(b > max(0, a) and a < 300 for a, b in spans)), st.integers(0, 9))
def test_pooled_level_is_active_energy_over_active_samples(spans, seed):
    stems = np.random.default_rng(seed).standard_normal((2, 300)).astype(np.float32)
    active = sorted({i for a, b in spans for i in range(max(0, a), min(300, b))})
    pooled, channels = active_speech(stems, [spans, [(0, 300)]])
    energy = (stems[0, active].astype(float) ** 2).sum() + (stems[1].astype(float) ** 2).sum()
    assert pooled.samples == len(active) + 300
    assert pooled.energy == pytest.approx(energy, rel=1e-9)
    assert pooled.energy == pytest.approx(sum(c.energy for c in channels))


@given(st.integers(0, 99), st.floats(-60, 20), st.integers(0, 5000))
@settings(max_examples=30)
def test_pooled_level_follows_gain_and_ignores_silence_and_order(seed, gain_db, silence):
    rng = np.random.default_rng(seed)
    stems = (0.1 * rng.standard_normal((3, 2000))).astype(np.float32)
    activity = [[(0, 500)], [(700, 1900)], [(100, 300), (1000, 1500)]]
    level = active_speech(stems, activity)[0].db
    quiet = np.pad(stems.astype(float), ((0, 1), (0, silence)))[::-1]
    assert active_speech(quiet, [[], *activity[::-1]])[0].db == pytest.approx(level, abs=1e-6)
    assert active_speech(stems.astype(float) * amplitude(gain_db), activity)[0].db == pytest.approx(level + gain_db)


def test_no_speech_or_no_number_is_an_error_that_says_so():
    with pytest.raises(InputError, match="no active speech"):
        active_speech(np.zeros((2, 100), np.float32), [[(0, 50)], []])
    with pytest.raises(InputError, match="no active speech"):
        active_speech(np.ones((1, 100), np.float32), [[]])
    with pytest.raises(InputError, match="no numbers"):
        active_speech(np.full((1, 100), np.nan, np.float32), [[(0, 50)]])
    with pytest.raises(InputError, match="activity of 1"):
        active_speech(np.ones((2, 100), np.float32), [[(0, 50)]])


def test_active_rms_reads_a_sparse_event_by_its_loud_frames():
    rng = np.random.default_rng(1)
    event = np.zeros(RATE * 2)
    event[RATE // 2 : RATE // 2 + 800] = 0.3 * rng.standard_normal(800)
    assert active_rms(event, RATE) == pytest.approx(np.sqrt(np.mean(event[4000:4800] ** 2)), rel=1e-9)
    assert 20 * math.log10(active_rms(event, RATE) / np.sqrt(np.mean(event**2))) > 9.0


def test_active_rms_of_the_very_short_and_of_nothing():
    assert active_rms(np.full(10, 0.5), RATE) == pytest.approx(0.5)
    assert active_rms(np.zeros(5000), RATE) == 0.0
    assert active_rms(np.zeros(0), RATE) == 0.0
    assert mean_square(np.zeros(0)) == 0.0
    assert decibels(0.0) == -math.inf


def p56_by_the_book(x, rate):
    """ITU-T P.56 method B sample by sample, thresholds a factor 2 apart, as the standard's own program."""
    g, hangover = math.exp(-1 / (0.03 * rate)), int(0.2 * rate + 0.5)
    thresholds = [2.0**-j for j in range(15, 0, -1)]
    active, held = [0] * 15, [hangover] * 15
    p = q = 0.0
    for value in x:
        p = g * p + (1 - g) * abs(value)
        q = g * q + (1 - g) * p
        for j, c in enumerate(thresholds):
            if q >= c:
                active[j], held[j] = active[j] + 1, 0
            elif held[j] < hangover:
                active[j], held[j] = active[j] + 1, held[j] + 1
    energy = float(np.sum(np.square(x)))
    last = None
    for count, c in zip(active, thresholds, strict=True):
        if not count:
            break
        level, threshold = 10 * math.log10(energy / count), 20 * math.log10(c)
        if level - threshold <= 15.9:
            (upper, margin), now = last, level - threshold - 15.9
            return upper + (level - upper) * margin / (margin - now)
        last = level, level - threshold - 15.9
    raise AssertionError("no threshold fits")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_p56_agrees_with_the_standard_to_a_tenth_of_a_decibel(seed):
    x = np.concatenate([speech_like(5, seed=seed), np.zeros(RATE)])
    assert p56(x, RATE).level_db == pytest.approx(p56_by_the_book(x, RATE), abs=0.1)


def of_a_reader():
    """Read speech as it is, padded, in scraps with long silences, at other rates, very quiet, over hum and hiss."""
    x, rate = read(REAL / "speech/librivox/speech-librivox-0001.wav")
    rng = np.random.default_rng(2)
    scraps = [np.concatenate([x[i * rate : (i + 1) * rate], np.zeros(3 * rate)]) for i in range(6)]
    words = [np.concatenate([x[i : i + rate // 4], np.zeros(int(rng.integers(rate)))]) for i in range(0, len(x), rate)]
    return {
        "plain": (x, rate),
        "padded": (np.concatenate([np.zeros(5 * rate), x, np.zeros(15 * rate)]), rate),
        "scraps": (np.concatenate(scraps), rate),
        "words": (np.concatenate(words), rate),
        "8 kHz": (soxr.resample(x, rate, 8000), 8000),
        "24 kHz": (soxr.resample(x, rate, 24_000), 24_000),
        "quiet": (0.003 * x, rate),
        "noisy": (x + 0.01 * rng.standard_normal(len(x)), rate),
    }


@pytest.mark.parametrize("name", of_a_reader())
def test_p56_agrees_with_voicebox_to_a_tenth_of_a_decibel(name):
    x, rate = of_a_reader()[name]
    level, activity = v_activlev(x, rate, "d")
    assert p56(x, rate).level_db == pytest.approx(float(level), abs=0.1)
    assert p56(x, rate).activity == pytest.approx(float(activity), rel=0.03)


def test_p56_ignores_silence_that_whole_file_rms_does_not():
    x = speech_like(10)
    padded = np.concatenate([np.zeros(RATE * 5), x, np.zeros(RATE * 20)])
    before, after = p56(x, RATE), p56(padded, RATE)
    assert after.level_db == pytest.approx(before.level_db, abs=0.05)
    assert after.activity == pytest.approx(before.activity * len(x) / len(padded), rel=0.02)
    assert decibels(mean_square(padded)) < decibels(mean_square(x)) - 5


@given(st.floats(-40, 0))
@settings(max_examples=10, deadline=None)
def test_p56_follows_gain(gain_db):
    x = speech_like(3)
    assert p56(x * amplitude(gain_db), RATE).level_db == pytest.approx(p56(x, RATE).level_db + gain_db, abs=1e-6)


def test_p56_of_silence():
    assert p56(np.zeros(1000), RATE).level_db == -math.inf


@given(st.integers(1, 400), st.integers(1, 60), st.integers(0, 9))
def test_convolution_is_the_plain_one(n, m, seed):
    rng = np.random.default_rng(seed)
    x, h = rng.standard_normal(n), rng.standard_normal(m)
    np.testing.assert_allclose(convolve(x, h), np.convolve(x, h), atol=1e-10)


@given(st.integers(1, 10**7))
def test_fast_lengths_are_enough_and_not_far_off(n):
    assert n <= fast_length(n) <= max(8, 1.34 * n)
