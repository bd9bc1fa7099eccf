"""A speech endpoint as a backend: what it is asked, what it may answer, and a corpus that it speaks."""

import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
import yaml
from command_support import pipeline, sums
from script_support import Answer, FakeEndpoint
from speech_support import encoded, sound, speaks, spoken, streamed

from pipeline.compose import composed, settings_from
from pipeline.errors import ConfigError, EndpointError
from pipeline.records import Span, Timeline, Utterance
from pipeline.run import planned
from pipeline.samples import RATE
from pipeline.speech.backend import Clocked
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.cache import ArrayCache
from pipeline.speech.endpoint.backend import SpeechEndpoint
from pipeline.speech.endpoint.client import SpeechClient
from pipeline.speech.endpoint.level import gain_db
from pipeline.speech.endpoint.settings import EndpointSettings
from pipeline.speech.endpoint.syllables import contour_of, spelled
from pipeline.speech.endpoint.word_times import boundaries, matched_pauses, spread_times
from pipeline.speech.g2p import TokenPhonemes

KEY = "sk-very-secret-0123456789"
VOICES = (
    {"name": "af_heart", "gender": "F", "split": "dev", "gain_db": -5.0},
    {"name": "bm_george", "gender": "M", "split": "dev", "gain_db": -4.0, "language": "en-GB"},
    {"name": "am_michael", "gender": "M", "split": "test", "gain_db": -4.0},
)
WORDS = {"input": "Right.", "voice": "af_heart"}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def settings(fake: FakeEndpoint, **changes: Any) -> EndpointSettings:
    usual = {"model": "tts-x", "voices": VOICES, "retries": 0, "backoff_s": 0.01}
    return EndpointSettings(base_url=fake.url, **{**usual, **changes})


def endpoint(fake: FakeEndpoint, folder: Path, **changes: Any) -> SpeechEndpoint:
    return SpeechEndpoint(settings(fake, **changes), ArrayCache(folder / "said"))


def recorded(clocked: Clocked) -> Utterance:
    """What stage 2 keeps of it."""
    names = ("written", "spoken", "phonemes", "speed", "n_samples", "words", "speech", "pauses")
    return Utterance(
        id="u.t1", speaker="s1", act_id="t1", voice=clocked.voice.id, **{name: getattr(clocked, name) for name in names}
    )


def silence(n: int = RATE) -> Answer:
    return encoded(np.zeros(n, np.float32))


AUDIO = {"Content-Type": "audio/wav"}


@pytest.mark.parametrize(
    ("answer", "said", "changes"),
    [
        (Answer({"error": {"message": "no such key"}}, 401), "401 (no such key): put a valid key into", {}),
        (Answer({"error": {"message": "not for you"}}, 403), "403 (not for you): the key in OPENAI_API_KEY", {}),
        (Answer("nothing here", 404), "404 (nothing here): check tts.endpoint.base_url", {}),
        (Answer({"error": {"message": "no voice"}}, 400), "400 (no voice): the request does not suit", {}),
        (Answer({"detail": "bad field"}, 422), "the request does not suit", {}),
        (Answer({"error": {"message": f"{KEY} is slow"}}, 429), "429 ([key] is slow): wait", {}),
        (Answer("oops", 500), "500 (oops): see the server's log", {}),
        (Answer("", 503), "503 (nothing said)", {}),
        (Answer("<html>welcome</html>", headers={"Content-Type": "text/html; charset=utf-8"}), "text/html (found", {}),
        (Answer({"audio": "later"}), "application/json (found", {}),
        (Answer({"audio": "later"}), "application/json (found", {"format": "pcm"}),
        (Answer("RIFFnonsense", headers=AUDIO), "what is not wav (found 'RIFFnonsense')", {}),
        (Answer("", headers=AUDIO), "an empty reply: see the server's log", {}),
        (encoded(np.zeros(0, np.float32)), "an empty sound for 'Ready.'", {}),
        (silence(), "nothing but silence for 'Ready.'", {}),
        (Answer(b"\0\1\2", headers=AUDIO), "3 bytes, which are no 16 bit samples", {"format": "pcm"}),
        (encoded(np.ones(4000, np.float32), rate=4000), "a sound of 4000 samples a second", {}),
        (Answer(silence().data, headers=AUDIO, stated_length=10**6), "broke off", {}),
        (Answer(hang_up=True), "cannot be reached or broke off in 1 attempts", {}),
        (Answer(b"x", headers=AUDIO, delay=5), "no whole answer within 0.3 s", {"timeout_s": 0.3}),
        (Answer(b"x" * 100, headers=AUDIO, drip=0.05), "no whole answer within 0.3 s", {"timeout_s": 0.3}),
    ],
)
def test_what_an_endpoint_sends_is_told_in_one_line(
    answer: Answer, said: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    with FakeEndpoint(answer) as fake, pytest.raises(EndpointError) as error:
        endpoint(fake, tmp_path, **changes).ready()
    told = str(error.value)
    assert said in told
    assert f"speech endpoint at {fake.url}" in told
    assert "\n" not in told
    assert KEY not in told
    assert not list(tmp_path.rglob("*.npz")), "nothing of it is kept"


def test_samples_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "nan.wav", np.full(RATE, np.nan, np.float32), RATE, subtype="FLOAT")
    answer = Answer((tmp_path / "nan.wav").read_bytes(), headers=AUDIO)
    with FakeEndpoint(answer) as fake, pytest.raises(EndpointError, match="samples that are no numbers"):
        endpoint(fake, tmp_path).ready()


