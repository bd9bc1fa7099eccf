"""Stage 4: the SNR that was drawn is the SNR that is there, and the log gives the noisy channels back."""

import functools
import itertools
import json
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from musan_support import build

from pipeline.augment import augment, open_bank, remix
from pipeline.distant_speech import OtherVoices
from pipeline.errors import ConfigError, InputError
from pipeline.output.flac import flac_bytes
from pipeline.records import ConversationSpec
from pipeline.records.nuisance import Clip, NuisanceLog, Tap, Taps
from pipeline.seeds import generator
from pipeline.sound.bank import Sound
from pipeline.sound.beds import Scenes
from pipeline.sound.catalogue import shipped
from pipeline.sound.distant import busy_offset, distance, exactly
from pipeline.sound.effects import effect_labels
from pipeline.sound.embedded import EmbeddedBank
from pipeline.sound.levels import active_rms, amplitude, decibels, mean_square
from pipeline.sound.settings import NoiseSettings
from pipeline.sound.synthesis import rng_of
from pipeline.speech.opening import open_backend
from pipeline.speech.settings import TtsSettings
from pipeline.stems import read_stems

RATE = 24_000
ROOT = Path(__file__).resolve().parents[1]


class Murmur:
    """A speech source: noise in syllables."""

    def snippet(self, rng, seconds):
        n = int(seconds * RATE)
        return rng.standard_normal(n) * np.abs(np.sin(np.arange(n) / 2000.0)), "murmur"


