"""The `datasets` library reads the parquet: TurnBench's columns, a mono audio column a speaker."""

import io

import numpy as np
import pytest
import soundfile
from corpus_support import example_corpus

from pipeline import load_corpus
from pipeline.export import export
from pipeline.records import Gold

datasets = pytest.importorskip("datasets", reason="datasets is 300 MB with what it needs: pip install -e '.[formats]'")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.fixture(scope="module")
def out(corpus, tmp_path_factory):
    return export(corpus, "huggingface", tmp_path_factory.mktemp("exports") / "out", kind="clean").out


@pytest.fixture(scope="module")
def loaded(out, tmp_path_factory):
    datasets.disable_progress_bars()
    return datasets.load_dataset(str(out), cache_dir=str(tmp_path_factory.mktemp("cache")))


def undecoded(split):
    """With the bytes of the files: decoding needs torch."""
    for name in split.column_names:
        if name.endswith("_audio"):
            split = split.cast_column(name, datasets.Audio(decode=False))
    return split


def test_the_splits_are_those_of_the_corpus(loaded):
    assert {name: split["conversation_id"][:] for name, split in loaded.items()} == {
        "dev": ["duo"],
        "test": ["example", "odd.a"],
    }


def test_the_columns_are_turnbenchs_and_go_on_for_further_speakers(loaded):
    features = loaded["test"].features
    for number in (1, 2, 3):
        assert features[f"speaker_{number}_audio"] == datasets.Audio(sampling_rate=24_000)
        for annotator in "abc":
            track = features[f"speaker_{number}_annotation_{annotator}"].feature
            assert {name: value.dtype for name, value in track.items()} == {
                "start_s": "float64",
                "end_s": "float64",
                "label": "string",
                "text": "string",
            }


def test_each_speaker_has_the_channel_to_the_sample_and_who_is_absent_none(corpus, loaded):
    for split in loaded.values():
        for row in undecoded(split):
            one = corpus[row["conversation_id"]]
            for number, speaker in enumerate(one.speakers, 1):
                sound, rate = soundfile.read(io.BytesIO(row[f"speaker_{number}_audio"]["bytes"]), dtype="float32")
                assert rate == 24_000
                assert np.array_equal(sound, one.channel(speaker.id, "clean"))
                assert row[f"speaker_{number}_actor_id"] == speaker.voice
    (duo,) = undecoded(loaded["dev"])
    assert duo["speaker_3_audio"] is None
    assert duo["speaker_3_annotation_a"] == []


def test_the_annotations_of_the_example_are_those_of_its_table(loaded):
    example = undecoded(loaded["test"])[0]
    tracks = [[tuple(x.values()) for x in example[f"speaker_{n}_annotation_a"]] for n in (1, 2, 3)]
    assert [[(start, end, label) for start, end, label, _ in track] for track in tracks] == [
        [(0.3, 2.8, "Normal Turn"), (3.6, 5.9, "Normal Turn"), (9.6, 10.4, "Laughter")],
        [(1.9, 2.35, "Acknowledgement Backchannel"), (5.84, 9.14, "Normal Turn")],
        [
            (2.95, 3.9, "Non-floor Taking Competitive Interruption"),
            (8.4, 11.2, "Floor-taking Competitive Interruption"),
        ],
    ]
    assert tracks[0][0][3] == "So I think we should book the early train,"
    for number in (1, 2, 3):
        assert example[f"speaker_{number}_annotation_a"] == example[f"speaker_{number}_annotation_c"]


def test_events_and_gold_are_there(corpus, loaded):
    for row in undecoded(loaded["test"]):
        one = corpus[row["conversation_id"]]
        assert Gold.from_json(row["gold"]) == one.gold
        numbers = [speaker.id for speaker in one.speakers]
        assert [(e["kind"], numbers[e["speaker"] - 1], round(e["onset_s"] * 24_000)) for e in row["events"]] == [
            (event.kind, event.speaker, event.onset) for event in one.events
        ]


def test_a_folder_of_one_split_opens_as_turnbench_opens_it(out):
    """Its scorer reads the files of a folder with pyarrow, chosen columns only, and casts the audio."""
    names = ["conversation_id", "speaker_1_audio", "speaker_2_annotation_b"]
    (file,) = (out / "dev").glob("*.parquet")
    rows = datasets.Dataset(parquet.read_table(file, columns=names))
    (row,) = rows.cast_column("speaker_1_audio", datasets.Audio(decode=False))
    assert row["speaker_1_audio"]["bytes"][:4] == b"fLaC"
    assert {"start_s", "end_s", "label", "text"} == set(row["speaker_2_annotation_b"][0])


def test_files_are_closed_when_they_are_full(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.exports.huggingface.SHARD_BYTES", 1000)
    out = export(corpus, "huggingface", tmp_path / "out").out
    assert [path.name for path in sorted((out / "test").iterdir())] == ["00000.parquet", "00001.parquet"]
    split = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"), split="test")
    assert split["conversation_id"][:] == ["example", "odd.a"]


def test_the_card_says_where_the_rows_are_and_under_which_terms(out):
    hub = pytest.importorskip("huggingface_hub")
    card = hub.DatasetCard.load(out / "README.md")
    assert {one["split"] for one in card.data.configs[0]["data_files"]} == {"dev", "test"}
    assert card.data.license
    assert "Everything you hear in this corpus is synthetic" in card.text
    assert "GPL-3.0, run, not distributed" in card.text
