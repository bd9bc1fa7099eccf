"""Written text becomes what a voice says, and spoken words lead back to written ones."""

import doctest
import re
import time
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spoken_forms import FORMS

from pipeline.errors import ScriptError
from pipeline.speech.characters import is_spoken
from pipeline.speech.normalise import to_spoken
from pipeline.speech.spoken import Spoken
from pipeline.text import word_spans, words_of

CASES = [(kind, written, spoken) for kind, table in FORMS.items() for written, spoken in table.items()]
MODULES = ["text", "simulation.resuming"]
MODULES += [f"speech.{name}" for name in ("numbers", "spoken", "normalise", "readings.web", "readings.codes")]
MODULES += ["speech.readings.rule"]

ODD = st.text(st.characters(codec="utf-8"), max_size=60)
"""Anything."""
LATIN = st.characters(
    codec="utf-8", categories=["Lu", "Ll", "Nd", "No", "P", "S", "Zs", "Mn", "Cf", "Cc"], max_codepoint=0x2FFF
)
TYPED = st.text(st.sampled_from([chr(n) for n in range(32, 127)] + list("£€–—…’“½²°é")), max_size=60)
"""What a keyboard has."""
BITS = "3:30 pm a.m. $5 1,250 Dr. St. St No. Lee 12 March 2024 - -- — … 5/6 km 7–9 1st x.org/a me@x.org U.S. & %"
BITS += " + = @ # * / II B2B 0.5 '90s e.g. etc. ( ) [ ] . , ? ! : ; I A well no-one I'd café 🙂 < > 10-15 555-0123 v2"
PIECED = st.lists(st.sampled_from([*BITS.split(), " ", " ", " "]), max_size=14).map("".join)
"""Things that have a reading, with and without blanks between."""


@pytest.mark.parametrize(("kind", "written", "spoken"), CASES)
def test_spoken_form(kind: str, written: str, spoken: str) -> None:
    assert to_spoken(written).text == spoken, kind


def test_the_table_has_its_cases_of_every_kind() -> None:
    assert len(CASES) >= 140
    assert all(len(table) >= 5 for table in FORMS.values())


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_the_code_are_right(module: str) -> None:
    tested = doctest.testmod(import_module(f"pipeline.{module}"))
    assert tested.attempted > 0
    assert tested.failed == 0


def said(written: str) -> dict[str, str]:
    """What is spoken for each written word."""
    spoken = to_spoken(written)
    found = {}
    for word, start, end in word_spans(written):
        span = spoken.spoken_range(start, end)
        found[word] = spoken.text[round(span[0]) : round(span[1])].strip() if span else ""
    return found


def test_each_written_word_knows_what_is_spoken_for_it() -> None:
    assert said("Dr. Lee paid $50 at 3:30") == {
        "Dr": "Doctor",
        "Lee": "Lee",
        "paid": "paid",
        "$50": "fifty dollars",
        "at": "at",
        "3:30": "three thirty",
    }


def test_words_that_are_read_together_each_keep_their_part() -> None:
    assert said("on 12 March 2024") == {
        "on": "on",
        "12": "the twelfth of",
        "March": "March",
        "2024": "twenty twenty-four",
    }
    assert said("5 km, $5 million, 9:00 pm") == {
        "5": "five",
        "km": "kilometres",
        "$5": "five",
        "million": "million dollars",
        "9:00": "nine",
        "pm": "PM",
    }


def test_a_part_of_a_replaced_stretch_gets_its_share() -> None:
    spoken = to_spoken("3:30")
    first, last = spoken.spoken_range(0, 1), spoken.spoken_range(2, 4)
    assert first
    assert last
    assert 0 == first[0] < first[1] < last[0] < last[1] == len(spoken.text)


def test_what_is_not_spoken_has_no_place() -> None:
    assert to_spoken("yes [laughs] no").spoken_range(4, 12) is None


@pytest.mark.parametrize("text", ["привет", "so 中文 here", "abc שלום"])
def test_letters_that_no_english_voice_has_are_refused(text: str) -> None:
    word = next(word for word in text.split() if not word.isascii())
    with pytest.raises(ScriptError, match=rf"word '{word}' cannot be said.*write it in Latin letters"):
        to_spoken(text)


def to_spoken_or_none(text: str) -> Spoken | None:
    """None for the one refusal that there is; any other error is raised."""
    try:
        return to_spoken(text)
    except ScriptError:
        return None


def check(text: str) -> None:
    """What must hold of every text that is not refused."""
    spoken = to_spoken_or_none(text)
    if spoken is None:
        assert not text.isascii()
        return
    assert all(is_spoken(char) for char in spoken.text), spoken.text
    assert "".join(stretch.spoken for stretch in spoken.stretches) == spoken.text
    assert spoken.text == spoken.text.strip()
    assert "  " not in spoken.text
    assert all(a.end <= b.start for a, b in pairwise(spoken.stretches))
    assert to_spoken(spoken.text).text == spoken.text
    for word, start, end in word_spans(without_asides(text)):
        assert spoken.spoken_range(start, end), f"{word} is lost: {spoken.text}"


def without_asides(text: str) -> str:
    """Stage directions and markup, which are not spoken, as blanks."""
    return re.sub(r"\[[^\]]*\]|</?[A-Za-z!][^<>]*>", lambda match: " " * len(match.group()), text)


@settings(deadline=None)
@given(ODD)
@example("\ud83d")
@example("\u0345")
@example("9" * 600)
@example("#²")
@example("a@½.de")
@example("4²D")
@example("¹")
def test_any_text_is_said_or_refused(text: str) -> None:
    check(text)


@settings(deadline=None, max_examples=100)
@given(st.text(LATIN, max_size=40))
def test_any_text_in_latin_letters_and_signs(text: str) -> None:
    check(text)


@settings(deadline=None, max_examples=200)
@given(TYPED)
def test_anything_typed(text: str) -> None:
    check(text)


@settings(deadline=None, max_examples=100)
@given(PIECED)
def test_readings_side_by_side(text: str) -> None:
    check(text)


@given(TYPED)
def test_a_word_by_itself_is_the_same_word(text: str) -> None:
    assert all(words_of(word) == [word] for word in words_of(text))


@pytest.mark.parametrize("text", ["a", "3:30 ", ".", "a.", "1-", " ", "[<", "9", "-", "A ", "1,", "St. "])
def test_a_long_text_takes_no_long_time(text: str) -> None:
    """A pattern that is tried from everywhere to the end takes minutes here."""
    start = time.process_time()
    to_spoken(text * (2000 // len(text)))
    assert time.process_time() - start < 6
