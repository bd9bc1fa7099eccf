"""Texts that no writer should send: said whole or refused in one line, and no word lost on the way."""

import re
import string
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pipeline.errors import ScriptError
from pipeline.samples import RATE
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.cache import ArrayCache
from pipeline.speech.g2p import phonemise
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.normalise import sayable, to_spoken
from pipeline.speech.pieces import MOST
from pipeline.speech.voices import voice
from pipeline.text import words_of

SIGNS_WITH_A_NAME = "%&+=@$£€°±"
SILENT_MARKS = [mark for mark in string.punctuation if mark not in SIGNS_WITH_A_NAME]
SILENT_MARKS += ["—", "–", "…", "...", "“”", "?!", "🙂", "[laughs]", "()", "- -", "\u200b", " ", ""]
CLAUSE = "and then we all went down to the old harbour with a bag of bread for the birds "
NO_MARKS = (CLAUSE * 19)[:1500].rsplit(" ", 1)[0]
"""1,500 characters, all words and blanks."""
LETTERS = st.text(st.sampled_from(string.printable[:95] + "’“”–—…éñ½£€°"), max_size=50)


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> KokoroOnnx:
    return KokoroOnnx(cache=ArrayCache(tmp_path_factory.mktemp("odd")))


@settings(max_examples=40, deadline=None)
@given(LETTERS, st.booleans())
@example("0`v", False)
def test_the_phonemiser_reads_whatever_the_normaliser_gives(text: str, british: bool) -> None:
    spoken = to_spoken(text).text
    assume(any(map(str.isalpha, spoken)))
    tokens = phonemise(spoken, british)
    assert "".join(token.text + token.whitespace for token in tokens) == spoken
    for token in tokens:
        if any(map(str.isalpha, token.text)):
            assert any(map(str.isalpha, token.phonemes)), f"{token.text} is silent in {spoken}"


@pytest.mark.parametrize("mark", SILENT_MARKS)
def test_marks_alone_are_refused(backend: KokoroOnnx, mark: str) -> None:
    with pytest.raises(ScriptError) as refused:
        backend.clock(mark, voice("af_heart"))
    assert str(refused.value) == f"nothing in {mark!r} can be said: write words"


@pytest.mark.parametrize("british", [False, True])
def test_every_letter_has_a_sound_and_the_article_is_no_letter(british: bool) -> None:
    for letter in string.ascii_letters:
        (token,) = phonemise(letter, british)
        assert any(map(str.isalpha, token.phonemes)), letter
    article, named = phonemise("A plan", british)[0], phonemise("plan A", british)[1]
    assert article.phonemes != named.phonemes
    assert phonemise("A B C", british)[0].phonemes == named.phonemes


@pytest.mark.parametrize(("written", "like"), [("Soooo", "so"), ("hmmmmm", "hmm"), ("yesss", "yes"), ("coool", "cool")])
def test_a_drawn_out_word_is_the_word(written: str, like: str) -> None:
    assert phonemise(written)[0].phonemes == phonemise(like)[0].phonemes


def test_a_word_beside_another_in_capitals_is_not_silent() -> None:
    assert all(token.phonemes for token in phonemise("ĝe psWłah"))


@pytest.mark.speech
@pytest.mark.parametrize("text", ["I", "x", "%", "(%)", "W.", "Xqzt", "№ 5", "a!"])
def test_the_smallest_texts_are_one_or_two_words_with_a_sound(backend: KokoroOnnx, text: str) -> None:
    clocked = backend.clock(text, voice("am_adam"))
    assert [word.text for word in clocked.words] == (words_of(text) or [text])
    assert 0.1 * RATE < clocked.speech.length < 1.5 * RATE
    assert (clocked.words[0].start, clocked.words[-1].end) == (clocked.speech.start, clocked.speech.end)
    assert all(word.end > word.start for word in clocked.words)


@pytest.mark.speech
def test_a_letter_is_heard_where_it_is_logged(backend: KokoroOnnx) -> None:
    clocked = backend.clock("x", voice("af_heart"))
    sound = backend.render(clocked)
    measured = measure_bounds(sound, below_db=35)
    assert np.abs(sound[clocked.speech.start : clocked.speech.end]).max() > 0.05
    assert abs(measured.start - clocked.speech.start) < 0.04 * RATE
    assert abs(measured.end - clocked.speech.end) < 0.06 * RATE


@pytest.mark.speech
def test_1500_characters_without_a_mark_keep_every_word(backend: KokoroOnnx) -> None:
    clocked = backend.clock(NO_MARKS, voice("bf_emma"))
    assert len(NO_MARKS) > 1480
    assert [word.text for word in clocked.words] == NO_MARKS.split()
    assert all(word.end > word.start for word in clocked.words)
    assert all(len(piece.phonemes) <= MOST for piece in clocked.pieces)
    lengths = [len(piece.phonemes) for piece in clocked.pieces]
    assert min(lengths) > 0.6 * max(lengths)
    opener = phonemise("and we", british=True)[0].phonemes
    assert {piece.phonemes.split(" ")[0] for piece in clocked.pieces} == {opener}


@pytest.mark.speech
@pytest.mark.parametrize("word", ["ba" * 60, "ba-" * 400 + "ba"])
def test_a_word_without_end_is_refused(backend: KokoroOnnx, word: str) -> None:
    with pytest.raises(ScriptError, match=r"word 'ba-?ba.*' is too long to be said: write a shorter one"):
        backend.clock("so " + word, voice("af_heart"))


HEARD = {
    "1,500 characters without a mark": NO_MARKS,
    "long": "We tried it twice last year, and nobody came to either of the two meetings. " * 8,
    "figures": "Dr. Lee came at 3:30 on 12 March 2024, paid $3.50 for 2.5 kg of rice and went to St. Louis by train.",
    "signs": "Salt & pepper cost 5% more, i.e. about 20p, at 12 Elm St. in 1998.",
}


@pytest.fixture(scope="module")
def hear() -> Callable[[np.ndarray], str]:
    pytest.importorskip("faster_whisper", reason="the extra `quality` is not installed")
    from pipeline.judges import recogniser

    return recogniser()


@pytest.mark.slow
@pytest.mark.parametrize("name", HEARD)
def test_no_word_is_lost_to_the_ear(backend: KokoroOnnx, hear: Callable[[np.ndarray], str], name: str) -> None:
    """Whisper (tiny.en) misses at most one spoken word in thirty, its own errors included."""
    import jiwer
    import librosa

    from pipeline.judges import JUDGE_RATE, plain

    clocked = backend.clock(HEARD[name], voice("af_heart"))
    sound = librosa.resample(backend.render(clocked), orig_sr=RATE, target_sr=JUDGE_RATE)
    # Both sides are normalised, since the recogniser writes figures, and a time as 330.
    figures = re.sub(r"\bat (\d{1,2})(\d\d)\b", r"at \1:\2", hear(sound))
    said, heard = (plain(sayable(text).text) for text in (HEARD[name], figures))
    measured = jiwer.process_words(said, heard)
    assert measured.deletions <= len(said.split()) / 30, heard
    assert measured.wer < 0.12, heard
