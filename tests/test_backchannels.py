"""Backchannels: an inventory that a voice says well, hums of the voice's own nasal, and no two "yeah"s alike."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk_support import a_spec, paper_timing, sound

from pipeline.backchannels import PERCENTILES, PUBLISHED_S, drawn, heard
from pipeline.clock import speaking_clock
from pipeline.errors import ConfigError
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.speech.backend import Contour
from pipeline.speech.bounds import measure_bounds, window_power
from pipeline.speech.cache import ArrayCache
from pipeline.speech.g2p import TokenPhonemes, pronunciations
from pipeline.speech.hum import hum_contour, hum_frames, hum_of, hums
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.nasal import low_share
from pipeline.speech.pieces import in_pieces, phonemes_of
from pipeline.speech.plan import HOP, inner_silences, speech_span
from pipeline.speech.prosody import shaped
from pipeline.speech.variants import LONGEST_S, SHORTEST_S, Variant, clocked_variant, variant
from pipeline.speech.variation import VariationSettings
from pipeline.speech.voices import EnergyRule, pool, voice
from pipeline.text import words_of
from pipeline.writers.vocalising import Lexicon, load_lexicon

VARIATION = VariationSettings(pace_speaker=0)


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> KokoroOnnx:
    return KokoroOnnx(cache=ArrayCache(tmp_path_factory.mktemp("speech")))


def yeah(backend, act_id, variation=VARIATION):
    """One "yeah" of the first speaker of a conversation, as stage 2 times it."""
    spec = a_spec(2)
    act = sound(act_id, "s1", "t1", "the early train").model_copy(update={"text": "Yeah."})
    speaker = spec.speakers[0].model_copy(update={"voice": "v07"})
    return speaking_clock(spec, backend, paper_timing(), variation=variation)(act, speaker)


def heights(f0):
    """F0 of the voiced values [semitones from 100 Hz]."""
    return 12 * np.log2(f0[f0 > 60] / 100)


def pitch(samples):
    """F0 [Hz] and strength of the periodicity, by the highest peak of the autocorrelation from 60 to 400 Hz."""
    whole = np.correlate(samples, samples, "full")[samples.size - 1 :]
    lags = np.arange(RATE // 400, RATE // 60)
    ratio = whole[lags] / whole[0] * samples.size / (samples.size - lags)
    # The first of about equal peaks: twice the period repeats as well.
    best = lags[np.flatnonzero(ratio > 0.9 * ratio.max())]
    run = best[: int(np.argmax(np.diff(best, append=best[-1] + 2) > 1)) + 1]
    peak = run[int(np.argmax(whole[run]))]
    return RATE / peak, float(ratio.max())


# The inventory ---------------------------------------------------------------------------------------


def test_the_inventory_has_hums_interjections_words_and_assessments():
    items = [one.say for one in load_lexicon().sounds]
    assert len(set(items)) == len(items) >= 30
    assert {"Mm-hmm.", "Uh-huh.", "Hm.", "Oh.", "Yeah.", "Right.", "Nice.", "Oh, wow."} <= set(items)
    assert all(len(words_of(item)) <= 3 for item in items)
    assert {one.mood for one in load_lexicon().sounds} == set(load_lexicon().types["casual"])


def test_lengths_are_drawn_by_the_weights_of_the_lexicon():
    lexicon = load_lexicon()
    items = tuple(one.model_copy(update={"weight": 1e-6 if one.say != "Okay." else 1.0}) for one in lexicon.sounds)
    table = {one.say: [0.9, 1.1] if one.say == "Okay." else [0.1] for one in lexicon.sounds}
    found = drawn(Lexicon(sounds=items, types=lexicon.types, cues=lexicon.cues), table)
    assert set(found) <= {0.9, 1.1, 0.1}
    assert np.mean(np.array(found) > 0.5) > 0.99
    assert len(PERCENTILES) == len(PUBLISHED_S)


# Hums ------------------------------------------------------------------------------------------------


def test_every_hum_that_is_pronounced_is_written_down_with_a_part_for_each_phoneme():
    closed = {phonemes for phonemes in pronunciations().values() if set(phonemes) <= set("mh")}
    assert closed == set(hums())
    assert all(len(parts) == len(phonemes) for phonemes, parts in hums().items())
    assert hum_of("mhm.") == hum_of("mhm")
    assert hum_of("hʌm.") is None


@pytest.mark.parametrize("name", list(pool()))
def test_a_hum_is_speech_from_its_first_frame_to_its_last_by_every_voices_rule(name):
    rule = voice(name).calibration.rule
    for phonemes in hums():
        frames = hum_frames(phonemes, 1.0)
        energy = hum_contour(phonemes, frames, 200.0, rule).energy
        span = speech_span(energy, rule)
        shift = to_samples(rule.onset_shift_ms / 1000), to_samples(rule.offset_shift_ms / 1000)
        assert (span.start - shift[0], span.end - shift[1]) == (frames[0] * 600, (sum(frames) - frames[-1]) * 600)
        assert inner_silences(energy, rule, span) == []
        assert SHORTEST_S * RATE <= span.length <= LONGEST_S * RATE


def test_mm_hmm_goes_up_and_hm_comes_down():
    rule = EnergyRule()
    up, down = (hum_contour(p, hum_frames(p, 1.0), 200.0, rule).f0 for p in ("mhm", "hm"))
    first, second = np.split(heights(up), [int(np.argmax(np.diff(np.flatnonzero(up > 60)) > 1)) + 1])
    assert second.mean() - first.mean() > 3
    assert second[-1] - second[0] > 3
    assert np.all(np.diff(heights(down)) < 0)
    assert heights(down)[0] - heights(down)[-1] > 6


def test_a_hum_takes_its_recorded_durations_and_the_speakers_pace():
    slow, usual = hum_frames("mhm.", 1.5), hum_frames("mhm.", 1.0)
    assert sum(slow) - 16 == pytest.approx(1.5 * (sum(usual) - 16), abs=1.5)
    assert hum_contour("mhm.", slow, 200.0, EnergyRule()).frames == slow


def test_a_hum_is_a_piece_of_its_own_with_the_marks_after_it():
    tokens = [
        TokenPhonemes(text, phonemes, space)
        for text, phonemes, space in (
            ("Mm", "m", ""),
            (",", ",", " "),
            ("I", "I", " "),
            ("see", "si", ""),
            (",", ",", " "),
            ("mm-hmm", "mhm", ""),
            (".", ".", ""),
        )
    ]
    assert [phonemes_of(run) for run in in_pieces(tokens)] == ["m,", "I si,", "mhm."]
    assert [token for run in in_pieces(tokens) for token in run] == tokens


@pytest.mark.speech
@pytest.mark.parametrize("name", ["af_heart", "bm_daniel"])
def test_mm_hmm_is_two_bouts_of_nasal_murmur_with_breath_between(backend, name):
    clocked = backend.clock("Mm-hmm.", voice(name))
    made = backend.render(clocked)
    bounds = measure_bounds(made)
    assert abs(bounds.start - clocked.speech.start) < to_samples(0.015)
    assert abs(bounds.end - clocked.speech.end) < to_samples(0.015)
    contour = clocked.pieces[0].contour
    level = 10 * np.log10(window_power(made, HOP, 2 * HOP)[: contour.f0.size] + 1e-12)
    loud = level > level.max() - 12
    assert np.count_nonzero(np.diff(loud.astype(int)) == 1) == 2, "two bouts, by energy"
    for bout in np.split(np.flatnonzero(loud), np.flatnonzero(np.diff(np.flatnonzero(loud)) > 1) + 1):
        assert low_share(made[bout[0] * HOP : (bout[-1] + 1) * HOP]) > 0.85, "hardly anything above the nasal resonance"
    tracked = np.flatnonzero(loud)[2:-2:2]
    found = [pitch(made[(at - 5) * HOP : (at + 6) * HOP]) for at in tracked]
    assert np.mean([strength > 0.7 for _, strength in found]) > 0.8, "voiced"
    error = 12 * np.log2([f0 for f0, _ in found] / np.maximum(contour.f0[tracked], 1))
    assert np.median(np.abs(error)) < 0.5, "at the F0 that was planned"


@pytest.mark.speech
def test_a_hum_sounds_the_same_in_every_process_and_is_replayed_from_its_record(backend, tmp_path):
    mine, other = (b.clock("Hm.", voice("af_heart")) for b in (backend, KokoroOnnx(cache=ArrayCache(tmp_path))))
    assert np.array_equal(backend.render(mine), KokoroOnnx().render(other))
    assert mine.pieces[0].contour.frames == other.pieces[0].contour.frames


# Variants --------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.sampled_from(list(pool())), st.floats(0.5, 2), st.floats(0.5, 2))
def test_shaping_energy_moves_no_planned_time(seed, name, force, swell):
    rng = np.random.default_rng(seed)
    rule = voice(name).calibration.rule
    energy = np.interp(np.arange(80), np.arange(0, 80, 4), rng.uniform(-9.5, 9, 20)).astype(np.float32)
    energy[40] = 9.0
    contour = Contour((40,), np.full(80, 150, np.float32), energy)
    louder = shaped(contour, {"force": force, "swell": swell}, rule.highest).energy
    span = speech_span(energy, rule)
    assert speech_span(louder, rule) == span
    assert inner_silences(louder, rule, span) == inner_silences(energy, rule, span)


def test_span_scales_the_movement_of_f0_around_its_median():
    f0 = np.array([0, 100, 120, 150, 180, 200, 0], np.float32)
    contour = Contour((1,), f0, np.full(7, 5, np.float32))
    flat, lively = (shaped(contour, {"span": k}).f0 for k in (0.5, 1.5))
    assert np.ptp(heights(flat)) == pytest.approx(0.5 * np.ptp(heights(f0)), rel=0.01)
    assert np.ptp(heights(lively)) == pytest.approx(1.5 * np.ptp(heights(f0)), rel=0.01)
    assert flat[3] == lively[3] == 150
    assert flat[0] == 0


def test_variants_belong_to_their_generator_and_stay_possible():
    assert variant(generator(1, "a")) == variant(generator(1, "a")) != variant(generator(1, "b"))
    assert variant(generator(1, "a"), variety=0.0) == Variant(1.0, {})
    contour = Contour((1,), np.full(2, 100, np.float32), np.ones(2, np.float32))
    for number in range(300):
        shaped(contour, variant(generator(number, "v"), variety=1.5).edits)  # ConfigError where one is out of range


def test_a_variety_that_could_ask_for_the_impossible_is_refused():
    with pytest.raises(ValueError, match="backchannels"):
        VariationSettings(backchannels=3)
    with pytest.raises(ConfigError, match="swell"):
        shaped(Contour((1,), np.ones(2, np.float32), np.ones(2, np.float32)), {"swell": 2.5})


@pytest.mark.speech
def test_two_yeahs_of_one_voice_differ_in_samples_and_in_f0(backend):
    one, other = (yeah(backend, act_id) for act_id in ("b1", "b2"))
    assert one.prosody != other.prosody
    assert {"pitch", "span", "final", "force", "swell"} <= set(one.prosody), "what was done is recorded"
    assert one == yeah(backend, "b1"), "and belongs to the act"
    replayed = [backend.replay(utterance, voice("v07")) for utterance in (one, other)]
    curves = [shaped(c.pieces[0].contour, c.edits).f0 for c in replayed]
    middles = [np.interp(np.linspace(0, 1, 50), np.linspace(0, 1, h.size), h) for h in map(heights, curves)]
    assert np.sqrt(np.mean((middles[0] - middles[1]) ** 2)) > 0.5, "semitones apart"
    sounds = [backend.render(c) for c in replayed]
    assert sounds[0].size != sounds[1].size or not np.allclose(*sounds, atol=0.05)
    for utterance, made in zip((one, other), sounds, strict=True):
        bounds = measure_bounds(made)
        assert abs(bounds.start - utterance.speech.start) < to_samples(0.04)
        assert abs(bounds.end - utterance.speech.end) < to_samples(0.04)


@pytest.mark.speech
def test_without_variety_the_same_word_is_the_same_sound(backend):
    plain = partial(yeah, backend, variation=VARIATION.model_copy(update={"backchannels": 0.0}))
    one, other = plain("b1"), plain("b2")
    assert (one.prosody, one.speed, one.token_frames) == (other.prosody, other.speed, other.token_frames)


@pytest.mark.speech
@pytest.mark.parametrize(("text", "stretch"), [("Oh, I see.", 1.6), ("Oh, I see.", 2.5), ("Mm.", 0.4)])
def test_a_backchannel_is_said_at_such_a_pace_that_it_lasts_as_long_as_one(backend, text, stretch):
    slow = voice("bm_fable")
    asked = slow.calibration.speed / stretch
    own = backend.clock(text, slow, asked).speech.length / RATE
    assert not SHORTEST_S <= own <= LONGEST_S, "or there is nothing to mend"
    clocked = clocked_variant(backend, text, slow, generator(1, text), asked, 0.0)
    assert SHORTEST_S <= clocked.speech.length / RATE <= LONGEST_S


@pytest.mark.slow
@pytest.mark.speech
def test_variants_of_words_are_still_heard_as_these_words(backend, tmp_path: Path):
    pytest.importorskip("faster_whisper")
    lexicon = load_lexicon()
    words = ("Yeah.", "Right.", "Okay.", "Really?", "I see.", "Oh, wow.", "Exactly.", "Good point.", "Got it.")
    few = lexicon.model_copy(update={"sounds": tuple(one for one in lexicon.sounds if one.say in words)})
    found = heard(backend, few, [voice(name) for name in ("v07", "v10", "v09", "v17")])
    assert all(found["Yeah."][:2]), "both"
    assert np.mean([right for row in found.values() for right in row]) > 0.75