def test_an_endless_reply_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.speech.endpoint.client.LARGEST_BODY", 1000)
    with FakeEndpoint(silence()) as fake, pytest.raises(EndpointError, match="endless"):
        endpoint(fake, tmp_path).ready()


def test_credentials_in_the_address_are_never_told_nor_recorded() -> None:
    address = "http://me:hidden@127.0.0.1:9/v1"
    own = EndpointSettings(base_url=address, model="x", voices=VOICES, retries=0)
    with pytest.raises(EndpointError, match=r"at http://127.0.0.1:9/v1 cannot be reached") as error:
        SpeechClient(own).ask("Hello.", "af_heart", 1.0)
    assert "hidden" not in str(error.value) + own.model_dump_json() + json.dumps(own.decides)


def test_a_passing_fault_is_survived(tmp_path: Path) -> None:
    faults = Answer("", 429, headers={"Retry-After": "7"}), Answer("", 500), Answer(hang_up=True)
    waits: list[float] = []
    with FakeEndpoint(*faults, encoded(sound(WORDS))) as fake:
        client = SpeechClient(settings(fake, retries=3), sleep=waits.append)
        assert client.ask("Right.", "af_heart", 1.0).body
    assert len(fake.requests) == 4
    assert waits[0] == 7
    assert all(wait <= 0.04 for wait in waits[1:])


def test_what_is_asked(tmp_path: Path) -> None:
    with FakeEndpoint(speaks()) as fake:
        asked = endpoint(fake, tmp_path, instructions="Softly.", extra={"seed": 3})
        asked.clock("It's 3:30.", asked.voice("af_heart"), 1.1)
        asked.ready()
    first, second = fake.requests
    assert first == {
        "model": "tts-x",
        "voice": "af_heart",
        "input": "It's three thirty.",
        "response_format": "wav",
        "speed": 1.1,
        "instructions": "Softly.",
        "seed": 3,
    }
    assert "speed" not in second, "1 is what every endpoint does unasked"
    assert fake.paths[0] == "/v1/audio/speech"
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("rate", "channels", "changes"),
    [
        (24_000, 1, {}),
        (48_000, 2, {}),
        (16_000, 1, {"format": "flac"}),
        (22_050, 1, {"format": "pcm", "pcm_rate": 22_050}),
    ],
)
def test_every_format_and_rate_comes_to_the_same_sound(
    rate: int, channels: int, changes: dict[str, Any], tmp_path: Path
) -> None:
    own = sound(WORDS)
    speech = measure_bounds(own)
    with FakeEndpoint(speaks(rate, channels)) as fake:
        backend = endpoint(fake, tmp_path, **changes)
        clocked = backend.clock("Right.", backend.voice("af_heart"))
        heard = backend.render(clocked)
    assert len(heard) == clocked.n_samples
    assert heard.dtype == np.float32
    assert abs(clocked.speech.length - speech.length) <= 120, "to 5 ms"
    at = clocked.speech.start - speech.start
    part = own[speech.start : speech.end]
    likeness = np.corrcoef(part, heard[at + speech.start : at + speech.start + len(part)])[0, 1]
    assert likeness > (0.999 if rate == RATE else 0.9)


