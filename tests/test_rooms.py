"""Rooms and lines: what is asked of them is measured on what comes out, and the labels stay where they are."""

import functools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import soundfile
from command_support import pipeline, sums
from conftest import TINY
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from scipy import signal

from pipeline.augment import augment, remixed
from pipeline.compose import composed, settings_from
from pipeline.errors import ConfigError, InputError
from pipeline.ready import Narrator, simulate_rooms
from pipeline.records.nuisance import NuisanceLog
from pipeline.rooms import simulation
from pipeline.rooms.decay import rt60_of
from pipeline.rooms.places import arranged
from pipeline.rooms.settings import AcousticsSettings, RoomSettings
from pipeline.rooms.simulation import responses
from pipeline.rooms.telephone import coded, telephone, through_line
from pipeline.samples import RATE
from pipeline.seeds import generator
from pipeline.sound.distant import distance
from pipeline.sound.embedded import EmbeddedBank
from pipeline.sound.levels import decibels, energy
from pipeline.sound.settings import NoiseSettings

ACOUSTIC = ("meeting", "far_field", "table_array")
ROOMS = (*ACOUSTIC, "telephone")
CODECS = ("mu-law", "a-law", "gsm", "opus", "none")


@functools.cache
def room(name: str, *more: str) -> RoomSettings:
    """A shipped choice of the group `room`, with overrides."""
    return RoomSettings.model_validate(OmegaConf.to_container(composed([f"room={name}", *more]).room))


@functools.cache
def quiet() -> NoiseSettings:
    return NoiseSettings.model_validate(OmegaConf.to_container(composed(["noise=none"]).noise))


@functools.cache
def talk(speakers: int = 3, seconds: float = 3.0, seed: int = 0):
    """Noise in syllables by turns [speakers, n], and when each of them speaks."""
    n, rng = int(seconds * RATE), np.random.default_rng(seed)
    stems, activity = np.zeros((speakers, n), np.float32), []
    for k, stem in enumerate(stems):
        a, b = k * n // speakers, (k + 1) * n // speakers - RATE // 4
        stem[a:b] = 0.05 * rng.standard_normal(b - a) * np.abs(np.sin(np.arange(b - a) / 2000.0))
        activity.append([(a, b)])
    return stems, activity


def heard(name, stems=None, activity=None, *, seed=1, noise=None, until=None):
    """What stage 4 makes of a talk in a room; `name`: of a shipped one, or its settings."""
    chosen = name if isinstance(name, RoomSettings) else room(name)
    talked = talk() if stems is None else (stems, activity)
    rng_for = functools.partial(generator, seed, "c")
    return augment(*talked, "dorm", noise or quiet(), EmbeddedBank(), rng_for, level_until=until, room=chosen)


def noisy_settings():
    return NoiseSettings.shipped(distant=quiet().distant)


# The responses ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACOUSTIC)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_reverberation_time_is_the_one_asked_for(name, seed):
    made = heard(name, seed=seed).room.acoustics
    low, high = room(name).acoustics.rt60_s
    assert low <= made.rt60_asked_s <= high
    assert made.rt60_s == pytest.approx(made.rt60_asked_s, rel=0.1)
    paths = responses(made.geometry)
    across = [rt60_of(paths[s, m]) for s in range(3) for m in range(3)]
    assert np.mean(across) == pytest.approx(made.rt60_asked_s, rel=0.12)


def test_a_longer_reverberation_is_longer():
    times = [heard(room("meeting", f"room.acoustics.rt60_s=[{t},{t}]")).room.acoustics.rt60_s for t in (0.2, 0.4)]
    assert 1.7 < times[1] / times[0] < 2.3


@pytest.mark.parametrize("speakers", [1, 2, 5, 8])
def test_places_are_where_they_are_asked_for(speakers):
    for name in ("meeting", "far_field"):
        asked = room(name).acoustics
        place, _ = arranged(asked, speakers, generator(speakers, name))
        for k, (mouth, own) in enumerate(zip(place.mouths, place.microphones, strict=True)):
            assert asked.distance_m[0] - 0.01 <= math.dist(mouth, own) <= asked.distance_m[1] + 0.01
            for x, side in zip((*mouth, *own), place.size_m * 2, strict=True):
                assert 0.3 <= x <= side - 0.3
            if name == "meeting":
                assert min(math.dist(mouth, m) for m in place.microphones) == math.dist(mouth, place.microphones[k])


