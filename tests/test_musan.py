"""A MUSAN directory as a noise bank: only licensed effects, only beds without speech, no seam, no silence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from musan_support import BLOCKS, REAL, build, voice

from pipeline.errors import InputError
from pipeline.sound.musan import MusanBank, verdicts
from pipeline.sound.musan.annotations import parse_licences
from pipeline.sound.musan.recordings import looped, trimmed
from pipeline.sound.musan.verdicts import verdict_on
from pipeline.sound.synthesis import rng_of
from pipeline.sound.vad import SHARE, speech_share


@pytest.fixture
def built(tmp_path):
    return build(tmp_path / "a musan")


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    """Verdicts of these tests are their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TURNFLOOR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(params=["built", "real"])
def musan(request, built):
    """The built directory, and the one of real clips."""
    return built if request.param == "built" else REAL


def test_listings_are_sorted_and_leave_out_what_is_missing_unlicensed_or_talks(built):
    bank = MusanBank(built)
    assert bank.beds == tuple(f"noise-free-sound-{i:04d}" for i in (0, 2, 3, 4))
    assert bank.sounds == tuple(f"noise-sound-bible-{i:04d}" for i in (2, 3, 34, 71))
    assert bank.speech == ("speech-librivox-0001", "speech-us-gov-0000")


def test_licences_are_read_by_block_whatever_the_order_of_fields():
    licences = parse_licences(BLOCKS)
    assert set(licences) == {f"noise-sound-bible-{i:04d}" for i in (2, 3, 34, 71)}
    silly = licences["noise-sound-bible-0071"]
    assert (silly.title, silly.attribution, silly.licence) == ("Silly Sounds", "Joe", "Attribution 3.0")
    assert silly.url == "http://soundbible.com/2088.html"
    assert licences["noise-sound-bible-0002"].title == "Apple Bite"


def test_the_real_licence_file_has_86_licensed_clips():
    licences = parse_licences((REAL / "noise/sound-bible/LICENSE").read_text())
    assert len(licences) == 86
    kinds = [entry.licence for entry in licences.values()]
    assert (kinds.count("Attribution 3.0"), kinds.count("Public Domain")) == (66, 20)
    assert all(entry.title and entry.attribution and entry.url for entry in licences.values())
    assert "noise-sound-bible-0000" not in licences


@pytest.mark.parametrize("seed", range(4))
def test_every_sound_comes_with_its_licence_and_can_be_recalled(musan, seed):
    bank = MusanBank(musan)
    sounds = [
        bank.bed("cafe", 300_001, rng_of(seed)),
        bank.effect("door knock", 4.0, rng_of(seed)),
        bank.distant(1.75, rng_of(seed)),
    ]
    for sound in sounds:
        assert len(sound.samples) == sound.clip.length
        assert np.isfinite(sound.samples).all()
        assert np.any(sound.samples)
        assert sound.clip.licence
        np.testing.assert_array_equal(MusanBank(musan).recall(sound.clip), sound.samples)
    assert sounds[0].clip.attribution.startswith("All selected recordings")
    assert len(sounds[2].samples) == 42_000


def test_the_same_generator_draws_the_same(musan):
    for draw in (
        lambda bank, rng: bank.bed("dorm", 5000, rng),
        lambda bank, rng: bank.effect("dishes", 4.0, rng),
        lambda bank, rng: bank.distant(2.0, rng),
    ):
        one, two = draw(MusanBank(musan), rng_of(9)), draw(MusanBank(musan), rng_of(9))
        assert one.clip == two.clip
        np.testing.assert_array_equal(one.samples, two.samples)


def test_a_bed_is_never_speech_silence_or_a_snippet(built):
    bank = MusanBank(built)
    assert {bank.bed("dorm", 1000, rng_of(seed)).clip.id for seed in range(12)} == {"noise-free-sound-0000"}


def test_speech_is_told_from_noise():
    rng = np.random.default_rng(0)
    spoken, hiss = voice(6), 0.05 * rng.standard_normal(6 * 16_000)
    assert speech_share(spoken, 16_000) > 0.5
    assert speech_share(1e-4 * spoken, 16_000) == pytest.approx(speech_share(spoken, 16_000), abs=0.05)
    assert speech_share(np.repeat(spoken, 3), 48_000) > 0.5
    assert speech_share(hiss, 16_000) < SHARE
    assert speech_share(np.sin(np.arange(96_000) * 0.05), 16_000) < SHARE
    assert speech_share(np.zeros(96_000), 16_000) == speech_share(np.zeros(100), 16_000) == 0.0


def test_people_heard_in_a_real_background_keep_it_from_being_a_bed():
    heard = {i: verdict_on(REAL / f"noise/free-sound/noise-free-sound-000{i}.wav") for i in range(3)}
    assert heard[1].speech_share > 0.1
    assert [heard[i].usable(3.0) for i in range(3)] == [True, False, True]
    assert not heard[0].usable(5.0)