def test_a_header_written_before_the_length_was_known_is_read(tmp_path: Path) -> None:
    with FakeEndpoint(streamed(sound(WORDS))) as fake:
        backend = endpoint(fake, tmp_path)
        assert backend.clock("Right.", backend.voice("af_heart")).speech.length > RATE // 10


def fickle() -> Any:
    """Says the same thing faster each time."""
    count = [0]

    def answer(body: dict[str, Any]) -> Answer:
        count[0] += 1
        return encoded(sound({**body, "speed": 1.0 + 0.1 * count[0]}))

    return answer


def test_the_first_rendering_is_the_only_one(tmp_path: Path) -> None:
    with FakeEndpoint(fickle()) as fake:
        backend = endpoint(fake, tmp_path)
        voice = backend.voice("af_heart")
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: backend._said("Right.", "af_heart", 1.0), range(4)))
        assert len(fake.requests) == 1, "whoever wants it at the same time waits for it"
        assert all(np.array_equal(one, found[0]) for one in found)
        clocked = backend.clock("Right.", voice)
        elsewhere = pickle.loads(pickle.dumps(backend))  # noqa: S301 - our own
        replayed = elsewhere.replay(recorded(clocked), voice)
        assert np.array_equal(backend.render(clocked), elsewhere.render(replayed))
        assert (replayed.words, replayed.pauses, replayed.speech) == (clocked.words, clocked.pauses, clocked.speech)
        assert len(fake.requests) == 1
        with pytest.raises(EndpointError, match=r"u.t1: its sound is gone from the cache.*plan it again"):
            endpoint(fake, tmp_path / "other").replay(recorded(clocked), voice)
    assert KEY.encode() not in pickle.dumps(backend)


def test_another_model_voice_or_speed_is_another_sound(tmp_path: Path) -> None:
    with FakeEndpoint(speaks()) as fake:
        first = endpoint(fake, tmp_path)
        other = endpoint(fake, tmp_path, model="tts-y")
        for backend, name, speed in ((first, "af_heart", 1.0), (first, "bm_george", 1.0), (first, "af_heart", 1.2)):
            backend.clock("Right.", backend.voice(name), speed)
        other.clock("Right.", other.voice("af_heart"))
        first.clock("Right.", first.voice("af_heart"))
    assert len(fake.requests) == 4
    patient = endpoint(fake, tmp_path, timeout_s=3, retries=9)
    assert first.identity() == patient.identity(), "patience does not change a sound"
    assert len({first.identity(), other.identity(), endpoint(fake, tmp_path, voices=VOICES[:2]).identity()}) == 3


def test_the_clock_reads_onset_offset_and_pauses_off_the_sound(tmp_path: Path) -> None:
    text = "She sold the car, bought a bike, and never looked back."
    with FakeEndpoint(speaks()) as fake:
        backend = endpoint(fake, tmp_path)
        clocked = backend.clock(text, backend.voice("af_heart"))
        heard = backend.render(clocked)
    assert measure_bounds(heard) == clocked.speech
    assert clocked.speech.start == RATE // 4
    assert " ".join(word.text for word in clocked.words) == text.replace(",", "").removesuffix(".")
    assert clocked.words[0].start == clocked.speech.start
    assert clocked.words[-1].end == clocked.speech.end
    own = spoken({"input": text, "voice": "af_heart"})
    later = clocked.speech.start - own.speech.start
    apart = [(a.start - later - b.start) / RATE for a, b in zip(clocked.words, own.words, strict=True)]
    assert abs(np.median(apart)) < 0.06
    assert max(map(abs, apart)) < 0.25
    for pause in clocked.pauses:
        assert np.abs(heard[pause.start : pause.end]).max() < 0.1 * np.abs(heard).max()
    assert any(pause.clause for pause in clocked.pauses)


def tokens(*parts: tuple[str, str]) -> list[TokenPhonemes]:
    """Each text with the whitespace after it."""
    return [TokenPhonemes(text.rstrip(), phonemes, " " * text.endswith(" ")) for text, phonemes in parts]