def test_responses_are_the_same_on_any_number_of_threads_and_without_the_cache(tmp_path, monkeypatch):
    from pyroomacoustics.parameters import constants

    made = heard("meeting").room.acoustics
    before = responses(made.geometry)
    for threads in (1, 3):
        monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / str(threads)))
        constants.set("num_threads", threads)
        try:
            assert responses(made.geometry).tobytes() == before.tobytes()
            assert constants.get("num_threads") == threads, "the library's setting is put back"
        finally:
            constants.set("num_threads", 1)
        assert list((tmp_path / str(threads) / "rooms").glob("??/*.npz")), "kept for the next process"


def test_distant_speech_is_heard_from_three_to_six_metres():
    far = distance()
    for number in range(far.rooms):
        place = far.geometry(number)
        assert 3.0 <= math.dist(place.mouths[0], place.microphones[0]) <= 6.0
    response = responses(far.geometry(2))[0, 0]
    assert rt60_of(response) == pytest.approx(0.5, abs=0.15)
    direct = 45  # samples: the first arrival and its filter
    assert decibels(energy(response[: simulation.LEAD + direct])) < decibels(
        energy(response[simulation.LEAD + direct :])
    )


def test_a_worker_finds_the_rooms_of_distant_speech_that_the_run_has_simulated(tmp_path, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path))
    said = []
    simulate_rooms(Narrator(said.append, every_s=0.0))
    assert said == [f"simulating rooms: {number} of 16" for number in range(16)]

    simulation._responses.cache_clear()  # as in another process
    for name in ("_simulated", "_absorbing"):
        monkeypatch.setattr(simulation, name, lambda *_: pytest.fail("simulated beside the network"))
    for number in range(distance().rooms):
        responses(distance().geometry(number))


# What the channels hear ---------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [6.0, 15.0, 30.0])
def test_crosstalk_is_at_the_level_asked_for(asked):
    stems, activity = talk()
    settings = room("meeting", f"room.acoustics.crosstalk_db={asked}")
    for speaker in range(3):
        alone = np.zeros_like(stems)
        alone[speaker] = stems[speaker]
        made = heard(settings, alone, activity)
        own = energy(made.noisy[speaker])
        others = np.mean([energy(made.noisy[c]) for c in range(3) if c != speaker])
        assert decibels(own / others) == pytest.approx(asked, abs=0.1)
        assert made.room.acoustics.crosstalk_db[speaker] == pytest.approx(asked, abs=0.01)
        assert decibels(own / energy(stems[speaker])) == pytest.approx(0.0, abs=0.1), (
            "the level holds after the response"
        )


def test_crosstalk_as_the_places_give_it_is_weaker_than_the_own_voice_and_logged():
    natural = heard(room("meeting", "room.acoustics.crosstalk_db=null")).room.acoustics
    assert all(3.0 < db < 15.0 for db in natural.crosstalk_db)
    assert len(set(natural.gains[0])) == 1


def lag(channel, stem):
    """Where a channel is most like a stem [samples]."""
    return int(np.argmax(signal.correlate(channel.astype(float), stem.astype(float)))) - len(stem) + 1


def test_direct_sound_comes_at_its_logged_time():
    stems, _ = talk()
    made = heard("meeting")
    assert [lag(made.noisy[k], stems[k]) for k in range(3)] == [0, 0, 0]
    assert all(made.room.acoustics.delays[k][k] == 0.0 for k in range(3))
    assert all(8 <= samples <= 45 for samples in made.room.acoustics.removed)


@pytest.mark.parametrize("name", ["far_field", "table_array"])
def test_what_direct_sound_is_late_by_is_logged(name):
    stems, activity = talk()
    for speaker in range(3):
        alone = np.zeros_like(stems)
        alone[speaker] = stems[speaker]
        room_made = heard(name, alone, activity).room.acoustics
        paths = responses(room_made.geometry)[speaker]
        delays = room_made.delays[speaker]
        assert simulation.LEAD <= min(delays) < simulation.LEAD + 1.0
        for path, delay in zip(paths, delays, strict=True):
            at = round(delay)
            loud = np.abs(path[: at + 3]).argmax()
            assert loud == pytest.approx(delay, abs=1.0), "nothing as loud comes before the direct sound"


