"""Word times are judged by an aligner whose own bias is measured first; what is wrong in the log shows."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from pipeline.boundaries.__main__ import main
from pipeline.boundaries.figures import Figures, biases, corrected, judged, row
from pipeline.boundaries.judging import Amount, knows, measure
from pipeline.boundaries.known import laid
from pipeline.boundaries.landmarks import sibilant_edge
from pipeline.boundaries.logged import energy_edges
from pipeline.boundaries.material import of_corpus
from pipeline.boundaries.sphinx import Sphinx
from pipeline.boundaries.stated import Kind, Mark, Stated, heard, kinds, marks
from pipeline.boundaries.table import table
from pipeline.records import Word
from pipeline.samples import RATE
from pipeline.speech.opening import open_backend
from pipeline.speech.settings import TtsSettings
from pipeline.speech.voices import voice


def mark(kind: Kind, error_ms: float) -> Mark:
    return Mark("v01", kind, "word", error_ms)


def test_the_bias_of_each_kind_is_its_own() -> None:
    known = [mark(Kind.ONSET_IN_SPEECH, e) for e in (18, 20, 40)] + [mark(Kind.OFFSET_IN_SPEECH, -5)]
    bias = biases(known)
    assert bias == {Kind.ONSET_IN_SPEECH: 20, Kind.OFFSET_IN_SPEECH: -5}
    found = corrected([mark(Kind.ONSET_IN_SPEECH, 25), mark(Kind.OFFSET_IN_SPEECH, -5)], bias)
    assert [one.error_ms for one in found] == [5, 0]


def test_a_log_that_is_late_is_called_late_however_biased_the_aligner() -> None:
    known = [mark(kind, 33.0) for kind in Kind]
    logged = [mark(kind, 33.0 + 50.0) for kind in Kind]
    found = judged(known, logged)
    assert found.logged["all word times"].median_ms == 50
    assert (found.logged["all word times"].within_30, found.logged["all word times"].within_60) == (0, 1)
    assert found.own_spread["all word times"].within_15 == 1


def test_shares_count_the_limit_itself() -> None:
    found = row([-60.0, -15.0, 15.0, 30.1])
    assert (found.within_15, found.within_30, found.within_60) == (0.5, 0.5, 1.0)


def test_the_kind_of_an_edge_is_read_off_the_words() -> None:
    words = [Word(text="a", start=100, end=200), Word(text="b", start=200, end=300), Word(text="c", start=350, end=400)]
    assert [kinds(words, n) for n in range(3)] == [
        (Kind.ONSET_AFTER_SILENCE, Kind.OFFSET_IN_SPEECH),
        (Kind.ONSET_IN_SPEECH, Kind.OFFSET_BEFORE_SILENCE),
        (Kind.ONSET_AFTER_SILENCE, Kind.OFFSET_BEFORE_SILENCE),
    ]


def test_phrases_are_laid_where_they_are_said_to_be() -> None:
    long, short = (
        Stated("v01", np.full(n, level, np.float32), (Word(text="a", start=0, end=9), Word(text="b", start=9, end=n)))
        for n, level in ((480, 0.1), (240, 0.2))
    )
    track = laid([long, short], [1200])
    assert [(n, edge) for n in range(4) for edge in ("start", "end") if track.states(n, edge)] == [
        (0, "start"),
        (1, "end"),
        (2, "start"),
        (3, "end"),
    ]
    for first, last, level in ((0, 1, 0.1), (2, 3, 0.2)):
        assert track.sound[track.words[first].start : track.words[last].end] == pytest.approx(level)
    assert np.count_nonzero(track.sound) == 720


def test_a_sibilant_shows_its_edges() -> None:
    rng = np.random.default_rng(1)
    hum = 0.2 * np.sin(2 * np.pi * 150 * np.arange(24_000) / 24_000) + 0.0005 * rng.standard_normal(24_000)
    hiss = np.zeros(24_000)
    hiss[12_000:15_000] = 0.1 * rng.standard_normal(3000)
    sound = (hum + hiss).astype(np.float32)
    assert sibilant_edge(sound, 12_900, rising=True) == pytest.approx(12_000, abs=96)
    assert sibilant_edge(sound, 14_300, rising=False) == pytest.approx(15_000, abs=96)
    assert sibilant_edge(hum.astype(np.float32), 12_000, rising=True) is None


def test_energy_finds_edges_within_ten_milliseconds() -> None:
    sound = np.zeros(24_000, np.float32)
    sound[7000:15_000] = 0.2 * np.random.default_rng(1).standard_normal(8000)
    start, end = energy_edges(sound) or (0, 0)
    assert (start, end) == (pytest.approx(7000, abs=240), pytest.approx(15_000, abs=240))


def test_a_drift_that_nobody_hears_is_no_speech():
    at = np.arange(2 * RATE) / RATE
    voice_then_drift = np.where(at < 1, 0.2 * np.sin(2 * np.pi * 150 * at), 0.01 * np.sin(2 * np.pi * 22 * at))
    start, end = energy_edges(voice_then_drift.astype(np.float32)) or (0, 0)
    assert start == 0
    assert end == pytest.approx(RATE, abs=0.02 * RATE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--words", "0"], "--words 0"),
        (["--known", "3"], "--known 3"),
        (["--aligners", "ear"], "'ear'"),
        (["nowhere"], "not a corpus"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


@pytest.fixture(scope="module")
def sphinx():
    return Sphinx()


@pytest.mark.speech
def test_pocketsphinx_hears_what_was_moved(sphinx: Sphinx) -> None:
    clocked = open_backend(TtsSettings()).clock("She found an old lantern, so the doctor waited.", voice("af_heart"))
    said = Stated("v07", open_backend(TtsSettings()).render(clocked), clocked.words)
    spans = heard(said, sphinx)
    found = list(marks(said, spans))
    assert len(found) == 2 * len(clocked.words)
    assert np.median([abs(one.error_ms) for one in found]) < 40
    moved = tuple(word.model_copy(update={"start": word.start + 2400, "end": word.end + 2400}) for word in said.words)
    later = list(marks(replace(said, words=moved), spans))
    assert [one.error_ms for one in later] == pytest.approx([one.error_ms + 100 for one in found])
    delayed = np.concatenate([np.zeros(2400, np.float32), said.sound])
    again = heard(replace(said, sound=delayed), sphinx)
    assert again is not None
    assert np.median([abs(b.start - a.start - 2400) for a, b in zip(spans, again, strict=True)]) <= 120
    assert spans == heard(said, sphinx)


@pytest.mark.speech
def test_unknown_words_are_left_out(sphinx) -> None:
    assert knows(sphinx, Stated("v01", np.zeros(9, np.float32), (Word(text="I’d", start=0, end=9),)))
    assert not knows(sphinx, Stated("v01", np.zeros(9, np.float32), (Word(text="Xyzzyb", start=0, end=9),)))


@pytest.mark.speech
def test_logged_times_of_a_conversation_hold(tiny: Path, sphinx) -> None:
    """One short conversation; the thousand words are judged by `python -m pipeline.boundaries`."""
    amount = Amount(words=40, voices=2, known=8)
    found = measure(islice(of_corpus(tiny), 1), [sphinx], amount, "tiny")
    check(found, least=30)
    assert Figures.model_validate(json.loads(found.to_json())) == found
    assert any(line.startswith("all word times") for line in table(found))


@pytest.mark.slow
@pytest.mark.speech
def test_logged_times_of_a_corpus_hold(tiny: Path, sphinx) -> None:
    found = measure(of_corpus(tiny), [sphinx], Amount(words=10**6), "tiny")
    check(found, least=200)


def check(found: Figures, least: int) -> None:
    words = found.aligners["pocketsphinx"].logged["all word times"]
    assert words.n >= 2 * least
    assert abs(words.median_ms) <= 15
    assert words.within_60 >= 0.95
    for edge in found.outer.values():
        assert edge.within_15 >= 0.95
