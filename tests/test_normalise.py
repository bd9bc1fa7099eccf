"""Written text becomes what a voice says, and spoken words lead back to written ones."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.normalise import to_spoken

CASES = {
    "Meet me at 3:30.": "Meet me at three thirty.",
    "at 3:05 or 9:00 pm. Then 15:45": "at three oh five or nine p m. Then fifteen forty-five",
    "by 3pm": "by three p m",
    "7:00 sharp": "seven o'clock sharp",
    "It costs $3.50 or £20.": "It costs three dollars fifty or twenty pounds.",
    "a $1.5bn deal, €0.99 each": "a one point five billion dollars deal, ninety-nine cents each",
    "80 km/h and 12 mph": "eighty kilometres an hour and twelve miles an hour",
    "1 kg or 2.5 kg, 5%": "one kilo or two point five kilos, five percent",
    "-5°C outside": "minus five degrees Celsius outside",
    "5/6 of it, 1/2 left": "five sixths of it, one half left",
    "open 24/7, a 50/50 call": "open twenty-four seven, a fifty-fifty call",
    "2½ hours": "two and a half hours",
    "in 1998 and 2024": "in nineteen ninety-eight and twenty twenty-four",
    "the 1990s and the 80s": "the nineteen nineties and the eighties",
    "1,250 people": "one thousand two hundred and fifty people",
    "the 21st, #5": "the twenty-first, number five",
    "10-15 people": "ten to fifteen people",
    "pages 7–9": "pages seven to nine",
    "Dr. Lee, e.g. that": "Doctor Lee, for example that",
    "St. Mary's on Baker St.": "Saint Mary's on Baker Street",
    "mail me@foo-bar.com": "mail me at foo dash bar dot com",
    "see https://www.x.org/a": "see w w w dot x dot org slash a",
    "yes 🙂 [laughs] *really*": "yes really",
    "so… well": "so... well",
    "wait -- no - what": "wait—no—what",
    "What?!  No!!": "What? No!",
    "salt & pepper": "salt and pepper",
    "“I can’t,” she said": "I can't, she said",
    "... and so": "and so",
    "COVID-19 and B2B": "COVID-nineteen and B2B",
    "🙂 [laughs]": "",
    "": "",
}


@pytest.mark.parametrize(("written", "spoken"), CASES.items())
def test_spoken_form(written: str, spoken: str) -> None:
    assert to_spoken(written).text == spoken


def test_words_lead_back_to_what_was_written() -> None:
    written = "Dr. Lee paid $50 at 3:30"
    spoken = to_spoken(written)

    def said(word: str) -> str:
        at = written.index(word)
        found = spoken.spoken_range(at, at + len(word))
        assert found
        return spoken.text[round(found[0]) : round(found[1])]

    assert said("Dr.") == "Doctor"
    assert said("$50") == "fifty dollars"
    assert said("3:30") == "three thirty"
    assert said("3") + said(":") + said("30") == "three thirty"


def test_what_is_not_spoken_has_no_place() -> None:
    assert to_spoken("yes [laughs] no").spoken_range(4, 12) is None


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_text_can_be_normalised(text: str) -> None:
    spoken = to_spoken(text)
    assert "".join(stretch.spoken for stretch in spoken.stretches) == spoken.text
    assert spoken.text == spoken.text.strip()
    assert not set("[]*<>🙂") & set(spoken.text)


@given(st.lists(st.sampled_from(["yes,", "3:30", "$5", "Dr.", "go!", "1998", "--", "…", "🙂"]), max_size=8))
def test_alignment_ascends(parts: list[str]) -> None:
    written = " ".join(parts)
    stretches = to_spoken(written).stretches
    assert all(a.end <= b.start for a, b in pairwise(stretches))
