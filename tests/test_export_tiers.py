"""TextGrid and EAF hold every event, to the sample or the millisecond, whatever touches, overlaps or is empty."""

import itertools

import pympi
import pytest
import soundfile
import textgrid
from corpus_support import example_corpus
from floor_support import timelines
from hypothesis import given, settings
from praatio import textgrid as praat

from pipeline import load_corpus
from pipeline.export import export
from pipeline.exports.speech import said
from pipeline.exports.textgrid import textgrid_text
from pipeline.samples import to_samples, to_seconds


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_corpus(example_corpus(tmp_path_factory.mktemp("corpora") / "mine"))


@pytest.fixture(scope="module")
def grids(corpus, tmp_path_factory):
    return export(corpus, "textgrid", tmp_path_factory.mktemp("grids")).out


@pytest.fixture(scope="module")
def eafs(corpus, tmp_path_factory):
    return export(corpus, "eaf", tmp_path_factory.mktemp("eafs")).out


def marks_of(grid, tier):
    """All non-empty intervals of a tier and its further rows, as textgrid reads them."""
    parts = [t for t in grid.tiers if t.name == tier or t.name.removeprefix(f"{tier} ").isdigit()]
    found = [(to_samples(float(i.minTime)), to_samples(float(i.maxTime)), i.mark) for t in parts for i in t if i.mark]
    return sorted(found)


def due(conversation, speaker, kind):
    return sorted((e.onset, e.offset, e.text) for e in conversation.events if (e.speaker, e.kind) == (speaker, kind))


def test_every_event_is_in_the_tier_of_its_speaker_and_kind(corpus, grids):
    for one in corpus:
        grid = textgrid.TextGrid.fromFile(str(grids / f"{one.id}.TextGrid"))
        assert float(grid.maxTime) == one.duration_s
        for kind in {event.kind for event in one.events}:
            for speaker in "ABC":
                found, events = marks_of(grid, f"{speaker} {kind}"), due(one, speaker, kind)
                assert [start for start, _, _ in found] == [start for start, _, _ in events]
                # What is shorter than a millisecond is made a millisecond.
                assert [end for _, end, _ in found] == [max(end, start + 24) for start, end, _ in events]
                assert all(text in ("", mark) for (*_, mark), (*_, text) in zip(found, events, strict=True))


def test_praatio_takes_every_tier_and_keeps_quotation_marks(corpus, grids):
    for one in corpus:
        grid = praat.openTextgrid(str(grids / f"{one.id}.TextGrid"), includeEmptyIntervals=False, reportingMode="error")
        assert grid.validate("error")
        words = [(w.start, w.text) for part in said(one.timeline) if part.speaker == "A" for w in part.words]
        found = [(to_samples(entry.start), entry.label) for entry in grid.getTier("A words").entries]
        assert found == sorted(words)
    assert 'She said "no" & <left>…' in [entry.label for entry in grid.getTier("A turn_yield").entries]


def test_what_overlaps_in_a_tier_goes_to_a_further_row(grids):
    grid = textgrid.TextGrid.fromFile(str(grids / "odd.a.TextGrid"))
    names = [tier.name for tier in grid.tiers if "laughter" in tier.name]
    assert names == ["A laughter", "A laughter 2"]


def test_the_floor_has_a_tier(corpus, grids):
    grid = textgrid.TextGrid.fromFile(str(grids / "example.TextGrid"))
    track = [(s.start, s.end, s.holder) for s in corpus["example"].timeline.ownership if s.holder]
    assert marks_of(grid, "floor") == track


@given(timelines())
@settings(max_examples=25, deadline=None)
def test_any_timeline_gives_a_grid_that_readers_take(timeline):
    class Given:
        id, rate, n_samples, events = timeline.conversation_id, timeline.rate, timeline.n_samples, timeline.events

    Given.timeline = timeline
    grid = praat.textgrid_io.parseTextgridStr(textgrid_text(Given), includeEmptyIntervals=True)
    for tier in grid["tiers"]:
        entries = [(float(start), float(end)) for start, end, _ in tier["entries"]]
        assert all(start < end for start, end in entries)
        assert all(one[1] == other[0] for one, other in itertools.pairwise(entries))
        assert (entries[0][0], entries[-1][1]) == (0, to_seconds(timeline.n_samples, timeline.rate))


def test_eaf_has_the_same_tiers_with_their_speakers(corpus, eafs, grids):
    for one in corpus:
        document = pympi.Eaf(str(eafs / f"{one.id}.eaf"))
        grid = textgrid.TextGrid.fromFile(str(grids / f"{one.id}.TextGrid"))
        assert set(document.get_tier_names()) == {tier.name for tier in grid.tiers}
        for tier in grid.tiers:
            found = sorted(document.get_annotation_data_for_tier(tier.name))
            intervals = [i for i in tier if i.mark]
            assert [text for *_, text in found] == [i.mark for i in intervals]
            for (start, end, _), interval in zip(found, intervals, strict=True):
                assert start < end
                assert abs(start / 1000 - float(interval.minTime)) <= 0.0015
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(found))
        assert document.get_parameters_for_tier("A words")["PARTICIPANT"] == "A"


def test_eaf_names_the_sound_beside_it(corpus, eafs):
    document = pympi.Eaf(str(eafs / "example.eaf"))
    (media,) = document.get_linked_files()
    assert (media["RELATIVE_MEDIA_URL"], media["MIME_TYPE"]) == ("./example.wav", "audio/x-wav")
    info = soundfile.info(eafs / "example.wav")
    assert (info.frames, info.samplerate, info.channels) == (corpus["example"].n_samples, 24000, 1)
    assert document.adocument["DATE"] == "1970-01-01T00:00:00+00:00"
