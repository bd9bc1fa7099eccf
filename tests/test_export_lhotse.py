"""Lhotse reads the manifests, the shards and the Kaldi directory: cuts over all channels, with aligned words."""

import numpy as np
import pytest
from corpus_support import example_corpus

from pipeline import load_corpus
from pipeline.export import export
from pipeline.exports.speech import said
from pipeline.samples import to_samples

lhotse = pytest.importorskip("lhotse", reason="lhotse needs torch: pip install -e '.[lhotse]'")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.fixture(scope="module")
def manifests(corpus, tmp_path_factory):
    return export(corpus, "lhotse", tmp_path_factory.mktemp("exports") / "out").out


@pytest.mark.parametrize("name", ["recordings", "supervisions", "cuts-dev", "cuts-test"])
def test_lhotse_finds_no_fault(manifests, name):
    lhotse.validate(lhotse.load_manifest(manifests / f"{name}.jsonl"), read_data=True)


def test_a_cut_has_all_channels_and_every_segment(corpus, manifests):
    cuts = [cut for name in ("dev", "test") for cut in lhotse.load_manifest(manifests / f"cuts-{name}.jsonl")]
    assert [cut.id for cut in cuts] == list(corpus.ids)
    for cut, one in zip(cuts, corpus, strict=True):
        assert np.array_equal(cut.load_audio(), one.channels("noisy"))
        found = [
            (s.text, s.channel, to_samples(s.start), to_samples(s.end), s.custom["role"]) for s in cut.supervisions
        ]
        assert found == [(p.text, [p.channel], p.start, p.end, p.role) for p in said(one.timeline)]
        for supervision, part in zip(cut.supervisions, said(one.timeline), strict=True):
            assert [word.symbol for word in supervision.alignment["word"]] == [word.text for word in part.words]
        assert [(e["kind"], to_samples(e["onset"])) for e in cut.custom["events"]] == [
            (event.kind, event.onset) for event in one.events
        ]


def test_a_cut_can_be_cut_to_one_speech(manifests):
    (cut,) = lhotse.load_manifest(manifests / "cuts-dev.jsonl")
    parts = cut.trim_to_supervisions(keep_overlapping=False, keep_all_channels=False)
    assert all(len(part.supervisions) == 1 for part in parts)
    assert {part.num_channels for part in parts} == {1}


def test_recordings_and_supervisions_make_the_same_cuts(corpus, manifests):
    made = lhotse.CutSet.from_manifests(
        recordings=lhotse.load_manifest(manifests / "recordings.jsonl"),
        supervisions=lhotse.load_manifest(manifests / "supervisions.jsonl"),
    )
    assert {type(cut).__name__ for cut in made} == {"MultiCut"}
    assert [len(cut.supervisions) for cut in made] == [len(said(one.timeline)) for one in corpus]


def test_shards_stream_the_same_cuts_and_sound(corpus, tmp_path):
    out = export(corpus, "shar", tmp_path / "out").out
    found = [cut for split in ("dev", "test") for cut in lhotse.CutSet.from_shar(in_dir=str(out / split))]
    assert [cut.id for cut in found] == list(corpus.ids)
    for cut, one in zip(found, corpus, strict=True):
        assert np.array_equal(cut.load_audio(), one.channels("noisy"))
        assert [s.text for s in cut.supervisions] == [part.text for part in said(one.timeline)]


def test_lhotse_reads_the_kaldi_directory(corpus, tmp_path):
    from lhotse.kaldi import load_kaldi_data_dir

    out = export(corpus, "kaldi", tmp_path / "out").out
    recordings, supervisions, _ = load_kaldi_data_dir(out, sampling_rate=24_000)
    assert {recording.id for recording in recordings} == {f"{one.id}-{s.id}" for one in corpus for s in one.speakers}
    due = {(f"{one.id}-{p.speaker}", p.text, p.start) for one in corpus for p in said(one.timeline)}
    assert {(s.recording_id, s.text, to_samples(s.start)) for s in supervisions} == due
    assert np.array_equal(recordings["odd.a-C"].load_audio()[0], corpus["odd.a"].channel("C"))