def test_a_verdict_is_kept_and_goes_by_the_sound_not_the_name(built, tmp_path, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    path = built / "noise/free-sound/noise-free-sound-0002.wav"
    first = verdict_on(path)
    assert len(list((tmp_path / "cache" / "bed-verdicts").glob("*.json"))) == 1
    monkeypatch.setattr(verdicts, "speech_share", None)
    assert verdict_on(path) == first
    path.write_bytes((built / "noise/free-sound/noise-free-sound-0000.wav").read_bytes())
    with pytest.raises(TypeError):
        verdict_on(path)


def test_another_directory_has_another_identity(built):
    before = MusanBank(built).identity()
    assert MusanBank(built).identity() == before != MusanBank(REAL).identity()
    (built / "speech/us-gov/speech-us-gov-0000.wav").unlink()
    assert MusanBank(built).identity() != before


def test_an_effect_that_fits_goes_before_any_other_and_silence_is_trimmed(built):
    bank = MusanBank(built)
    knock = bank.effect("door knock", 4.0, rng_of(1))
    assert knock.clip.id == "noise-free-sound-0182"
    for seed in range(8):
        other = bank.effect("a label of one's own", 4.0, rng_of(seed))
        assert other.clip.id in bank.sounds
        assert len(other.samples) <= 4 * 24_000
        assert np.abs(other.samples[:240]).max() > 0.01


def test_distant_speech_is_taken_from_where_someone_speaks(built):
    for seed in range(6):
        sound = MusanBank(built).distant(2.0, rng_of(seed))
        assert sound.clip.id == "speech-librivox-0001"
        assert sound.clip.offset >= 3.5 * 16_000
        assert np.sqrt(np.mean(sound.samples**2)) > 0.01


@given(st.integers(100, 3000), st.integers(0, 5000), st.integers(1, 9000), st.integers(0, 4000), st.integers(0, 9))
def test_a_loop_has_any_length_and_wraps(m, start, n, crossfade, seed):
    samples = np.random.default_rng(seed).standard_normal(m)
    out = looped(samples, start, n, crossfade)
    assert len(out) == n
    period = m - min(crossfade, m // 2)
    np.testing.assert_array_equal(out[period:], out[: max(0, n - period)])


@settings(deadline=None)
@given(st.integers(0, 9))
def test_a_loop_neither_clicks_nor_dips_at_its_seam(seed):
    rng = np.random.default_rng(seed)
    samples = np.convolve(rng.standard_normal(40_400), np.hanning(400), mode="valid")
    out = looped(samples, 0, 110_000, 8000)
    steps = np.abs(np.diff(out))
    assert steps.max() < 1.5 * np.abs(np.diff(samples)).max()
    powers = np.mean(out[:104_000].reshape(-1, 8000) ** 2, axis=1)
    assert powers.min() > 0.4 * powers.mean()


def test_trimming_keeps_what_is_heard():
    samples = np.concatenate([np.zeros(5000), np.ones(8000), np.zeros(3000)])
    start, length = trimmed(samples, 16_000, 4.0)
    assert 4800 <= start <= 5000
    assert 13_000 <= start + length <= 13_200
    assert trimmed(samples, 16_000, 0.25)[1] == 4000
    assert trimmed(np.zeros(4000), 16_000, 4.0) == (0, 0)


@pytest.mark.parametrize("missing", ["noise/free-sound/ANNOTATIONS", "noise/sound-bible/LICENSE", "noise", "speech"])
def test_what_is_no_musan_directory_is_refused_with_the_remedy(built, missing):
    broken = built / missing
    broken.rename(built / "gone")
    with pytest.raises(
        InputError, match=r"is not a MUSAN directory.* missing: make musan fetches it.*noise\.musan="
    ) as error:
        MusanBank(built)
    assert "\n" not in str(error.value)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a MUSAN directory"):
        MusanBank(tmp_path / "nowhere")


def test_one_without_backgrounds_or_with_a_broken_file_is_refused(built):
    annotations = built / "noise/free-sound/ANNOTATIONS"
    whole = annotations.read_text()
    annotations.write_text("Background noises:\n")
    with pytest.raises(InputError, match="holds no background noise"):
        MusanBank(built)
    annotations.write_text(whole)
    for name in (0, 2):
        (built / f"noise/free-sound/noise-free-sound-{name:04d}.wav").write_bytes(b"RIFF")
    with pytest.raises(InputError, match=r"noise-free-sound-000\d\.wav: cannot be read as sound"):
        MusanBank(built).bed("dorm", 1000, rng_of(0))


def test_when_no_bed_is_usable_it_says_so(built):
    (built / "noise/free-sound/noise-free-sound-0000.wav").unlink()
    with pytest.raises(InputError, match="none of 3 background noises is without speech"):
        MusanBank(built).bed("dorm", 1000, rng_of(0))


def test_a_clip_of_another_directory_is_refused(built):
    bank = MusanBank(built)
    clip = bank.bed("dorm", 1000, rng_of(0)).clip
    with pytest.raises(InputError, match="give the one the corpus was made with"):
        bank.recall(clip.model_copy(update={"id": "noise-free-sound-0999"}))