def test_time_goes_by_phonemes_and_is_held_by_pauses() -> None:
    said = tokens(("one ", "wʌn"), ("two", "tu"), (", ", ","), ("seventeen ", "sɛvəntin"), ("four", "fɔɹ"))
    speech, gap = Span(start=1000, end=49_000), Span(start=15_000, end=21_000)
    times = spread_times(said, speech, [gap])
    assert times.at(0) == speech.start
    assert times.at(9) == 18_000, "the pause is where the comma stands"
    assert times.at(len("one two, seventeen four")) == speech.end
    assert np.all(np.diff(times.samples) >= 0)
    after = times.at(19) - gap.end, speech.end - times.at(19)
    assert after[0] > 1.2 * after[1], "the longer word takes longer"


def test_a_silence_far_from_every_boundary_is_inside_a_word() -> None:
    places = boundaries(tokens(("internationalisation ", "\u026antənæʃənəlIzAʃən"), ("now", "nW")))
    assert matched_pauses(np.array([6000.0]), np.array([2400]), places, 48_000) == []
    assert matched_pauses(np.array([40_000.0]), np.array([2400]), places, 48_000) == [(0, 1)]


def test_edits_of_prosody_are_left_out_and_those_of_durations_refused(tmp_path: Path) -> None:
    with FakeEndpoint(speaks()) as fake:
        backend = endpoint(fake, tmp_path)
        voice = backend.voice("af_heart")
        assert backend.clock("Right.", voice, edits={"pitch": 1.2}).edits == {}
        with pytest.raises(ConfigError, match="final_length is not possible with a speech endpoint"):
            backend.clock("Right.", voice, edits={"final_length": 1.2})
        with pytest.raises(ConfigError, match="prosody edit loud"):
            backend.clock("Right.", voice, edits={"loud": 1.2})


def test_a_voice_without_a_gain_is_levelled_by_what_it_says(tmp_path: Path) -> None:
    quiet = np.float32(0.05) * sound({"input": "I really think we should look at the numbers.", "voice": "af_heart"})
    loud = gain_db(lambda text: quiet * 4, "four times")
    assert gain_db(lambda text: quiet, "once") - loud == pytest.approx(20 * np.log10(4), abs=0.02)


