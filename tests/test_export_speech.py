"""What exports call speech; RTTM, words and labels as this project and plain eyes read them."""

import itertools

import pytest
from corpus_support import example_corpus
from floor_support import timelines
from hypothesis import given, settings

from pipeline import load_corpus
from pipeline.export import export
from pipeline.exports.speech import activity, said
from pipeline.records import Timeline, Utterance
from pipeline.records.script import LAUGHTER
from pipeline.samples import to_samples
from pipeline.timing.rttm import read_rttm
from pipeline.timing.transcripts import read_words


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.mark.parametrize("words", ["ctm", "stm"])
def test_the_project_measures_its_own_export(corpus, tmp_path, words):
    recordings = read_rttm(sorted(export(corpus, "rttm", tmp_path / "rttm").out.glob("*.rttm")))
    for one in corpus:
        found = sorted((stretch.speaker, stretch.start, stretch.end) for stretch in recordings[one.id].stretches)
        assert found == [(s.id, span.start, span.end) for s in one.speakers for span in activity(one.timeline, s.id)]
    assert read_words(sorted(export(corpus, words, tmp_path / words).out.glob(f"*.{words}")), recordings)


def test_pyannote_reads_the_same_speech(corpus, tmp_path):
    reader = pytest.importorskip("pyannote.database.util", reason="pyannote needs pandas: pip install -e '.[formats]'")
    out = export(corpus, "rttm", tmp_path / "out").out
    for one in corpus:
        annotation = reader.load_rttm(out / f"{one.id}.rttm")[one.id]
        assert annotation.labels() == [s.id for s in one.speakers]
        for speaker in one.speakers:
            due = sum(span.length for span in activity(one.timeline, speaker.id)) / one.rate
            assert annotation.label_duration(speaker.id) == pytest.approx(due, abs=1e-5)


def test_label_tracks_hold_every_event_once(corpus, tmp_path):
    out = export(corpus, "audacity", tmp_path / "out").out
    for one in corpus:
        for speaker in one.speakers:
            rows = [row.split("\t") for row in (out / f"{one.id}.{speaker.id}.txt").read_text().splitlines()]
            found = [(to_samples(float(a)), to_samples(float(b)), text.split(":")[0]) for a, b, text in rows]
            due = [(e.onset, e.offset, e.kind) for e in one.events if e.speaker == speaker.id]
            assert sorted(found) == sorted(due)
            assert found == sorted(found, key=lambda row: row[0])


# Speech ----------------------------------------------------------------------------------------------------


@given(timelines())
@settings(max_examples=40, deadline=None)
def test_activity_is_in_order_apart_and_covers_the_segments(timeline):
    for speaker in timeline.speakers:
        spans = activity(timeline, speaker.id)
        assert all(span.length for span in spans)
        assert all(one.end < other.start for one, other in itertools.pairwise(spans))
        sounding = sum(s.bounds.length for s in timeline.segments if s.speaker == speaker.id)
        assert sum(span.length for span in spans) == sounding


def test_a_pause_of_a_fifth_of_a_second_parts_speech_and_a_shorter_one_does_not(corpus):
    assert [(s.start, s.end) for s in activity(corpus["example"].timeline, "B")][1:] == [(140160, 219360)]
    assert [(s.start, s.end) for s in activity(corpus["odd.a"].timeline, "B")] == [(140160, 180000), (187200, 219360)]


def test_a_segment_without_length_is_no_speech(corpus):
    assert "s2" in {part.id for part in said(corpus["example"].timeline)}
    assert "s2" not in {part.id for part in said(corpus["odd.a"].timeline)}


def with_laugh(timeline: Timeline, written: str, words: int) -> Timeline:
    """The example in which A's laugh is a bout of 0.5 s, followed by `words` of its words."""

    def change(utterance: Utterance) -> Utterance:
        if utterance.id != "u6":
            return utterance
        kept = utterance.words[len(utterance.words) - words :]
        until = kept[0].start if kept else utterance.words[-1].end
        return utterance.model_copy(update={"written": written, "words": kept, "laugh": span(0, until)})

    def span(start, end):
        return utterances[-1].speech.model_copy(update={"start": start, "end": end})

    utterances = timeline.utterances
    return timeline.model_copy(update={"utterances": tuple(map(change, utterances))})


def test_laughter_is_no_speech_but_the_words_after_it_are(corpus):
    timeline = corpus["example"].timeline
    alone = with_laugh(timeline, LAUGHTER, 0)
    assert len(activity(alone, "A")) == 2
    assert "s7" not in {part.id for part in said(alone)}
    spoken = with_laugh(timeline, f"{LAUGHTER} ha.", 1)
    (part,) = [part for part in said(spoken) if part.id == "s7"]
    assert part.text == "ha."
    assert timeline.segment("s7").bounds.start < part.start == part.words[0].start
    assert activity(spoken, "A")[-1].start == part.start
