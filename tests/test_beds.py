"""Beds and effects made by recipe: their spectra, their seams, and that they are the same every time."""

import hashlib

import numpy as np
import pytest
import soxr
import webrtcvad
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from musan_support import REAL

from pipeline.errors import InputError
from pipeline.resources import resource
from pipeline.seeds import generator
from pipeline.sound import embedded
from pipeline.sound.beds import Hum, Scenes, scene_named
from pipeline.sound.catalogue import read_catalogue, shipped
from pipeline.sound.clips import Clips, terms_of
from pipeline.sound.effects import Effects, effect_labels, effect_named
from pipeline.sound.embedded import OWN_ATTRIBUTION, EmbeddedBank
from pipeline.sound.levels import active_rms, amplitude, decibels, mean_square
from pipeline.sound.musan.recordings import read
from pipeline.sound.preview import main
from pipeline.sound.synthesis import (
    BLOCK,
    OVERLAP,
    noise,
    octave_powers,
    octave_spectrum,
    rng_of,
    spectrum_amplitude,
)
from pipeline.sound.vad import speech_probabilities, speech_share

RATE = 24_000
PAPER_SCENES = {
    "outdoor park",
    "living room TV",
    "school hallway",
    "office HVAC",
    "studio room tone",
    "cafe",
    "office hum",
    "dorm",
    "quiet office",
    "quiet apartment",
}
PAPER_EFFECTS = {
    "keyboard clatter",
    "notification chime",
    "dishes",
    "off-mic laughter",
    "phone ring",
    "door knock",
    "chairs",
    "school bell",
    "alarm beep",
    "paper shuffle",
}
SCENES = tuple(shipped("scenes.yaml", Scenes).scenes)


def quantised(samples):
    """A sum over the sound as 16-bit integers, at a level of 0.05."""
    scaled = np.rint(samples / np.sqrt(mean_square(samples)) * 0.05 * 32767).astype("<i2")
    return hashlib.sha256(scaled.tobytes()).hexdigest()[:16]


def test_the_catalogues_hold_the_scenes_and_labels_of_the_paper():
    assert set(SCENES) == PAPER_SCENES
    assert set(effect_labels()) == PAPER_EFFECTS


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("seed", range(3))
def test_octave_spectrum_within_3_db_of_the_reference(scene, seed):
    recipe = scene_named(scene)
    got = octave_spectrum(recipe.render(12 * RATE, rng_of(seed), RATE), RATE)
    assert np.abs(got - np.array(recipe.spectrum.db)).max() < 3.0


def test_a_park_full_of_birds_keeps_its_spectrum():
    recipe = scene_named("outdoor park")
    birds = recipe.layers[0].model_copy(update={"songs_hz": 6.0, "level_db": (0.0, 0.0)})
    got = octave_spectrum(recipe.model_copy(update={"layers": (birds,)}).render(12 * RATE, rng_of(1), RATE), RATE)
    assert got[6] == pytest.approx(recipe.spectrum.db[6], abs=1.0)


def test_octave_powers_are_those_of_a_tone_and_of_noise_whatever_the_ends():
    t = np.arange(10 * RATE) / RATE
    loud = 100.0 * np.sin(2 * np.pi * 70.3 * t) + 1e-3 * np.sin(2 * np.pi * 8000.3 * t)
    powers = octave_powers(loud, RATE)
    assert powers[0] == pytest.approx(5000.0, rel=0.01)
    assert powers[7] == pytest.approx(5e-7, rel=0.05)


@pytest.mark.parametrize("scene", SCENES)
def test_a_bed_has_no_click(scene):
    steps = np.diff(scene_named(scene).render(20 * RATE, rng_of(4), RATE))
    around = np.sqrt(np.convolve(steps**2, np.full(2400, 1 / 2400), mode="same"))
    # The largest of half a million Gaussian steps stands 5 deviations off.
    assert (np.abs(steps) / around).max() < 6.5


def webrtc_share(samples, rate, level_db, aggressiveness=3):
    """Part of the frames of 30 ms in which the WebRTC detector hears speech, the RMS brought to `level_db`."""
    near = soxr.resample(samples, rate, 16_000)
    pcm = np.rint(near / np.sqrt(mean_square(near)) * amplitude(level_db) * 32767).clip(-32768, 32767).astype("<i2")
    detector = webrtcvad.Vad(aggressiveness)
    frames = [pcm[i : i + 480].tobytes() for i in range(0, len(pcm) - 479, 480)]
    return np.mean([detector.is_speech(frame, 16_000) for frame in frames])


LOUDEST_DB = -26.0 - 20.0
"""RMS of a bed at the lowest SNR of Table 19, with speech at the level that corpora are written at."""


@pytest.mark.parametrize("scene", SCENES)
def test_two_detectors_hear_no_speech_in_a_bed(scene):
    bed = scene_named(scene).render(10 * RATE, rng_of(3), RATE)
    assert speech_probabilities(bed, RATE).max() < 0.5
    assert webrtc_share(bed, RATE, LOUDEST_DB) < 0.05


