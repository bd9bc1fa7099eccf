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
from pipeline.boundaries.known import laid, tracks
from pipeline.boundaries.logged import energy_edges
from pipeline.boundaries.material import of_corpus
from pipeline.boundaries.stated import Kind, Mark, Stated, kinds, marks
from pipeline.boundaries.table import table
from pipeline.records import Word
from pipeline.speech.opening import open_backend
from pipeline.speech.settings import TtsSettings
from pipeline.speech.voices import voice

WORDS = ("river", "lantern", "seven", "doctor", "money", "window", "Thursday", "garden")


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
    found = judged(known, logged, left_out=0)
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


def test_words_are_laid_where_they_are_said_to_be() -> None:
    track = laid("v01", ["a", "b"], [np.full(480, 0.1, np.float32), np.full(240, 0.2, np.float32)], [1200])
    for word, level in zip(track.words, (0.1, 0.2), strict=True):
        assert track.sound[word.start : word.end] == pytest.approx(level)
    assert np.count_nonzero(track.sound) == 720


def test_energy_finds_edges_within_ten_milliseconds() -> None:
    sound = np.zeros(24_000, np.float32)
    sound[7000:15_000] = 0.2 * np.random.default_rng(1).standard_normal(8000)
    start, end = energy_edges(sound)
    assert (start, end) == (pytest.approx(7000, abs=240), pytest.approx(15_000, abs=240))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--words", "0"], "--words 0"),
        (["--known", "7"], "--known 7"),
        (["--aligners", "ear"], "'ear'"),
        (["nowhere"], "not a corpus"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pocketsphinx", reason="extra align")
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


@pytest.fixture(scope="module")
def sphinx():
    pytest.importorskip("pocketsphinx", reason="extra align")
    from pipeline.boundaries.sphinx import Sphinx

    return Sphinx()


@pytest.mark.speech
def test_pocketsphinx_finds_words_where_they_were_laid(sphinx) -> None:
    apart, abutting = tracks(open_backend(TtsSettings()), voice("af_heart"), WORDS, seed=3)
    for track in (apart, abutting):
        found = marks(track, sphinx)
        assert len(found) == 2 * len(WORDS)
        assert np.median([abs(one.error_ms) for one in found]) < 40
        later = replace(
            track, words=tuple(w.model_copy(update={"start": w.start + 2400, "end": w.end + 2400}) for w in track.words)
        )
        assert np.mean([one.error_ms for one in marks(later, sphinx)]) == pytest.approx(
            np.mean([one.error_ms for one in found]) + 100
        )
    assert marks(apart, sphinx) == marks(apart, sphinx)


@pytest.mark.speech
def test_unknown_words_are_left_out(sphinx) -> None:
    assert knows(sphinx, Stated("v01", np.zeros(9, np.float32), (Word(text="I’d", start=0, end=9),)))
    assert not knows(sphinx, Stated("v01", np.zeros(9, np.float32), (Word(text="Xyzzyb", start=0, end=9),)))


@pytest.mark.speech
def test_logged_times_of_a_conversation_hold(tiny: Path, sphinx) -> None:
    """One short conversation; the thousand words are judged by `python -m pipeline.boundaries`."""
    amount = Amount(words=40, voices=2, known=8)
    found = measure(islice(of_corpus(tiny), 1), open_backend(TtsSettings()), [sphinx], amount, "tiny")
    check(found, least=30)
    assert Figures.model_validate(json.loads(found.to_json())) == found
    assert any(line.startswith("all word times") for line in table(found))


@pytest.mark.slow
@pytest.mark.speech
def test_logged_times_of_a_corpus_hold(tiny: Path, sphinx) -> None:
    found = measure(of_corpus(tiny), open_backend(TtsSettings()), [sphinx], Amount(words=10**6), "tiny")
    check(found, least=200)


def check(found: Figures, least: int) -> None:
    words = found.aligners["pocketsphinx"].logged["all word times"]
    assert words.n >= 2 * least
    assert abs(words.median_ms) <= 15
    assert words.within_60 >= 0.95
    for edge in found.outer.values():
        assert edge.within_15 >= 0.95
