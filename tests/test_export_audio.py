"""NeMo, Kaldi, Moshi, VAP and WebDataset get sound and labels that agree with the corpus."""

import csv
import io
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import webdataset
from corpus_support import duo, example_corpus

from pipeline import Conversation, load_corpus
from pipeline.errors import InputError
from pipeline.export import export, main
from pipeline.exports.audio import LOUDEST, mono, resampled, wav_bytes
from pipeline.exports.speech import activity, said
from pipeline.exports.vap import HORIZON_S, WINDOW_S
from pipeline.samples import to_samples
from pipeline.timing.rttm import read_rttm


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def due_segments(corpus):
    return [(one, part) for one in corpus for part in said(one.timeline)]


# NeMo ------------------------------------------------------------------------------------------------------


def test_nemo_manifests_name_sound_that_is_there_and_long_enough(corpus, tmp_path):
    out = export(corpus, "nemo", tmp_path / "out").out
    segments = lines(out / "asr.json")
    assert [(s["text"], s["role"]) for s in segments] == [(part.text, part.role) for _, part in due_segments(corpus)]
    for line, (one, part) in zip(segments, due_segments(corpus), strict=True):
        sound, rate = soundfile.read(line["audio_filepath"], dtype="float32")
        start, length = to_samples(line["offset"], rate), to_samples(line["duration"], rate)
        assert line["duration"] > 0
        assert np.array_equal(sound[start : start + length], one.channel(part.speaker, "noisy", part.start, part.end))


def test_nemo_diarisation_has_a_recording_of_its_own_name_with_rttm_and_uem(corpus, tmp_path):
    recordings = lines(export(corpus, "nemo", tmp_path / "out", rate=16_000).out / "diarization.json")
    names = [line["audio_filepath"].rpartition("/")[2] for line in recordings]
    assert names == ["duo.wav", "example.wav", "odd.a.wav"]
    for one, line in zip(corpus, recordings, strict=True):
        assert soundfile.info(line["audio_filepath"]).samplerate == 16_000
        assert soundfile.info(line["audio_filepath"]).duration == pytest.approx(line["duration"], abs=1e-4)
        recording = read_rttm([Path(line["rttm_filepath"])])[one.id]
        assert {stretch.speaker for stretch in recording.stretches} == {speaker.id for speaker in one.speakers}
        assert Path(line["uem_filepath"]).read_text().split()[0] == one.id
        assert line["num_speakers"] == len(one.speakers)


# Kaldi -----------------------------------------------------------------------------------------------------


def table(path):
    return dict(line.split(maxsplit=1) for line in path.read_text().splitlines())


def test_a_kaldi_directory_is_sorted_and_whole(corpus, tmp_path):
    """What Kaldi's own `validate_data_dir.sh` asks for."""
    out = export(corpus, "kaldi", tmp_path / "out").out
    tables = {name: table(out / name) for name in ("wav.scp", "reco2dur", "segments", "text", "utt2spk", "spk2utt")}
    for name, found in tables.items():
        assert list(found) == sorted(found), name
        assert (out / name).read_text().count("\n") == len(found), name
    assert list(tables["segments"]) == list(tables["text"]) == list(tables["utt2spk"])
    assert (
        set(tables["wav.scp"])
        == set(tables["reco2dur"])
        == {f"{one.id}-{s.id}" for one in corpus for s in one.speakers}
    )
    assert {u: s for s, us in tables["spk2utt"].items() for u in us.split()} == tables["utt2spk"]
    assert list(tables["utt2spk"].values()) == sorted(tables["utt2spk"].values())
    assert set(table(out / "spk2gender").values()) == {"f", "m"}
    assert sorted(tables["text"].values()) == sorted(part.text for _, part in due_segments(corpus))
    for line in tables["segments"].values():
        recording, start, end = line.split()
        assert 0 <= float(start) < float(end) <= float(tables["reco2dur"][recording])
    for recording, path in tables["wav.scp"].items():
        assert soundfile.info(path).duration == pytest.approx(float(tables["reco2dur"][recording]), abs=1e-6)


# Moshi -----------------------------------------------------------------------------------------------------


def test_moshi_gets_two_speakers_in_stereo_and_the_words_of_the_left_one(corpus, tmp_path):
    done = export(corpus, "moshi", tmp_path / "out")
    assert done.conversations == ("duo",)
    (line,) = lines(done.out / "dev.jsonl")
    sound, rate = soundfile.read(done.out / line["path"], dtype="float32")
    assert (rate, sound.shape) == (24_000, (corpus["duo"].n_samples, 2))
    assert np.array_equal(sound.T, corpus["duo"].channels("noisy"))
    assert line["duration"] == len(sound) / rate
    alignments = json.loads((done.out / line["path"]).with_suffix(".json").read_text())["alignments"]
    assert [word for word, *_ in alignments] == [
        w.text for part in said(corpus["duo"].timeline) if part.speaker == "A" for w in part.words
    ]
    assert {label for *_, label in alignments} == {"SPEAKER_MAIN"}
    starts = [start for _, (start, _), _ in alignments]
    assert starts == sorted(starts)
    assert all(start < end <= line["duration"] for _, (start, end), _ in alignments)


