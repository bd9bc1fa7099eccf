"""A corpus loads as data: records, and just the stretch of sound that was asked for."""

import re
import subprocess
import sys

import numpy as np
import pytest
import soundfile
from command_support import ROOT
from corpus_support import example_corpus

from pipeline import Conversation, Corpus, load_corpus
from pipeline.errors import InputError
from pipeline.gold import gold

README = ROOT / "README.md"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.fixture
def example(corpus) -> Conversation:
    return corpus["example"]


def test_conversations_come_in_order_by_id_and_by_place(corpus):
    assert corpus.ids == ("duo", "example", "odd.a")
    assert [conversation.id for conversation in corpus] == list(corpus.ids)
    assert corpus[-1].id == "odd.a"
    assert corpus[:2].ids == ("duo", "example")


def test_records_are_those_of_the_files(example):
    assert example.gold == gold(example.timeline)
    assert example.events == example.timeline.events
    assert example.spec.type == "argumentative"
    assert [speaker.id for speaker in example.speakers] == ["A", "B", "C"]
    assert example.duration_s == 14.5


@pytest.mark.parametrize("kind", ["clean", "noisy"])
def test_channels_are_the_files_as_float32(example, kind):
    whole = example.channels(kind)
    assert whole.shape == (3, example.n_samples)
    assert whole.dtype == np.float32
    for row, speaker in zip(whole, "ABC", strict=True):
        assert np.array_equal(row, soundfile.read(example.folder / kind / f"{speaker}.flac", dtype="float32")[0])
        assert np.array_equal(row, example.channel(speaker, kind))


def test_a_stretch_is_the_same_in_samples_and_in_seconds(example):
    event = next(event for event in example.events if event.kind == "backchannel")
    part = example.channel("B", "clean", event.onset, event.offset)
    assert np.array_equal(part, example.channel("B", "clean")[event.onset : event.offset])
    assert np.array_equal(part, example.channel("B", "clean", start_s=1.9, end_s=2.35))
    assert np.array_equal(part, example.channels("clean", event.onset, event.offset)[1])
    assert example.channel("A", start=5, end=5).size == 0


def test_only_the_stretch_is_decoded(example, monkeypatch):
    read, frames = soundfile.SoundFile.read, []
    monkeypatch.setattr(
        soundfile.SoundFile, "read", lambda self, n=-1, *rest, **more: frames.append(n) or read(self, n, *rest, **more)
    )
    example.channel("A", start=100_000, end=100_240)
    assert frames == [240]


def test_the_mix_sounds_the_shared_noise_once(example):
    mix = example.mix(start_s=12.0)
    assert np.array_equal(mix, soundfile.read(example.mix_path, dtype="float32", start=288_000)[0])
    assert np.allclose(example.mix("clean"), example.channels("clean").sum(axis=0))
    assert np.std(mix) < 1.2 * np.std(example.channel("A", start_s=12.0))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: c.channel("Z"), "example: no speaker 'Z'; there are A, B, C"),
        (lambda c: c.channel("A", "dry"), "channels are clean or noisy, not 'dry'"),
        (lambda c: c.channel("A", end_s=20.0), "no samples 0 to 480000 there; it has 0 to 348000"),
        (lambda c: c.channel("A", start=-1), "no samples -1 to 348000"),
        (lambda c: c.mix(start=5, start_s=1.0), "in samples or in seconds, not in both"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(example, call, said):
    with pytest.raises(InputError, match=said):
        call(example)


def test_a_folder_that_is_no_corpus_and_an_id_that_is_not_there_are_refused(corpus, tmp_path):
    with pytest.raises(InputError, match="not a corpus"):
        load_corpus(tmp_path)
    (tmp_path / "conversations").mkdir()
    with pytest.raises(InputError, match="no finished conversation"):
        load_corpus(tmp_path)
    with pytest.raises(InputError, match=r"no conversation 'c9'; there are duo, example, odd\.a"):
        corpus["c9"]


def test_a_conversation_of_the_manifest_that_is_gone_is_named(tmp_path):
    corpus = example_corpus(tmp_path / "mine")
    (corpus / "conversations/duo/meta.json").unlink()
    with pytest.raises(InputError, match=r"conversation 'duo' of manifest\.jsonl is not there whole"):
        load_corpus(corpus)


def test_the_lines_of_the_readme_run(corpus):
    (lines,) = re.findall(r"^```python\n(from pipeline import load_corpus.*?)```", README.read_text(), re.M | re.S)
    found = {}
    exec(lines.replace("corpora/mine", str(corpus.path)).replace("c0000", "example"), found)  # noqa: S102 - the lines of our own README
    assert found["everybody"].shape == (3, 348_000)
    assert found["mono"].shape == (348_000,)
    assert found["heard"].dtype == np.float32


def test_importing_the_package_imports_nothing_heavy():
    program = "import sys, pipeline; print(sorted({'numpy', 'pydantic', 'soundfile', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    program = (
        "import sys; from pipeline import load_corpus; print('scipy' in sys.modules, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"
