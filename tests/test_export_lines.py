"""RTTM, UEM, CTM, STM and SegLST say to their own readers what the log says."""

import decimal

import pytest
from corpus_support import example_corpus

from pipeline import load_corpus
from pipeline.export import export
from pipeline.exports.speech import activity, said
from pipeline.samples import to_samples

meeteval = pytest.importorskip("meeteval", reason="meeteval is built from source: pip install -e '.[meeteval]'")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.fixture
def out(corpus, tmp_path, request):
    return export(corpus, request.param, tmp_path / "out").out


def to(form):
    return pytest.mark.parametrize("out", [form], indirect=True)


@to("rttm")
def test_rttm_and_uem_are_read_by_meeteval_to_the_sample(corpus, out):
    for one in corpus:
        lines = meeteval.io.RTTM.load(out / f"{one.id}.rttm").lines
        assert all(line.duration > 0 for line in lines)
        found = [
            (line.speaker_id, to_samples(float(line.begin_time)), to_samples(float(line.begin_time + line.duration)))
            for line in lines
        ]
        due = [(s.id, span.start, span.end) for s in one.speakers for span in activity(one.timeline, s.id)]
        assert sorted(found) == sorted(due)
        assert found == sorted(found, key=lambda line: line[1:])
        (uem,) = meeteval.io.UEM.load(out / f"{one.id}.uem").lines
        assert (uem.filename, uem.begin_time, float(uem.end_time)) == (one.id, 0, one.duration_s)


@to("ctm")
def test_ctm_has_every_word_that_was_said_and_sounded(corpus, out):
    for one in corpus:
        lines = meeteval.io.CTM.load(out / f"{one.id}.ctm").lines
        due = [(w.text, part.speaker, w.start, w.end) for part in said(one.timeline) for w in part.words]
        found = [
            (x.word, x.channel, to_samples(float(x.begin_time)), to_samples(float(x.begin_time + x.duration)))
            for x in lines
        ]
        assert sorted(found) == sorted(word for word in due if word[2] < word[3])
        assert all(x.duration > 0 for x in lines)


@to("stm")
def test_stm_scores_against_itself_without_error(corpus, out):
    stm = meeteval.io.STM.load([out / f"{ident}.stm" for ident in corpus.ids])
    assert {line.speaker_id for line in stm.lines} == {"A", "B", "C"}
    scores = meeteval.wer.cpwer(stm, stm)
    assert set(scores) == set(corpus.ids)
    assert all(score.error_rate == 0 and score.length > 10 for score in scores.values())
    laid = {(x.begin_time, x.end_time, x.transcript) for x in stm.lines if x.filename == "example"}
    words = "But the price is—"
    assert (decimal.Decimal("2.950000"), decimal.Decimal("3.900000"), words) in laid


@to("seglst")
def test_seglst_reads_back_with_the_role_of_each_segment(corpus, out):
    for one in corpus:
        found = meeteval.io.SegLST.load(out / f"{one.id}.seglst.json")
        due = [(part.speaker, part.text, part.start, part.end, part.role) for part in said(one.timeline)]
        assert [
            (s["speaker"], s["words"], to_samples(float(s["start_time"])), to_samples(float(s["end_time"])), s["role"])
            for s in found
        ] == due