def test_an_agent_is_moshi(tmp_path):
    first, second = duo().speakers
    timeline = duo().model_copy(update={"speakers": (first, second.model_copy(update={"role": "agent"}))})
    corpus = load_corpus(example_corpus(tmp_path / "mine", (timeline,)))
    out = export(corpus, "moshi", tmp_path / "out").out
    sound, _ = soundfile.read(out / "data_stereo/duo.wav", dtype="float32")
    assert np.array_equal(sound[:, 0], corpus["duo"].channel("B"))
    words = [word for word, *_ in json.loads((out / "data_stereo/duo.json").read_text())["alignments"]]
    assert words == [w.text for part in said(timeline) if part.speaker == "B" for w in part.words]


@pytest.mark.parametrize("name", ["moshi", "vap"])
def test_conversations_of_more_speakers_are_left_out_and_counted(corpus, tmp_path, capsys, name):
    assert main([str(corpus.path), name, str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"1 conversations as {name} in {tmp_path / 'out'}",
        f"2 left out, {name} takes conversations of 2 speakers: example, odd.a",
    ]
    with pytest.raises(InputError, match="takes conversations of 2 speakers and there is none"):
        export(corpus[1:], name, tmp_path / "other")
    assert not (tmp_path / "other").exists()


# VAP -------------------------------------------------------------------------------------------------------


def long_duo():
    """The duo with a tail, so that it has several windows."""
    timeline = duo()
    hold = timeline.ownership[-1].model_copy(update={"end": to_samples(52.0)})
    return timeline.model_copy(update={"n_samples": to_samples(52.0), "ownership": (*timeline.ownership[:-1], hold)})


def test_vap_gets_stereo_of_16_khz_and_the_activity_of_each_channel(tmp_path):
    corpus = load_corpus(example_corpus(tmp_path / "mine", (long_duo(),)))
    out = export(corpus, "vap", tmp_path / "out").out
    ((audio, vad),) = [row.values() for row in csv.DictReader((out / "audio_vad.csv").open())]
    info = soundfile.info(audio)
    assert (info.samplerate, info.channels, info.duration) == (16_000, 2, 52.0)
    timeline = corpus["duo"].timeline
    spans = [[(s.start / 24_000, s.end / 24_000) for s in activity(timeline, one)] for one in "AB"]
    found = json.loads(Path(vad).read_text())
    assert [[tuple(span) for span in channel] for channel in found] == [
        [pytest.approx(span, abs=1e-6) for span in channel] for channel in spans
    ]
    sound, rate = soundfile.read(audio)
    for channel, spans_ in enumerate(found):
        for start, end in spans_:
            inside = sound[int(start * rate) : int(end * rate)]
            assert np.std(inside[:, channel]) > 10 * 0.002


def test_vap_windows_hold_what_the_whole_list_says_of_them(tmp_path):
    corpus = load_corpus(example_corpus(tmp_path / "mine", (long_duo(),)))
    out = export(corpus, "vap", tmp_path / "out").out
    windows = list(csv.DictReader((out / "sliding_dev.csv").open()))
    assert list(windows[0]) == ["audio_path", "start", "end", "vad_list", "session", "dataset"]
    assert [(float(w["start"]), float(w["end"])) for w in windows] == [(0.0, 20.0), (15.0, 35.0), (30.0, 50.0)]
    for window in windows:
        for channel, spans in enumerate(json.loads(window["vad_list"])):
            assert all(0 <= start < end <= WINDOW_S + HORIZON_S for start, end in spans)
            assert all(one[1] < other[0] for one, other in itertools.pairwise(spans))
            whole = json.loads((out / "vad/duo.json").read_text())[channel]
            start = float(window["start"])
            at = np.arange(0.05, WINDOW_S + HORIZON_S, 0.1)
            assert [any(a <= t < b for a, b in spans) for t in at] == [
                any(a <= t + start < b for a, b in whole) for t in at
            ]


def test_a_conversation_shorter_than_a_window_has_none(corpus, tmp_path):
    out = export(corpus, "vap", tmp_path / "out").out
    assert (out / "vad/duo.json").exists()
    assert not list(out.glob("sliding_*.csv"))


# WebDataset ------------------------------------------------------------------------------------------------


def samples(path):
    return list(webdataset.WebDataset(str(path), shardshuffle=False))


def test_webdataset_reads_each_conversation_as_one_sample(corpus, tmp_path):
    out = export(corpus, "webdataset", tmp_path / "out", kind="clean").out
    assert {path.name for path in out.glob("*.tar")} == {"dev-000000.tar", "test-000000.tar"}
    found = samples(out / "test-000000.tar")
    assert [(sample["__key__"], json.loads(sample["json"])["id"]) for sample in found] == [
        ("example", "example"),
        ("odd_a", "odd.a"),
    ]
    for sample in found:
        one = corpus[json.loads(sample["json"])["id"]]
        for speaker in one.speakers:
            assert sample[f"{speaker.id.lower()}.flac"] == one.path(speaker.id, "clean").read_bytes()
        mix, _ = soundfile.read(io.BytesIO(sample["mix.flac"]), dtype="float32")
        assert np.abs(mix - one.mix("clean")).max() <= 1 / 32768
        assert json.loads(sample["gold.json"])["conversation_id"] == one.id
        assert json.loads(sample["json"])["spec"]["type"] == "argumentative"


def test_the_noisy_mix_is_that_of_the_corpus(corpus, tmp_path):
    (sample,) = samples(export(corpus, "webdataset", tmp_path / "out").out / "dev-000000.tar")
    assert sample["mix.flac"] == corpus["duo"].mix_path.read_bytes()


def test_shards_are_closed_when_they_are_full(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.exports.shards.SHARD_BYTES", 1000)
    out = export(corpus, "webdataset", tmp_path / "out").out
    assert [path.name for path in sorted(out.glob("test*.tar"))] == ["test-000000.tar", "test-000001.tar"]
    assert [s["__key__"] for name in ("test-000000.tar", "test-000001.tar") for s in samples(out / name)] == [
        "example",
        "odd_a",
    ]


def test_two_ids_with_one_key_are_refused(tmp_path):
    twins = [duo().model_copy(update={"conversation_id": ident}) for ident in ("c1.a", "c1_a")]
    corpus = example_corpus(tmp_path / "mine", tuple(twins))
    with pytest.raises(InputError, match=r"c1_a: has the key of c1\.a, c1_a; export them apart with --only"):
        export(corpus, "webdataset", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# TurnBench -------------------------------------------------------------------------------------------------


def test_turnbench_gold_is_that_of_the_corpus_with_numbered_speakers(corpus, tmp_path):
    found = json.loads((export(corpus, "turnbench", tmp_path / "out").out / "gold.json").read_text())
    assert set(found) == {"scorer_sha", "dataset_revision", "tau_pre_s", "tau_max_s", "conversations"}
    assert (found["tau_pre_s"], found["tau_max_s"]) == (0.25, 3.0)
    assert list(found["conversations"]) == list(corpus.ids)
    example = found["conversations"]["example"]
    assert example == {
        "duration_s": 14.5,
        "eot_positive_events": [{"speaker": 1, "time_s": 5.9}, {"speaker": 3, "time_s": 11.2}],
        "eot_negative_spans": [{"speaker": 1, "start": 2.8, "end": 3.6}],
        "eot_excluded": [{"speaker": 2, "start": 8.89, "end": 9.39}],
        "int_positive_events": [{"speaker": 3, "time_s": 8.4}],
        "int_negative_spans": [{"speaker": 2, "start": 1.9, "end": 2.35}, {"speaker": 1, "start": 9.6, "end": 10.4}],
        "int_excluded": [{"speaker": 3, "start": 2.95, "end": 3.9}],
    }


# Sound -----------------------------------------------------------------------------------------------------


def test_resampling_keeps_time_level_and_length():
    rate, wanted = 24_000, 16_000
    tone = (0.9 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)).astype(np.float32)
    out = resampled(np.stack([tone, tone], axis=1), rate, wanted)
    assert out.shape == (16_000, 2)
    due = 0.9 * np.sin(2 * np.pi * 440 * np.arange(wanted) / wanted)
    assert np.abs(out[800:-800, 0] - due[800:-800]).max() < 1e-3
    assert resampled(tone, rate, None) is tone


def test_a_clean_mix_that_would_clip_is_lowered_as_a_whole(corpus, monkeypatch):
    loud = corpus["duo"].mix("clean") * 12
    assert np.abs(loud).max() > 1
    monkeypatch.setattr(Conversation, "mix", lambda self, kind: loud)
    mix = mono(corpus["duo"], "clean")
    assert np.abs(mix).max() == pytest.approx(LOUDEST)
    assert np.allclose(mix / LOUDEST, loud / np.abs(loud).max(), atol=1e-6)


def test_resampling_past_full_scale_is_held_there():
    square = np.where(np.arange(24_000) % 200 < 100, 0.999, -0.999).astype(np.float32)
    samples, rate = soundfile.read(io.BytesIO(wav_bytes(square, 24_000, 16_000)))
    assert (len(samples), rate) == (16_000, 16_000)
    assert samples.max() == LOUDEST
    assert samples.min() == -1.0
