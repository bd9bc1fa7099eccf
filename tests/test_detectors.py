"""Detectors decide by what they have heard by then, and by nothing that comes after."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from pipeline.errors import ConfigError, InputError
from pipeline.evaluation.detectors.registry import DETECTORS, detector, known
from pipeline.evaluation.detectors.rms import Rms, levels_dbfs
from pipeline.evaluation.detectors.silero import speech_probabilities
from pipeline.evaluation.detectors.smart_turn import completeness
from pipeline.evaluation.detectors.voicing import speech_onsets, takeovers, turn_ends
from pipeline.evaluation.detectors.webrtc import voiced_frames
from pipeline.evaluation.scorer import TASKS
from pipeline.evaluation.sound import NEAR_RATE, Sound, causally_resampled, read_sound
from pipeline.models import store

RATE = 24_000
FRAME_S = 0.02


def buzz(seconds, rate=RATE, f0=120.0):
    """A vowel-like sound: pulses through two resonances."""
    n = round(seconds * rate)
    source = (np.arange(n) % round(rate / f0) == 0).astype(float)
    for hz, width in ((600, 80), (1400, 120)):
        r = np.exp(-np.pi * width / rate)
        source = lfilter([1 - r], [1, -2 * r * np.cos(2 * np.pi * hz / rate), r * r], source)
    return (0.5 * source / np.abs(source).max()).astype(np.float32)


def talk(*spans, length_s=9.0, seed=1):
    """A channel with a faint bed and vowels in `spans` [s]."""
    samples = np.random.default_rng(seed).normal(0, 10 ** (-70 / 20), round(length_s * RATE)).astype(np.float32)
    for start, end in spans:
        sound = buzz(end - start)
        samples[round(start * RATE) : round(start * RATE) + len(sound)] += sound
    return samples


@pytest.fixture(scope="module")
def sound():
    """A speaks to 3.0 s, B takes over from 2.4 s and yields at 6.0 s; A is heard for 50 ms at 5.0 s."""
    return Sound(RATE, {"A": talk((0.5, 3.0), (5.0, 5.05)), "B": talk((2.4, 6.0), seed=2)})


def decisions(found, until):
    return {
        (task, speaker, at): [t for t in made.at(at) if t <= until]
        for task in TASKS
        for speaker, made in found[task].items()
        for at in made.values().tolist()
    }


@pytest.mark.parametrize("name", ["rms", "webrtc", "silero"])
def test_what_comes_later_changes_no_decision(name, sound):
    whole = detector(name).hear(sound)
    for cut in (2.0, 2.4567, 3.31, 4.0, 6.5):
        assert decisions(detector(name).hear(sound.until(cut)), cut) == decisions(whole, cut)
    assert any(decisions(whole, 9.0).values())


@pytest.mark.skipif(not store.is_there("smart-turn-v3.2"), reason="python -m pipeline.models smart-turn-v3.2")
def test_smart_turn_hears_nothing_after_its_decision(sound):
    near = sound.near["A"]
    later = np.concatenate([near[: round(3.3 * NEAR_RATE)], buzz(2.0, NEAR_RATE)])
    assert completeness(near, 3.3) == completeness(later, 3.3)
    assert 0.0 <= completeness(near, 3.3) <= 1.0
    whole, part = detector("smart_turn").hear(sound), detector("smart_turn").hear(sound.until(3.5))
    for task in TASKS:
        for speaker, made in whole[task].items():
            early = [(t, s) for t, s in zip(made.times, made.scores, strict=True) if t <= 3.5]
            assert early == list(zip(part[task][speaker].times, part[task][speaker].scores, strict=True))


def test_energy_finds_the_end_of_a_turn_after_the_hangover_and_the_takeover_after_its_confirmation(sound):
    found = Rms().hear(sound)
    assert found["eot"]["A"].at(-40.0) == pytest.approx([3.32, 5.36], abs=0.03)
    assert found["eot"]["B"].at(-40.0) == pytest.approx([6.32], abs=0.03)
    assert found["interruption"]["B"].at(-40.0) == pytest.approx([2.5], abs=0.03)
    assert found["interruption"]["A"].at(-40.0) == []  # its 50 ms are too short to be confirmed


def test_a_takeover_needs_another_channel_that_is_voiced():
    alone = Rms().hear(Sound(RATE, {"A": talk((0.5, 2.0)), "B": talk((3.0, 4.0))}))
    assert alone["interruption"]["B"].at(-40.0) == []


def test_levels_are_those_of_a_sine():
    sine = (0.1 * np.sqrt(2) * np.sin(2 * np.pi * 400 * np.arange(RATE) / RATE)).astype(np.float32)
    assert levels_dbfs(sine, RATE) == pytest.approx(np.full(50, -20.0), abs=0.01)


def test_webrtc_and_silero_tell_a_voice_from_the_bed():
    near = causally_resampled(talk((2.0, 4.0)), RATE, NEAR_RATE)
    voiced = voiced_frames(near, 3)
    assert voiced[105:195].mean() > 0.9
    assert voiced[:95].mean() < 0.1
    quiet = speech_probabilities(near)[:60]
    assert len(quiet) == 60
    assert quiet.max() < 0.3


frames = st.lists(st.booleans(), max_size=60).map(np.array)


@given(frames)
@settings(max_examples=300, deadline=None)
def test_turn_ends_are_those_of_a_plain_count(voiced):
    expected, silence, spoken = [], 0, False
    for n, sounds in enumerate(voiced):
        silence = 0 if sounds else silence + 1
        spoken = spoken or bool(sounds)
        if spoken and silence == 15:
            expected.append((n + 1) * FRAME_S)
            spoken = False
    assert turn_ends(np.asarray(voiced, bool), FRAME_S) == pytest.approx(expected)


@given(frames, st.integers(0, 60))
@settings(max_examples=300, deadline=None)
def test_onsets_need_no_later_frame(voiced, cut):
    whole = speech_onsets(np.asarray(voiced, bool), FRAME_S)
    assert speech_onsets(np.asarray(voiced[:cut], bool), FRAME_S) == [n for n in whole if n < cut]


def test_an_onset_lasts_a_tenth_of_a_second_after_three_of_silence():
    runs = [(False, 10), (True, 4), (False, 1), (True, 6), (False, 14), (True, 9), (False, 15), (True, 5)]
    voiced = np.repeat([v for v, _ in runs], [n for _, n in runs])
    assert speech_onsets(voiced, FRAME_S) == [19, 63]
    others = np.zeros(len(voiced), bool)
    others[60] = True
    assert takeovers(voiced, others, FRAME_S) == pytest.approx([64 * FRAME_S])


@pytest.mark.parametrize(("rate", "wanted"), [(24_000, 16_000), (48_000, 16_000), (16_000, 24_000), (44_100, 16_000)])
def test_resampling_keeps_a_tone_and_looks_at_nothing_later(rate, wanted):
    tone = np.sin(2 * np.pi * 1000 * np.arange(rate // 5) / rate).astype(np.float32)
    found = causally_resampled(tone, rate, wanted)
    assert len(found) == len(tone) * wanted // rate
    middle = found[len(found) // 4 : -len(found) // 4]
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(np.sqrt(0.5), rel=0.01)
    part = causally_resampled(tone[:1000], rate, wanted)
    assert np.array_equal(part, found[: len(part)])


def test_resampling_keeps_out_what_the_lower_rate_cannot_hold():
    high = np.sin(2 * np.pi * 10_500 * np.arange(4800) / RATE).astype(np.float32)
    assert np.sqrt(np.mean(causally_resampled(high, RATE, NEAR_RATE)[100:] ** 2)) < 0.01


def test_an_unknown_detector_and_a_missing_channel_are_one_line(tmp_path):
    with pytest.raises(ConfigError, match="detector 'vap': there is rms, webrtc, silero, smart_turn; others"):
        known(["rms", "vap"])
    assert set(DETECTORS) == {"rms", "webrtc", "silero", "smart_turn"}
    with pytest.raises(InputError, match=r"A\.flac: cannot be read as audio"):
        read_sound(tmp_path, {"A": "speaker_1"})