def test_both_detectors_hear_a_reader_at_that_level():
    spoken, rate = read(REAL / "speech/librivox/speech-librivox-0001.wav")
    assert speech_share(spoken, rate) > 0.5
    assert webrtc_share(spoken, rate, LOUDEST_DB) > 0.3


@pytest.mark.parametrize("scene", SCENES)
def test_a_bed_is_sound_without_offset_or_hole(scene):
    bed = scene_named(scene).render(20 * RATE, rng_of(3), RATE)
    rms = np.sqrt(mean_square(bed))
    assert np.isfinite(bed).all()
    assert abs(bed.mean()) < 0.01 * rms
    half_seconds = np.sqrt(np.mean(bed.reshape(-1, RATE // 2) ** 2, axis=1))
    assert half_seconds.min() > 0.05 * rms


@given(st.sampled_from(SCENES), st.integers(1, 70_000), st.integers(0, 2**53 - 1))
@settings(max_examples=25, deadline=None)
def test_any_length_from_any_seed_and_the_same_again(scene, n, seed):
    recipe = scene_named(scene)
    bed = recipe.render(n, rng_of(seed), RATE)
    assert bed.shape == (n,)
    assert np.isfinite(bed).all()
    np.testing.assert_array_equal(bed, recipe.render(n, rng_of(seed), RATE))


def test_blocks_of_noise_join_without_a_seam():
    amplitudes = spectrum_amplitude(np.ones(8), BLOCK, RATE)
    steps = np.diff(noise(amplitudes, 400 * BLOCK, rng_of(1))).reshape(-1)
    hop = BLOCK - OVERLAP
    power = np.array([np.mean(steps[k::hop] ** 2) for k in range(0, hop, 97)])
    joins = np.mean(steps[hop - 1 :: hop] ** 2)
    assert joins == pytest.approx(power.mean(), rel=0.35)
    inside = np.mean(steps.reshape(-1)[: len(steps) // hop * hop].reshape(-1, hop) ** 2, axis=0)
    crossed, plain = inside[-OVERLAP:].mean(), inside[:-OVERLAP].mean()
    assert crossed == pytest.approx(plain, rel=0.03)


def test_longer_noise_begins_as_shorter_noise_does():
    amplitudes = spectrum_amplitude(np.ones(8), BLOCK, RATE)
    np.testing.assert_array_equal(noise(amplitudes, 50_000, rng_of(1)), noise(amplitudes, 90_000, rng_of(1))[:50_000])


def test_noise_has_the_band_powers_asked_for():
    bands = np.array([4.0, 1.0, 0.5, 2.0, 1.0, 0.25, 0.1, 0.02])
    made = noise(spectrum_amplitude(bands, BLOCK, RATE), 60 * RATE, rng_of(2))
    np.testing.assert_allclose(octave_spectrum(made, RATE), 10 * np.log10(bands), atol=0.3)
    assert mean_square(made) == pytest.approx(bands.sum(), rel=0.15)


def test_hum_is_its_harmonics():
    hum = Hum(kind="hum", hz=(60, 60), harmonics_db=(-3.0, 0.0, -6.0), drift_hz=0.0, swell_db=0.0)
    made = hum.render(2 * RATE, 60.0, RATE, rng_of(1))
    t = np.arange(1, 2 * RATE + 1) / RATE
    wanted = sum(np.sqrt(2) * 10 ** (db / 20) * np.cos(2 * np.pi * 60 * k * t) for k, db in ((1, -3), (2, 0), (3, -6)))
    np.testing.assert_allclose(made, wanted, atol=1e-6)
    assert hum.powers(60.0, RATE).sum() == pytest.approx(mean_square(made), rel=1e-3)


def test_an_unknown_name_is_answered_with_those_there_are():
    with pytest.raises(InputError, match=r"no scene 'moon'.*outdoor park"):
        scene_named("moon")
    with pytest.raises(InputError, match=r"no effect 'gong'.*door knock"):
        effect_named("gong")


def test_a_broken_catalogue_is_named_with_its_fault(tmp_path):
    path = tmp_path / "scenes.yaml"
    path.write_text("schema_version: 1\nscenes: {x: {spectrum: {source: s, db: [1, 2]}, snr_db: [1, 2], tilt_db: 0}}")
    with pytest.raises(InputError, match=r"scenes\.yaml: not a valid Scenes: scenes\.x\.spectrum\.db"):
        read_catalogue(path, Scenes)


@pytest.mark.parametrize("label", effect_labels())
def test_effects_are_short_clean_and_the_same_again(label):
    for seed in range(12):
        made = effect_named(label).render(rng_of(seed), 4.0, RATE)
        assert 0.2 * RATE < len(made) <= 4 * RATE
        assert np.isfinite(made).all()
        assert np.abs(made).max() == pytest.approx(1.0)
        assert np.abs(made[-24:]).max() < 1e-3
        assert abs(made.mean()) < 0.01 * active_rms(made, RATE)
        np.testing.assert_array_equal(made, effect_named(label).render(rng_of(seed), 4.0, RATE))


def strokes(samples):
    """Centroid [Hz] above 150 Hz and crest factor [dB] of a bout of typing."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    hz = np.fft.rfftfreq(len(samples), 1 / RATE)
    power[hz < 150] = 0.0
    return (power * hz).sum() / power.sum(), decibels(np.abs(samples).max() ** 2 / mean_square(samples))


def test_typing_by_recipe_is_as_bright_and_as_spiky_as_recorded_typing():
    effect = effect_named("keyboard clatter")
    made = {type(recipe).__name__: [] for recipe in effect.sound}
    for seed in range(24):
        name = type(effect.drawn_recipe(rng_of(seed))).__name__
        made[name].append(strokes(effect.render(rng_of(seed), 4.0, RATE)))
    (bright, spiky), (recorded_bright, recorded_spiky) = (np.mean(v, axis=0) for v in made.values())
    assert bright == pytest.approx(recorded_bright, rel=0.25)
    assert spiky == pytest.approx(recorded_spiky, abs=3.0)


def test_recordings_come_with_their_terms_and_can_be_recalled():
    bank, seen = EmbeddedBank(), {}
    for seed in range(12):
        sound = bank.effect("keyboard clatter", 4.0, rng_of(seed))
        seen[sound.clip.id] = sound.clip
        np.testing.assert_array_equal(EmbeddedBank().recall(sound.clip), sound.samples)
    assert set(seen) == {"keyboard clatter", "keyboard-typing", "keyboard-typing2"}
    assert seen["keyboard-typing"].licence == "CC BY 4.0"
    assert "freesound.org" in seen["keyboard-typing"].url
    assert seen["keyboard clatter"].attribution == OWN_ATTRIBUTION


def test_each_recording_has_its_terms_and_a_notice():
    clips, notice = shipped("clips.yaml", Clips).clips, resource("noise", "clips", "NOTICE").read_text()
    assert {path.stem for path in resource("noise", "clips").glob("*.flac")} == set(clips)
    assert all(f"{name}.flac" in notice and terms.url in notice for name, terms in clips.items())
    with pytest.raises(InputError, match=r"no recording 'gong'.*keyboard-typing"):
        terms_of("gong")


def test_the_identity_of_the_bank_goes_with_its_catalogues(monkeypatch):
    before = EmbeddedBank().identity()
    louder = shipped("effects.yaml", Effects).model_copy(update={"effects": {}})
    monkeypatch.setattr(embedded, "shipped", lambda name, kind: louder if kind is Effects else shipped(name, kind))
    embedded._catalogue_sum.cache_clear()
    assert EmbeddedBank().identity() != before
    monkeypatch.undo()
    embedded._catalogue_sum.cache_clear()
    assert EmbeddedBank().identity() == before


@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_other_rates_have_the_same_spectrum(rate):
    recipe = scene_named("quiet office")
    got = octave_spectrum(recipe.render(20 * rate, rng_of(1), rate), rate)
    assert np.abs(got - np.array(recipe.spectrum.db))[: 7 if rate == 16_000 else 8].max() < 3.0
    assert len(effect_named("door knock").render(rng_of(1), 4.0, rate)) <= 4 * rate


GOLDEN = {
    "alarm beep": "47e42b396c1a0b38",
    "cafe": "101750ececfd37f8",
    "chairs": "adb91d0aeaa57925",
    "dishes": "21e626a6e21234a5",
    "door knock": "670a61b2777f8fa5",
    "dorm": "2f2793fdeaac7a3b",
    "keyboard clatter": "f8e84af1c049a88a",
    "living room TV": "c7b03110ab8a98ad",
    "notification chime": "c3e16e14187c9c3f",
    "off-mic laughter": "ed862aad3bc3e85a",
    "office HVAC": "bd5035eb2100e93f",
    "office hum": "0f4f27deaa544359",
    "outdoor park": "d45445b622a04bb9",
    "paper shuffle": "9d7d313f35b807ea",
    "phone ring": "29f1034ab54a3365",
    "quiet apartment": "d89d42665926d3d9",
    "quiet office": "b5c9b88099448f76",
    "school bell": "d43dd892f339b0e1",
    "school hallway": "438af702eab2df65",
    "studio room tone": "35db57a7662fc794",
}


@pytest.mark.parametrize("name", sorted(PAPER_SCENES | PAPER_EFFECTS))
def test_golden_sums(name):
    bank = EmbeddedBank()
    rng = generator(7, "golden", name)
    sound = bank.bed(name, 2 * RATE, rng) if name in PAPER_SCENES else bank.effect(name, 4.0, rng)
    assert quantised(sound.samples) == GOLDEN[name]


def test_preview_writes_a_clip_of_each(tmp_path, capsys):
    assert main([str(tmp_path / "out"), "--seconds", "1"]) == 0
    assert len(list((tmp_path / "out").glob("*.flac"))) == 20
    assert plt.imread(tmp_path / "out" / "spectrograms.png").std() > 0.1
    page = (tmp_path / "out" / "index.html").read_text()
    assert all(f'src="{path.name}"' in page for path in (tmp_path / "out").glob("*.flac"))
    assert "scene_outdoor_park.flac" in capsys.readouterr().out
