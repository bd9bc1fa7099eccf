"""Listening through a corpus by recognition: which words are asked about, and what a missing judge says."""

from pathlib import Path

import pytest

from pipeline import recognise
from pipeline.errors import ConfigError
from pipeline.judges import need, plain
from pipeline.records import Timeline


def test_words_at_a_cut_off_are_not_asked_about(tiny: Path) -> None:
    """Every word that ends in a segment belongs to it alone; those beyond a cut-off belong to none."""
    cut = 0
    for path in sorted(tiny.glob("conversations/*/timeline.json")):
        timeline = Timeline.read(path)
        for utterance in timeline.utterances:
            segments = [segment for segment in timeline.segments if segment.utterance_id == utterance.id]
            said = [word for segment in segments for word in recognise.words_within(segment, timeline)]
            assert said == [word.text for word in utterance.words][: len(said)]
            cut += len(said) < len(utterance.words)
        ended = {segment.ending for segment in timeline.segments}
        assert "interrupted" not in ended or cut
    assert cut


def test_words_are_compared_without_case_stops_and_figures() -> None:
    assert plain("It\u2019s 42, isn't it?") == "it's forty two isn't it"


def test_a_missing_judge_is_told_with_its_remedy() -> None:
    with pytest.raises(ConfigError, match=r"package nowhere_to_be_had is missing: pip install 'turnfloor\[quality\]'"):
        need("json", "nowhere_to_be_had")


def test_what_is_no_corpus_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognise, "need", lambda *modules: None)
    assert recognise.main([str(tmp_path)]) == 2
    assert "not a corpus" in capsys.readouterr().err


@pytest.mark.slow
def test_the_words_are_heard(tiny: Path) -> None:
    """Whisper (tiny.en) on the clean channels: nine words in ten at least, its own errors included."""
    pytest.importorskip("faster_whisper", reason="the extra `quality` is not installed")
    heard = list(recognise.listened(sorted(tiny.glob("conversations/*"))[0]))
    assert sum(one.errors for one in heard) / sum(one.words for one in heard) < 0.1