def conversation(seconds=12.0, speakers=3, seed=0, level=0.05):
    """Stems [speakers, n] and the intervals in which each speaks."""
    rng = np.random.default_rng(seed)
    n = int(seconds * RATE)
    stems, activity = np.zeros((speakers, n), np.float32), []
    for stem in stems:
        starts = rng.integers(0, max(1, n - RATE // 2), 3)
        activity.append([(int(a), min(n, int(a) + int(rng.integers(RATE // 4, RATE)))) for a in starts])
        for a, b in activity[-1]:
            stem[a:b] = level * rng.standard_normal(b - a)
    return stems, activity


def rng_for(*names):
    return functools.partial(generator, 1, *names)


def changed(**changes):
    """Settings where effects and distant speech are certain, unless changed."""
    shipped_settings = NoiseSettings.shipped()
    effects = shipped_settings.effects.model_copy(update={"slots": (2,), **changes.pop("effects", {})})
    distant = shipped_settings.distant.model_copy(update={"probability": 1.0, **changes.pop("distant", {})})
    return shipped_settings.model_copy(update={"effects": effects, "distant": distant, **changes})


SCENES = tuple(shipped("scenes.yaml", Scenes).scenes)


def test_two_hundred_mixes_have_the_snr_that_was_drawn():
    bank = EmbeddedBank(Murmur())
    bed_alone = changed(effects={"slots": (0,)}, distant={"probability": 0.0})
    for k in range(200):
        stems, activity = conversation(1.0 + k % 3 * 0.5, 2 + k % 4, seed=k, level=10 ** (-k / 100))
        how = bed_alone if k % 10 else changed()
        made = augment(stems, activity, SCENES[k // 10 % 10], how, bank, rng_for(f"c{k}"))
        bed, *others = made.nuisance
        alone = remix(np.zeros_like(stems), [bed], bank)
        energy = sum((stems[i, m].astype(float) ** 2).sum() for i, m in enumerate(masks(stems, activity)))
        count = sum(m.sum() for m in masks(stems, activity))
        for channel in alone:
            snr = decibels(energy / count) - decibels(mean_square(channel))
            assert 20.0 <= made.levels.snr_drawn_db <= 38.0
            assert snr == pytest.approx(made.levels.snr_drawn_db, abs=0.1)
            assert snr == pytest.approx(made.levels.snr_db, abs=0.001)
        rest = made.noisy.astype(float) - stems - remix(np.zeros_like(stems), others, bank)
        np.testing.assert_allclose(rest, alone, atol=1e-6)


def masks(stems, activity):
    for spans in activity:
        mask = np.zeros(stems.shape[1], bool)
        for a, b in spans:
            mask[a:b] = True
        yield mask


@given(st.integers(0, 10**6), st.sampled_from(SCENES), st.integers(1, 5), st.floats(0.3, 6.0), st.floats(1e-3, 1.0))
@settings(max_examples=25, deadline=None)
def test_stems_and_log_give_the_noisy_channels_to_the_last_bit(seed, scene, speakers, seconds, level):
    stems, activity = conversation(seconds, speakers, seed, level)
    made = augment(stems, activity, scene, changed(), EmbeddedBank(Murmur()), rng_for(f"c{seed}"))
    read = NuisanceLog.from_json(made.log.to_json())
    assert read == made.log
    again = remix(stems, read.nuisance, EmbeddedBank(Murmur()), read.taps)
    assert again.tobytes() == made.noisy.tobytes()
    assert np.isfinite(made.noisy).all()


def test_stems_and_log_of_a_corpus_give_its_noisy_files_again(tiny):
    backend = open_backend(TtsSettings.model_validate(yaml.safe_load((tiny / "corpus.yaml").read_text())["tts"]))
    kinds = set()
    for folder in sorted((tiny / "conversations").iterdir()):
        meta = json.loads((folder / "meta.json").read_text())
        log = NuisanceLog.read(tiny / "work" / folder.name / "nuisance.json")
        assert log == NuisanceLog.model_validate(meta["nuisance"])
        kinds |= {record.kind for record in log.nuisance}
        stems = read_stems(tiny / "work" / folder.name / "stems.flac")
        spec = ConversationSpec.model_validate(meta["spec"])
        noisy = remix(stems, log.nuisance, EmbeddedBank(OtherVoices(backend, spec)), log.taps)
        gain = np.float32(amplitude(meta["levels"]["gain_db"]))
        for speaker, channel in zip(spec.speakers, noisy, strict=True):
            assert flac_bytes(channel * gain, RATE, 16) == (folder / "noisy" / f"{speaker.id}.flac").read_bytes()
    assert kinds == {"bed", "effect", "distant"}


@pytest.mark.parametrize("seed", range(3))
def test_the_same_holds_with_recordings(tmp_path, seed, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    stems, activity = conversation(15.0, 3, seed)
    bank = open_bank(changed(kind="musan", musan=build(tmp_path)))
    made = augment(stems, activity, "dorm", changed(), bank, rng_for(f"m{seed}"))
    assert {record.clip.bank for record in made.nuisance} == {"musan"}
    assert made.levels.snr_db == pytest.approx(made.levels.snr_drawn_db, abs=0.1)
    read = NuisanceLog.from_json(made.log.to_json())
    assert (
        remix(stems, read.nuisance, open_bank(changed(kind="musan", musan=tmp_path))).tobytes() == made.noisy.tobytes()
    )


@pytest.mark.parametrize("seed", range(8))
def test_effects_and_distant_voices_stand_at_their_levels(seed):
    stems, activity = conversation(20.0, 2, seed)
    bank = EmbeddedBank(Murmur())
    made = augment(stems, activity, "cafe", changed(bed=False), bank, rng_for(f"e{seed}"))
    speech = made.levels.active_speech_db
    assert made.levels.snr_db is None
    effects = [record for record in made.nuisance if record.kind == "effect"]
    distant = [record for record in made.nuisance if record.kind == "distant"]
    assert len(effects) == 2
    assert len({record.clip.label for record in effects}) == 2
    assert 2 <= len(distant) <= 4
    for record in made.nuisance:
        alone = remix(np.zeros_like(stems), [record], bank)
        np.testing.assert_array_equal(alone[0], alone[1])
        sounding = alone[0, record.onset : record.onset + record.length]
        level = decibels(active_rms(sounding) ** 2)
        assert level == pytest.approx(record.level_db, abs=0.01)
        below = 12 if record.kind == "effect" else 26
        assert record.wanted_db == pytest.approx(speech - below)
        assert not np.any(alone[0, : record.onset])
        assert not np.any(alone[0, record.onset + record.length :])
        assert record.onset + record.length <= stems.shape[1]
        assert record.length == record.clip.length
        assert abs(sounding[0]) < 0.01 * np.abs(sounding).max()
        if record.capped:
            assert decibels(np.abs(sounding).max() ** 2) == pytest.approx(speech + 9, abs=0.01)
            assert level < record.wanted_db
        else:
            assert level == pytest.approx(record.wanted_db, abs=0.01)
    assert all(record.length <= 4 * RATE for record in effects)
    assert all(1.5 * RATE <= record.length <= 3 * RATE for record in distant)
    if all(record.clear for record in distant):
        spans = sorted((record.onset, record.onset + record.length) for record in distant)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def test_a_speaker_who_says_nothing_is_logged_as_such():
    stems, activity = conversation(4.0, 2)
    stems[1], activity[1] = 0.0, []
    made = augment(stems, activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for("q"))
    assert made.levels.channel_active_db == (pytest.approx(made.levels.active_speech_db), None)
    assert NuisanceLog.from_json(made.log.to_json()) == made.log


def test_a_peak_cap_that_bites_is_logged():
    stems, activity = conversation()
    made = augment(stems, activity, "dorm", changed(effects={"peak_db": -6.0}), EmbeddedBank(Murmur()), rng_for("p"))
    effects = [record for record in made.nuisance if record.kind == "effect"]
    assert all(record.capped and record.level_db < record.wanted_db - 1.0 for record in effects)


def test_how_often_each_nuisance_is_drawn():
    stems, activity = conversation(4.0, 2)
    bank, plain = EmbeddedBank(Murmur()), NoiseSettings.shipped(bed=False)
    made = [augment(stems, activity, "dorm", plain, bank, rng_for(f"f{k}")).nuisance for k in range(200)]
    counts = np.bincount([sum(r.kind == "effect" for r in records) for records in made], minlength=3) / len(made)
    np.testing.assert_allclose(counts, [0.25, 0.5, 0.25], atol=0.08)
    assert np.mean([any(r.kind == "distant" for r in records) for records in made]) == pytest.approx(0.2, abs=0.07)


def test_nothing_is_put_where_it_is_to_be_avoided():
    stems, activity = conversation(30.0, 2)
    avoid = [(5 * RATE, 12 * RATE), (20 * RATE, 22 * RATE)]
    for k in range(10):
        made = augment(stems, activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for(f"a{k}"), avoid=avoid)
        for record in made.nuisance[1:]:
            clear = all(record.onset + record.length <= a or b <= record.onset for a, b in avoid)
            assert clear == record.clear or not record.clear
            assert clear or not record.clear
    crowded = augment(stems, activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for("z"), avoid=[(0, 30 * RATE)])
    assert not any(record.clear for record in crowded.nuisance[1:])


def test_one_draw_does_not_depend_on_another():
    stems, activity = conversation()
    few = augment(stems, activity, "dorm", changed(effects={"slots": (0,)}), EmbeddedBank(Murmur()), rng_for("d"))
    many = augment(stems, activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for("d"))
    assert few.nuisance[0] == many.nuisance[0]
    assert [r for r in few.nuisance if r.kind == "distant"] == [r for r in many.nuisance if r.kind == "distant"]


def test_without_noise_the_noisy_channels_are_the_clean_ones():
    stems, activity = conversation()
    none = changed(bed=False, effects={"slots": (0,)}, distant={"probability": 0.0})
    assert none.silent
    made = augment(stems, activity, "dorm", none, EmbeddedBank(), rng_for("n"))
    np.testing.assert_array_equal(made.noisy, stems)
    assert made.nuisance == ()
    assert made.levels.bed_db is None


def test_taps_carry_voices_and_noise_to_channels():
    stems, activity = conversation(5.0, 2)
    taps = Taps(
        speech=((Tap(), Tap(gain=0.1, delay=24), Tap(gain=0.0)), (Tap(gain=0.0), Tap(), Tap(gain=0.5))),
        noise=(Tap(), Tap(gain=0.5), Tap(gain=0.0)),
    )
    bank = EmbeddedBank(Murmur())
    made = augment(stems, activity, "dorm", changed(), bank, rng_for("t"), taps=taps)
    noise = remix(np.zeros_like(stems), made.nuisance, bank, taps)
    np.testing.assert_array_equal(noise[1], np.float32(0.5) * noise[0])
    assert not np.any(noise[2])
    crosstalk = np.zeros_like(stems[0])
    crosstalk[24:] = np.float32(0.1) * stems[0, :-24]
    np.testing.assert_allclose(made.noisy[1] - noise[1], stems[1] + crosstalk, atol=1e-6)
    np.testing.assert_array_equal(made.noisy[2], np.float32(0.5) * stems[1])
    assert remix(stems, made.nuisance, bank, made.taps).tobytes() == made.noisy.tobytes()
    with pytest.raises(InputError, match="taps for 2 stems, and there are 3"):
        augment(np.ones((3, 100), np.float32), [[(0, 9)]] * 3, "dorm", changed(), bank, rng_for("t"), taps=taps)


class Broken(EmbeddedBank):
    """A bank whose beds are what `value` says."""

    def __init__(self, value):
        super().__init__(Murmur())
        self.value = value

    def bed(self, scene, n, rng):
        clip = Clip(bank="embedded", kind="bed", id="broken", label=scene, licence="none", seed=1, length=n)
        return Sound(np.full(n, self.value), clip)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_bed_without_energy_is_an_error_never_a_nan(value):
    stems, activity = conversation(2.0)
    with pytest.raises(InputError, match="bed 'broken' has no energy"):
        augment(stems, activity, "dorm", changed(), Broken(value), rng_for("b"))


def test_what_cannot_be_done_is_said():
    stems, activity = conversation(2.0)
    with pytest.raises(InputError, match="no active speech"):
        augment(np.zeros_like(stems), activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for("x"))
    with pytest.raises(InputError, match="no scene 'moon'"):
        augment(stems, activity, "moon", changed(), EmbeddedBank(Murmur()), rng_for("x"))
    with pytest.raises(ConfigError, match="distant speech needs voices"):
        open_bank(changed())
    with pytest.raises(ConfigError, match="distant speech needs voices"):
        EmbeddedBank().distant(2.0, rng_of(0))
    made = augment(stems, activity, "dorm", changed(), EmbeddedBank(Murmur()), rng_for("x"))
    recorded = made.nuisance[0].model_copy(update={"clip": made.nuisance[0].clip.model_copy(update={"seed": None})})
    with pytest.raises(ConfigError, match="remix with the bank it is from"):
        remix(stems, [recorded], EmbeddedBank())


def test_a_scene_of_the_settings_goes_before_the_planned_one():
    stems, activity = conversation(2.0)
    made = augment(stems, activity, "dorm", changed(scene="cafe"), EmbeddedBank(Murmur()), rng_for("s"))
    assert made.scene == made.nuisance[0].clip.label == "cafe"
    typical = changed(scene="studio room tone", snr_by_scene=True)
    for k in range(10):
        levels = augment(stems, activity, "dorm", typical, EmbeddedBank(Murmur()), rng_for(f"s{k}")).levels
        assert 34.0 <= levels.snr_drawn_db <= 38.0


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"snr_db": [30, 20]}, "needs its lower end first"),
        ({"snr_db": ["a", 20]}, "snr_db.0"),
        ({"scenes": {"dorm": -1}}, "weights of scenes"),
        ({"colour": "pink"}, "colour"),
    ],
)
def test_settings_that_cannot_be_used_are_named(changes, fault):
    with pytest.raises(ConfigError, match=fault) as error:
        NoiseSettings.shipped(**changes)
    assert "\n" not in str(error.value)


def test_names_that_the_bank_does_not_have_are_refused_before_anything_is_made():
    with pytest.raises(InputError, match="no scene 'moon'"):
        NoiseSettings.shipped(scene="moon")
    assert NoiseSettings.shipped(kind="musan", musan="/m", scene="moon").scene == "moon"


def test_configuration_holds_the_figures_of_table_19():
    plain = NoiseSettings.shipped()
    assert plain.snr_db == (20, 38)
    assert plain.effects.slots == (0, 1, 1, 2)
    assert plain.effects.below_db == 12
    assert plain.effects.max_s == 4.0
    assert plain.distant.model_dump() == {
        "probability": 0.2,
        "snippets": (2, 4),
        "seconds": (1.5, 3.0),
        "below_db": 26,
        "fade_s": 0.3,
    }
    assert sum(plain.scenes.values()) == 240
    assert set(plain.scenes) == set(SCENES)
    assert set(plain.effects.labels) == set(effect_labels())


def test_the_groups_of_the_configuration_compose_to_settings():
    from hydra import compose, initialize_config_dir

    with initialize_config_dir(str(ROOT / "conf"), version_base=None):
        for group in ("embedded", "none", "musan"):
            node = compose(overrides=[f"+noise={group}", *(["noise.musan=/somewhere"] if group == "musan" else [])])
            from omegaconf import OmegaConf

            made = NoiseSettings.model_validate(OmegaConf.to_container(node, resolve=True)["noise"])
            assert made.silent == (group == "none")
            assert made.kind == ("musan" if group == "musan" else "embedded")
    assert "noise" not in yaml.safe_load((ROOT / "conf/noise/embedded.yaml").read_text())


def test_distance_takes_the_treble_and_adds_a_room():
    clicks = np.zeros(2 * RATE)
    clicks[RATE // 2] = 1.0
    far = distance().apply(clicks, rng_of(3), RATE)
    assert len(far) == len(clicks)
    spectrum = np.abs(np.fft.rfft(far)) ** 2
    hz = np.fft.rfftfreq(len(far), 1 / RATE)
    assert spectrum[(hz > 300) & (hz < 1500)].mean() > 30 * spectrum[hz > 6000].mean()
    after = far[RATE // 2 + RATE // 10 :]
    assert np.sqrt(np.mean(after[:2400] ** 2)) > 3 * np.sqrt(np.mean(after[-2400:] ** 2))


@given(st.integers(1, 200), st.integers(1, 200))
def test_a_snippet_is_brought_to_its_length(m, n):
    out = exactly(np.ones(m), n)
    assert len(out) == n
    assert out.sum() == min(m, n)


def test_a_busy_place_is_found_or_none():
    samples = np.zeros(10 * RATE)
    samples[6 * RATE : 8 * RATE] = np.random.default_rng(0).standard_normal(2 * RATE)
    for seed in range(10):
        offset = busy_offset(samples, int(1.5 * RATE), rng_of(seed))
        assert 5.3 * RATE < offset < 7.2 * RATE
    assert busy_offset(np.zeros(10 * RATE), RATE, rng_of(0)) is None
    assert busy_offset(samples[:RATE], 2 * RATE, rng_of(0)) is None


def test_a_conversation_is_augmented_at_150_times_real_time_or_more():
    stems, activity = conversation(100.0, 4)
    bank = EmbeddedBank(Murmur())
    spent = []
    for scene in ("living room TV", "quiet apartment", "outdoor park"):
        start = time.process_time()
        augment(stems, activity, scene, changed(), bank, rng_for(scene))
        spent.append(time.process_time() - start)
    assert min(spent) < 100.0 / 150.0
