"""Words get their sample ranges from durations, the energy curve and the written text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ModelError, ScriptError
from pipeline.models.graphs import FRAME
from pipeline.records.span import Span
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.normalise import to_spoken
from pipeline.speech.pieces import in_pieces, length, phonemes_of
from pipeline.speech.plan import HOP, inner_silences, speech_span
from pipeline.speech.voices import EnergyRule
from pipeline.speech.words import LATE, pauses, timing, word_ranges

TOKENS = [
    TokenPhonemes("Well", "wel", ""),
    TokenPhonemes(",", ",", " "),
    TokenPhonemes("go", "gO", " "),
    TokenPhonemes("home", "hOm", ""),
    TokenPhonemes(".", ".", ""),
]
FRAMES = [10, 4, 4, 4, 8, 2, 4, 4, 2, 4, 4, 4, 6, 8]  # silent, w e l , space g O space h O m . silent


def test_inner_boundaries_lie_where_the_phonemes_before_the_space_end_and_34_ms_earlier() -> None:
    times = timing(TOKENS, FRAMES)
    before_space = sum(FRAMES[:8]) * FRAME
    assert times.at(len("Well, go ")) == before_space - LATE == before_space - 816
    assert times.at(0) == 10 * FRAME - LATE


def test_first_word_starts_at_the_onset_and_last_ends_at_the_offset() -> None:
    speech = Span(start=5000, end=38_000)
    words = word_ranges("Well, go home.", to_spoken("Well, go home."), timing(TOKENS, FRAMES), speech, [])
    assert [word.text for word in words] == ["Well", "go", "home"]
    assert (words[0].start, words[-1].end) == (5000, 38_000)
    assert words[1].end == words[2].start


def test_words_end_and_start_at_the_edges_of_a_silence_between_them() -> None:
    silence = Span(start=14_000, end=17_000)
    speech = Span(start=5000, end=38_000)
    written = "Well, go home."
    words = word_ranges(written, to_spoken(written), timing(TOKENS, FRAMES), speech, [silence])
    assert (words[0].end, words[1].start) == (14_000, 17_000)
    (pause,) = pauses([silence], words, written)
    assert pause.clause


def test_a_silence_inside_a_word_is_no_clause_boundary() -> None:
    speech = Span(start=5000, end=38_000)
    written = "Well, go home."
    inside = Span(start=30_000, end=32_400)
    words = word_ranges(written, to_spoken(written), timing(TOKENS, FRAMES), speech, [inside])
    (pause,) = pauses([inside], words, written)
    assert not pause.clause
    assert words[2].end == 38_000


def test_a_word_that_opens_a_clause_makes_a_boundary_without_a_comma() -> None:
    tokens = [TokenPhonemes("go", "gO", " "), TokenPhonemes("but", "bʌt", " "), TokenPhonemes("not", "nat", "")]
    frames = [10, 5, 9, 6, 4, 4, 4, 2, 4, 4, 4, 8]
    silence = Span(start=14_000, end=16_500)
    words = word_ranges(
        "go but not", to_spoken("go but not"), timing(tokens, frames), Span(start=4000, end=35_000), [silence]
    )
    assert pauses([silence], words, "go but not")[0].clause


def test_onset_and_offset_follow_the_rule_of_the_voice() -> None:
    energy = np.full(100, -9.0, np.float32)
    energy[20:60] = 5.0
    energy[60:70] = 0.5
    low = speech_span(energy, EnergyRule(onset=0, offset=0, offset_shift_ms=-12.5))
    assert low == Span(start=20 * HOP, end=70 * HOP - HOP)
    assert speech_span(energy, EnergyRule(onset=1, offset=1)).end == 60 * HOP


def test_a_plan_without_speech_is_an_error() -> None:
    with pytest.raises(ModelError, match="silence"):
        speech_span(np.full(50, -9.0, np.float32), EnergyRule())


def test_silences_shorter_than_80_ms_are_part_of_speech() -> None:
    energy = np.full(100, 5.0, np.float32)
    energy[20:26] = energy[40:47] = -9.0
    assert inner_silences(energy, EnergyRule(), Span(start=0, end=100 * HOP)) == [Span(start=40 * HOP, end=47 * HOP)]


def test_long_text_is_cut_after_the_strongest_mark() -> None:
    sentence = (
        [TokenPhonemes("word", "wɜd", " ")] * 30 + [TokenPhonemes(",", ",", " ")] + [TokenPhonemes("on", "on", "")]
    )
    tokens = [*sentence, TokenPhonemes(".", ".", " ")] * 5
    pieces = in_pieces(tokens, 300)
    assert [token for piece in pieces for token in piece] == tokens
    assert all(length(piece) <= 300 and piece[-1].text == "." for piece in pieces)


def test_a_word_without_end_is_refused() -> None:
    with pytest.raises(ScriptError, match="too long"):
        in_pieces([TokenPhonemes("a" * 600, "a" * 600, "")])


def test_text_without_marks_is_cut_in_equal_parts_before_a_word_that_opens_a_clause() -> None:
    tokens = [TokenPhonemes("word", "wɜd", " ")] * 100
    assert {len(piece) for piece in in_pieces(tokens, 300)} == {50}
    tokens[45] = TokenPhonemes("because", "bəkəz", " ")
    assert [len(piece) for piece in in_pieces(tokens, 300)] == [45, 55]


def test_no_piece_starts_with_a_mark_or_has_no_word() -> None:
    sentence = [
        *[TokenPhonemes("word", "wɜd", " ")] * 40,
        *[TokenPhonemes(".", ".", "")] * 3,
        TokenPhonemes(")", ")", " "),
    ]
    for limit in range(165, 176):
        for piece in in_pieces(sentence * 3, limit):
            assert piece[0].text == "word"


def test_a_word_longer_than_a_piece_is_said_alone_up_to_what_the_network_takes() -> None:
    tokens = [TokenPhonemes("so", "so", " "), TokenPhonemes("a" * 450, "a" * 450, " "), TokenPhonemes("it", "it", "")]
    assert [len(piece) for piece in in_pieces(tokens)] == [1, 1, 1]


def test_the_second_of_two_equal_words_is_found_behind_an_aside() -> None:
    """Words are told apart by their place, not by their letters."""
    written = "[so] well, so"
    tokens = [TokenPhonemes("well", "wel", ""), TokenPhonemes(",", ",", " "), TokenPhonemes("so", "so", "")]
    frames = [10, 5, 5, 5, 2, 4, 5, 5, 8]
    words = word_ranges(written, to_spoken(written), timing(tokens, frames), Span(start=5000, end=24_000), [])
    assert [word.text for word in words] == ["well", "so"]
    assert words[0].end == words[1].start == (10 + 15 + 2) * FRAME - LATE


@given(
    st.lists(st.tuples(st.sampled_from(["a", "abc", "abcdef"]), st.sampled_from(["", " "])), min_size=1, max_size=60)
)
def test_pieces_lose_nothing(parts: list[tuple[str, str]]) -> None:
    tokens = [TokenPhonemes(text, text, space) for text, space in parts]
    pieces = in_pieces(tokens, 40)
    assert [token for piece in pieces for token in piece] == tokens
    assert all(0 < len(phonemes_of(piece)) <= 40 for piece in pieces)
