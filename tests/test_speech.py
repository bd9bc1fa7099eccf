"""The real voice: its clock agrees with its sound, the same request gives the same bytes, and it can laugh."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import ConfigError, ScriptError
from pipeline.models import ensure
from pipeline.models.graphs import FRAME, graphs
from pipeline.records.utterance import Utterance
from pipeline.speech.backend import Clocked, Contour
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.cache import ArrayCache, key_of, sweep_caches
from pipeline.speech.g2p import phonemise, pronunciations, symbols
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.prosody import shaped
from pipeline.speech.rumble import without_rumble
from pipeline.speech.voices import pool, split, voice

SENTENCE = "Well, we could meet at 3:30, but who pays?"


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> KokoroOnnx:
    return KokoroOnnx(cache=ArrayCache(tmp_path_factory.mktemp("speech")))


@pytest.fixture(scope="module")
def clocked(backend: KokoroOnnx) -> Clocked:
    return backend.clock(SENTENCE, voice("af_heart"))


def record(clocked: Clocked, **changes: object) -> Utterance:
    """Record of what was clocked."""
    fields = {
        "id": "u1",
        "speaker": "a",
        "act_id": "a1",
        "written": clocked.written,
        "spoken": clocked.spoken,
        "phonemes": clocked.phonemes,
        "voice": clocked.voice.id,
        "speed": clocked.speed,
        "prosody": clocked.edits,
        "n_samples": clocked.n_samples,
        "token_frames": clocked.token_frames,
        "words": clocked.words,
        "speech": clocked.speech,
        "pauses": clocked.pauses,
    }
    return Utterance.model_validate(fields | changes)


def test_pool_is_balanced_disjoint_and_as_the_paper_names_it() -> None:
    voices = pool()
    assert list(voices) == [f"v{number:02}" for number in range(1, 25)]
    assert len({voice.kokoro for voice in voices.values()}) == 24
    for name, each in (("dev", 4), ("test", 8)):
        genders = [voice.gender for voice in split(name)]  # type: ignore[arg-type]
        assert genders.count("F") == genders.count("M") == each
    assert (voices["v01"].kokoro, voices["v13"].kokoro, voices["v18"].kokoro) == ("af_alloy", "am_onyx", "bm_daniel")
    assert voices["v18"].british
    assert voice("af_heart").split != voice("af_bella").split


def test_every_voice_is_calibrated() -> None:
    calibrations = [voice.calibration for voice in pool().values()]
    assert all(c.voice_sha256 and c.peak_dbfs <= -3 and -15 < c.gain_db < 10 for c in calibrations)
    assert np.mean([c.within_40_ms for c in calibrations]) >= 0.95


def test_unknown_voice_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="v01"):
        voice("v99")


def test_tokens_add_up_to_the_text_in_both_accents() -> None:
    text = "Uh-huh, I can't go; she read it."
    for british in (False, True):
        assert "".join(token.text + token.whitespace for token in phonemise(text, british)) == text


def test_backchannels_have_pronunciations_of_their_own() -> None:
    tokens = phonemise("Mm-hmm, right")
    assert (tokens[0].text, tokens[0].phonemes) == ("Mm-hmm", pronunciations()["mm-hmm"])
    assert all(symbol in symbols() for word in pronunciations().values() for symbol in word)


@pytest.mark.parametrize("text", ["", "...", "!?"])
def test_nothing_to_say_is_an_error(text: str) -> None:
    with pytest.raises(ScriptError, match="write words"):
        phonemise(text)


@pytest.mark.speech
def test_sound_has_the_planned_length_and_bounds(backend: KokoroOnnx, clocked: Clocked) -> None:
    sound = backend.render(clocked)
    assert sound.dtype == np.float32
    assert len(sound) == clocked.n_samples == sum(clocked.token_frames) * FRAME
    measured = measure_bounds(sound, below_db=35)
    assert abs(measured.start - clocked.speech.start) < 960
    assert abs(measured.end - clocked.speech.end) < 960


@pytest.mark.speech
def test_words_are_the_written_ones_in_order_inside_the_speech(clocked: Clocked) -> None:
    assert " ".join(word.text for word in clocked.words) == "Well we could meet at 3:30 but who pays"
    edges = [edge for word in clocked.words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert (edges[0], edges[-1]) == (clocked.speech.start, clocked.speech.end)
    assert all(word.end > word.start for word in clocked.words)


@pytest.mark.speech
def test_two_graphs_make_the_sound_of_the_published_whole_to_the_bit() -> None:
    import onnxruntime

    split = KokoroOnnx("int8")
    clocked = split.clock("Right, exactly.", voice("am_adam"), speed=1.0)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(ensure("kokoro-int8")), options)
    table = np.fromfile(ensure("kokoro-voices") / "am_adam.bin", "<f4").reshape(-1, 256)
    feed = {
        "tokens": np.array([[0, *(symbols()[s] for s in clocked.phonemes), 0]], np.int64),
        "style": table[len(clocked.phonemes) - 1][None],
        "speed": np.array([1.0], np.float32),
    }
    assert np.array_equal(without_rumble(session.run(None, feed)[0].ravel()), split.render(clocked))


@pytest.mark.speech
def test_both_precisions_have_one_clock_and_nearly_one_sound(backend: KokoroOnnx, clocked: Clocked) -> None:
    eight_bit = KokoroOnnx("int8")
    again = eight_bit.clock(SENTENCE, clocked.voice)
    assert again.token_frames == clocked.token_frames
    assert np.array_equal(again.pieces[0].contour.f0, clocked.pieces[0].contour.f0)
    sounds = [engine.render(clocked) for engine in (backend, eight_bit)]
    levels = [np.log(np.sqrt(np.mean(sound.reshape(-1, FRAME) ** 2, axis=1)) + 1e-3) for sound in sounds]
    assert np.corrcoef(levels)[0, 1] > 0.95
    assert not np.array_equal(*sounds)


@pytest.mark.speech
def test_what_was_clocked_once_comes_from_the_cache_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker, edits = voice("af_heart"), {"final": 1.2, "final_length": 1.3}
    text = "Well, we could meet at 3:30. " * 20
    first = KokoroOnnx(cache=ArrayCache(tmp_path)).clock(text, speaker, 1.05, edits)
    assert len(first.pieces) > 1

    def refused(*_: object) -> None:
        raise AssertionError("read or predicted again")

    monkeypatch.setattr("pipeline.speech.kokoro.phonemise", refused)
    monkeypatch.setattr(KokoroOnnx, "_session", refused)
    again = KokoroOnnx(cache=ArrayCache(tmp_path)).clock(text, speaker, 1.05, edits)
    assert record(again) == record(first)
    assert (again.voice, again.spoken, again.edits) == (first.voice, first.spoken, first.edits)
    for old, new in zip(first.pieces, again.pieces, strict=True):
        assert (old.phonemes, old.start, old.stop) == (new.phonemes, new.start, new.stop)
        assert np.array_equal(old.contour.f0, new.contour.f0)
        assert np.array_equal(old.contour.energy, new.contour.energy)


@pytest.mark.speech
@pytest.mark.parametrize("other", [{"text": "Well then"}, {"speed": 1.1}, {"edits": {"final": 1.3}}, {"by": "am_adam"}])
def test_another_text_voice_speed_or_edit_is_clocked_anew(other: dict[str, Any], tmp_path: Path) -> None:
    backend = KokoroOnnx(cache=ArrayCache(tmp_path))

    usual: dict[str, Any] = {"text": "Well.", "speed": 1.0, "edits": None, "by": "af_heart"}
    first, second = (
        backend.clock(asked["text"], voice(asked["by"]), asked["speed"], asked["edits"])
        for asked in (usual, usual | other)
    )
    assert (first.written, first.speed, first.edits, first.voice) != (
        second.written,
        second.speed,
        second.edits,
        second.voice,
    )


@pytest.mark.speech
def test_a_record_replays_to_the_same_sound(backend: KokoroOnnx, clocked: Clocked) -> None:
    replayed = backend.replay(record(clocked), clocked.voice)
    assert np.array_equal(backend.render(replayed), backend.render(clocked))


@pytest.mark.speech
def test_recorded_durations_hold_where_others_would_be_predicted(backend: KokoroOnnx, clocked: Clocked) -> None:
    frames = (clocked.token_frames[0], clocked.token_frames[1] + 3, *clocked.token_frames[2:])
    replayed = backend.replay(record(clocked, token_frames=frames), clocked.voice)
    assert replayed.token_frames == frames
    assert len(backend.render(replayed)) == clocked.n_samples + 3 * FRAME


@pytest.mark.speech
def test_another_process_gives_the_same_bytes(clocked: Clocked, backend: KokoroOnnx, tmp_path: Path) -> None:
    code = (
        "import hashlib, sys; from pipeline.speech.kokoro_onnx import KokoroOnnx; "
        "from pipeline.speech.voices import voice; b = KokoroOnnx(); "
        "print(hashlib.sha256(b.render(b.clock(sys.argv[1], voice('af_heart'))).tobytes()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, SENTENCE], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == hashlib.sha256(backend.render(clocked).tobytes()).hexdigest()


@pytest.mark.speech
def test_long_text_is_said_whole_in_several_pieces(backend: KokoroOnnx) -> None:
    text = " ".join(["We tried it twice last year, and nobody came to either of the two meetings."] * 8)
    clocked = backend.clock(text, voice("bm_daniel"))
    assert len(clocked.pieces) > 1
    assert len(clocked.words) == len(text.split())
    assert all(pause.end - pause.start < 24_000 for pause in clocked.pauses)
    replayed = backend.replay(record(clocked), clocked.voice)
    assert (replayed.n_samples, replayed.phonemes) == (clocked.n_samples, clocked.phonemes)


@pytest.mark.speech
def test_a_pause_of_the_voice_is_found_where_the_comma_is(clocked: Clocked) -> None:
    pause = next(pause for pause in clocked.pauses if pause.clause)
    assert pause.end - pause.start >= 1920
    assert any(word.end == pause.start for word in clocked.words)


@pytest.mark.speech
def test_final_rise_changes_the_end_of_the_pitch_and_no_time(backend: KokoroOnnx, clocked: Clocked) -> None:
    risen = backend.clock(SENTENCE, voice("af_heart"), edits={"final": 1.3})
    assert risen.token_frames == clocked.token_frames
    contour = clocked.pieces[0].contour
    edited = shaped(contour, {"final": 1.3})
    last = np.flatnonzero(contour.f0 > 50)[-1]
    assert edited.f0[last] == pytest.approx(1.3 * contour.f0[last], rel=1e-5)
    assert np.array_equal(edited.f0[: last - 40], contour.f0[: last - 40])
    assert not np.array_equal(backend.render(risen), backend.render(clocked))


def test_an_unknown_edit_is_refused() -> None:
    contour = Contour((1,), np.ones(2, np.float32), np.ones(2, np.float32))
    with pytest.raises(ConfigError, match="pitch"):
        shaped(contour, {"loudness": 1.1})


@pytest.mark.speech
def test_the_graphs_are_made_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = graphs("int8").path("prosody").read_bytes()
    models = ensure("kokoro-int8").parent
    monkeypatch.setenv("TURNFLOOR_MODELS", str(models))
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path))
    assert graphs("int8").path("prosody").read_bytes() == first


def test_a_damaged_cache_entry_is_forgotten(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path)
    key = key_of("a", 1.0)
    cache.put(key, {"x": np.arange(5)})
    found = cache.get(key)
    assert found is not None
    assert np.array_equal(found["x"], np.arange(5))
    (path,) = tmp_path.rglob("*.npz")
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert cache.get(key) is None
    assert not path.exists()


def test_the_cache_forgets_first_what_was_used_longest_ago(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path)
    for number, name in enumerate("abc"):
        cache.put(key_of(name), {"x": np.zeros(1000)})
        path = next(path for path in tmp_path.rglob("*.npz") if path.stem == key_of(name))
        os.utime(path, (number, number))
    cache.get(key_of("a"))
    cache.prune(9_000)
    assert cache.get(key_of("a")) is not None
    assert cache.get(key_of("b")) is None


def test_a_cache_keeps_to_its_limit_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFLOOR_CACHE_GB", "1e-5")
    monkeypatch.setattr("pipeline.speech.cache.PUTS", 4)
    for number in range(8):
        for kept in (ArrayCache(tmp_path / "speech"), ArrayCache(tmp_path / "said", lasting=True)):
            kept.put(key_of(number), {"x": np.zeros(1000)})
    assert sum(path.stat().st_size for path in (tmp_path / "speech").rglob("*.npz")) <= 10_000
    assert len(list((tmp_path / "said").rglob("*.npz"))) == 8


def test_a_run_begins_with_what_the_limit_leaves_and_all_that_was_bought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path))
    for name in ("speech", "said", "rooms"):
        for number in range(3):
            ArrayCache(tmp_path / name).put(key_of(number), {"x": np.zeros(1000)})
    sweep_caches()
    assert len(list(tmp_path.rglob("*.npz"))) == 9
    monkeypatch.setenv("TURNFLOOR_CACHE_GB", "1e-5")
    sweep_caches()
    left = Counter(path.parent.parent.name for path in tmp_path.rglob("*.npz"))
    assert left == {"speech": 1, "said": 3, "rooms": 1}


@pytest.mark.parametrize("named", ["much", "0", "-1", "nan"])
def test_a_limit_that_is_none_is_one_line(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFLOOR_CACHE_GB", named)
    with pytest.raises(ConfigError, match=f"TURNFLOOR_CACHE_GB={named}: not a size; give gigabytes"):
        sweep_caches()