def test_unknown_voices_are_told(tmp_path: Path) -> None:
    with FakeEndpoint(speaks()) as fake:
        backend = endpoint(fake, tmp_path)
        with pytest.raises(ConfigError, match=r"'nobody' is not in tts.endpoint.voices: known are af_heart"):
            backend.voice("nobody")
        assert [voice.id for voice in backend.voices("dev")] == ["af_heart", "bm_george"]
        assert [voice.id for voice in backend.voices("test")] == ["am_michael"]


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["tts.endings.mode=clear"], "no prosody to shape"),
        (["tts.endings.final_length=1.2"], "no prosody to shape"),
        (["tts.lombard.strength=0.5", "tts.lombard.pitch_st=1"], "no F0 to shape"),
        (["tts.endpoint.base_url=localhost:8000"], "must be an http:// or https:// address"),
        (["+tts.endpoint.extra.voice=x"], "voice has a setting of its own"),
        (
            ["tts.endpoint.voices=[{name: a, gender: F, split: dev}, {name: a, gender: F, split: test}]"],
            "voice a stands there 2 times; dev and test may not share one",
        ),
    ],
)
def test_what_an_endpoint_cannot_do_is_refused(overrides: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings_from(composed(["tts=openai", *overrides]))


def test_its_voices_cast_the_conversations_and_no_split_has_anothers() -> None:
    for split in ("dev", "test"):
        made = settings_from(composed(["tts=openai", "n=8", f"split={split}", "speakers=[2,3,5]", "script=template"]))
        names = {voice.name for voice in made.tts.endpoint.voices if voice.split == split}
        assert {speaker.voice for spec in planned(made) for speaker in spec.speakers} == names
    with pytest.raises(ConfigError, match=r"split 'dev' has 5 voices"):
        planned(settings_from(composed(["tts=openai", "speakers=6", "script=template"])))
    with pytest.raises(ConfigError, match=r"script=reference: its people speak with the shipped voices"):
        planned(settings_from(composed(["tts=openai", "script=reference"])))


def test_syllables_are_spelled_and_their_pitch_is_measured() -> None:
    assert spelled("h\u02c8\u0251.") == "Ha."
    with pytest.raises(ConfigError, match="cannot be asked for the sound 'zzz'"):
        spelled("zzz")
    time_s = np.arange(RATE) / RATE
    tone = sum(np.sin(2 * np.pi * 140 * k * time_s) / k for k in range(1, 12)).astype(np.float32) * 0.1
    contour, whole = contour_of(np.concatenate([np.zeros(6000, np.float32), tone]))
    middle = contour.f0[40:80]
    assert np.allclose(middle, 140, atol=2)
    assert not contour.f0[:15].any()
    assert len(contour.f0) == len(contour.energy) == len(whole) // 300


def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    with FakeEndpoint(speaks()) as fake, pytest.raises(EndpointError, match="OPENAI_API_KEY does not hold a key"):
        endpoint(fake, tmp_path).ready()
    assert not fake.requests


def asks(fake: FakeEndpoint, out: Path) -> list[str]:
    # One voice has its gain stated, the other's is measured.
    levels = ", gain_db: -5.0", ""
    listed = ",".join(
        f"{{name: {v['name']}, gender: {v['gender']}, split: {v['split']}{level}}}"
        for v, level in zip(VOICES, levels, strict=False)
    )
    return [
        "tts=openai",
        f"tts.endpoint.base_url={fake.url}",
        f"tts.endpoint.voices=[{listed}]",
        "script=template",
        "n=1",
        "duration=8",
        "speakers=2",
        "design.laughter_share=0.5",
        "tts.endpoint.retries=0",
        f"out={out}",
    ]


@pytest.mark.speech
def test_a_corpus_spoken_by_an_endpoint(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    own = {"OPENAI_API_KEY": KEY, "TURNFLOOR_CACHE": str(tmp_path / "cache")}
    with FakeEndpoint(fickle_corpus()) as fake:
        first = pipeline(*asks(fake, tmp_path / "one"), **own)
        assert first.returncode == 0, first.stderr
        asked = len(fake.requests)
        again = pipeline(*asks(fake, tmp_path / "two"), "workers=1", **own)
        assert again.returncode == 0, again.stderr
        assert len(fake.requests) == asked, "all that it needs has been said"
    assert sums(tmp_path / "one") == sums(tmp_path / "two")
    checked = pipeline(str(tmp_path / "one"), module="pipeline.validate")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    timeline = Timeline.read(next((tmp_path / "one").glob("conversations/*/timeline.json")))
    assert {utterance.voice for utterance in timeline.utterances} == {"af_heart", "bm_george"}
    for segment in timeline.segments:
        if segment.role != "laughter" and segment.ending == "yield":
            assert abs(segment.measured.end - segment.planned.end) < RATE * 0.02
    meta = json.loads(next((tmp_path / "one").glob("conversations/*/meta.json")).read_text())
    assert "speech-endpoint" in meta["voice_model"]
    kept = yaml.safe_load((tmp_path / "one" / "corpus.yaml").read_text())
    assert kept["tts"]["endpoint"]["base_url"] == fake.url
    for path in (*(tmp_path / "one").rglob("*"), *(tmp_path / "cache").rglob("*")):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in first.stdout + first.stderr


def fickle_corpus() -> Any:
    """Never says the same thing twice the same way, at a rate of its own."""
    count = [0]

    def answer(body: dict[str, Any]) -> Answer:
        count[0] += 1
        said = sound(body)
        return encoded(np.pad(soxr.resample(said, RATE, 32_000), (53 * count[0], 0)), 32_000, body["response_format"])

    return answer


def test_an_endpoint_that_fails_stops_the_run_before_anything_is_written(tmp_path: Path) -> None:
    with FakeEndpoint(Answer({"error": {"message": "no such key"}}, 401)) as fake:
        done = pipeline(*asks(fake, tmp_path / "out"), OPENAI_API_KEY=KEY, TURNFLOOR_CACHE=os.fspath(tmp_path / "c"))
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith(f"error: speech endpoint at {fake.url} answers 401")
    assert KEY not in done.stderr
    assert not (tmp_path / "out").exists()