@pytest.mark.parametrize("name", ROOMS)
def test_no_sound_comes_before_its_cause(name):
    stems, activity = talk()
    late = stems.copy()
    late[:, : RATE // 2] = 0.0
    late[0, RATE // 2] = 0.5
    made = heard(name, late, activity)
    before = np.abs(made.noisy[:, : RATE // 2]).max()
    assert before <= 1e-6 * np.abs(made.noisy).max()


@pytest.mark.parametrize("name", [*ROOMS, *(f"telephone {codec}" for codec in CODECS[1:])])
def test_what_comes_after_a_fork_is_not_heard_before_it(name):
    """To the last bit, whatever transforms and codec frames do."""
    stems, activity = talk()
    fork = 3 * RATE // 2 + 77
    other = stems.copy()
    other[:, fork:] = np.random.default_rng(9).normal(0, 0.05, other[:, fork:].shape)
    name, _, codec = name.partition(" ")
    settings = room(name, f"room.telephone.codec={codec}") if codec else room(name)
    one, two = (heard(settings, s, activity, until=fork, noise=noisy_settings()) for s in (stems, other))
    assert one.room == two.room
    assert one.noisy[:, :fork].tobytes() == two.noisy[:, :fork].tobytes()
    assert one.mix[:fork].tobytes() == two.mix[:fork].tobytes()
    assert not np.array_equal(one.noisy[:, fork:], two.noisy[:, fork:])


def test_the_mix_has_each_voice_once_and_one_copy_of_the_noise():
    stems, activity = talk()
    made = heard("meeting", noise=noisy_settings())
    carried = heard("meeting")
    noise = made.noisy[0] - carried.noisy[0]
    np.testing.assert_allclose(made.mix, carried.mix + noise, atol=1e-6)
    for k, [(a, b)] in enumerate(activity):
        assert decibels(energy(carried.mix[a:b]) / energy(stems[k])) == pytest.approx(0.0, abs=0.2)


@given(st.integers(0, 10**6), st.sampled_from(ROOMS))
@settings(max_examples=4, deadline=None)
def test_stems_and_log_give_the_channels_to_the_last_bit(seed, name):
    stems, activity = talk(2, 2.0)
    made = heard(name, stems, activity, seed=seed % 3, noise=noisy_settings())
    read = NuisanceLog.from_json(made.log.to_json())
    assert read == made.log
    noisy, mix = remixed(stems, read.nuisance, EmbeddedBank(), read.taps, read.room)
    assert noisy.tobytes() == made.noisy.tobytes()
    assert mix.tobytes() == made.mix.tobytes()


def test_another_version_of_the_simulator_is_told():
    stems, _ = talk()
    log = heard("meeting").log
    other = log.room.acoustics.model_copy(update={"responses_sha256": "0" * 64, "simulator": "pyroomacoustics 0.0"})
    with pytest.raises(InputError, match=r"not those of the log, by pyroomacoustics 0.0: install that version"):
        remixed(stems, (), EmbeddedBank(), None, log.room.model_copy(update={"acoustics": other}))


def test_without_a_room_the_sound_is_as_before_and_nothing_is_logged():
    stems, activity = talk()
    rng_for = functools.partial(generator, 1, "c")
    plain = augment(stems, activity, "dorm", noisy_settings(), EmbeddedBank(), rng_for)
    none = heard("none", noise=noisy_settings())
    assert none.noisy.tobytes() == plain.noisy.tobytes()
    assert none.log.to_json() == plain.log.to_json()
    assert none.mix is None
    assert "room" not in json.loads(none.log.to_json())
    assert heard("meeting", noise=noisy_settings()).nuisance == plain.nuisance, "a room moves no draw of the noise"


def test_a_speaker_who_says_nothing_is_no_obstacle():
    stems, activity = talk()
    silent = stems.copy()
    silent[1] = 0.0
    made = heard("meeting", silent, [activity[0], [], activity[2]])
    assert np.isfinite(made.noisy).all()
    assert made.room.acoustics.gains[1][1] > 0.0


# The telephone ------------------------------------------------------------------------------------------


def band_power(samples, low, high):
    hz, power = signal.welch(samples, RATE, nperseg=8192)
    return power[(hz >= low) & (hz <= high)].mean()


def test_a_line_carries_its_band_alone():
    noise = np.random.default_rng(0).normal(0, 0.05, 8 * RATE).astype(np.float32)
    line = telephone(room("telephone", "room.telephone.codec=none").telephone, -26.0)
    out = through_line(noise, line)
    inside = band_power(out, 350, 3300)
    assert decibels(inside / band_power(noise, 350, 3300)) == pytest.approx(0.0, abs=1.0)
    for low, high in ((0, 200), (4000, 4600), (4600, 8000), (8000, 12000)):
        assert decibels(band_power(out, low, high) / inside) < -30.0, (low, high)
    assert lag(out, noise) == line.delay
    assert line.delay < 0.002 * RATE


@pytest.mark.parametrize(
    ("codec", "least", "most"), [("mu-law", 36, 39), ("a-law", 36, 39), ("gsm", 0, 15), ("opus", 5, 30)]
)
def test_codecs_have_the_quality_they_are_known_for(codec, least, most):
    rng = np.random.default_rng(1)
    band = signal.butter(4, [300, 3400], "bandpass", fs=8000, output="sos")
    speechlike = signal.sosfilt(band, rng.standard_normal(16_000))
    speechlike *= 0.05 / speechlike.std()
    out = coded(speechlike, codec)
    assert out.shape == speechlike.shape
    assert least < decibels(energy(speechlike) / energy(out - speechlike)) < most
    assert lag(out, speechlike) == 0


def test_speech_has_the_level_of_the_line_whatever_it_was_rendered_at():
    stems, activity = talk()
    for factor in (0.1, 1.0, 3.0):
        made = heard("telephone", (factor * stems).astype(np.float32), activity)
        assert decibels(made.room.telephone.gain**2) + made.levels.active_speech_db == pytest.approx(-26.0, abs=0.01)


# Settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("room.acoustics.rt60_s=[0.3,2.0]", "not within 0.15 to 1.0"),
        ("room.acoustics.rt60_s=[0.5,0.3]", "two positive numbers in order"),
        ("room.acoustics.distance_m=[0.4,2.0]", "a neighbour's would be nearer"),
        ("room.acoustics.crosstalk_db=-3", "greater than or equal to 0"),
        ("room.acoustics.microphones=lapel", "'own', 'distant' or 'array'"),
        ("+room.telephone={codec: amr}", "codec"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_made(override, told):
    with pytest.raises(ConfigError, match=told) as error:
        settings_from(composed(["room=meeting", override]))
    assert "room" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_room_that_is_too_small_is_told():
    small = ((3.0, 3.0), (3.0, 3.0), (2.5, 2.5))
    crowd = AcousticsSettings.model_validate({**room("meeting").acoustics.model_dump(), "size_m": small})
    with pytest.raises(ConfigError, match=r"3\.0 x 3\.0 m has no room for 12 speakers"):
        arranged(crowd, 12, generator(1, "x"))
    far = AcousticsSettings.model_validate({**room("far_field").acoustics.model_dump(), "size_m": small})
    with pytest.raises(ConfigError, match=r"no place 3\.0 to 6\.0 m from a speaker in 3\.0 x 3\.0 m"):
        arranged(far, 2, generator(1, "x"))


# Corpora ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def meeting(tiny: Path, tmp_path_factory) -> Path:
    """One conversation of the tiny corpus again, in a meeting room over the telephone."""
    out = tmp_path_factory.mktemp("rooms") / "meeting"
    done = pipeline(*TINY, "only=c0001", "room=meeting", "room.telephone={codec: a-law}", f"out={out}")
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.speech
def test_a_room_moves_no_label_and_leaves_the_clean_channels_dry(tiny, meeting):
    dry, wet = sums(tiny), sums(meeting)
    (ident,) = {name.split("/")[0] for name in wet}
    for name in wet:
        labels = Path(name).name in ("events.jsonl", "gold.json", "timeline.json", "script.json")
        if labels:
            assert wet[name] == dry[name], name
        if "/noisy/" in name:
            assert wet[name] != dry[name], name
    metas = [json.loads((folder / "conversations" / ident / "meta.json").read_text()) for folder in (tiny, meeting)]
    assert "room" not in metas[0]["nuisance"]
    assert metas[1]["nuisance"]["room"]["acoustics"]["crosstalk_asked_db"] == 15.0
    assert metas[1]["nuisance"]["nuisance"] == metas[0]["nuisance"]["nuisance"]
    for speaker in metas[0]["spec"]["speakers"]:
        clean = [
            soundfile.read(folder / "conversations" / ident / "clean" / f"{speaker['id']}.flac")[0] / 10 ** (db / 20)
            for folder, db in zip((tiny, meeting), (meta["levels"]["gain_db"] for meta in metas), strict=True)
        ]
        np.testing.assert_allclose(clean[0], clean[1], atol=2e-3)


@pytest.mark.speech
def test_a_corpus_with_a_room_is_valid(meeting):
    done = pipeline(str(meeting), module="pipeline.validate")
    assert done.returncode == 0, done.stdout + done.stderr
