"""Written text to spoken text: numbers, times, dates, money, units, abbreviations and what a voice cannot say.

Every step gives the whole text in stretches that remember where they came from, so that spoken words lead back to
the words that were written. num2words spells the numbers. A grammar for all the rest (NeMo's, WeText's) gives the
text alone and not what stands for what, and needs pynini or a finite-state runtime.
"""

from collections.abc import Sequence

from pipeline.errors import ScriptError
from pipeline.speech.characters import cleaned, is_spoken
from pipeline.speech.readings import abbreviations, amounts, clock, codes, dates, signs, web
from pipeline.speech.readings.rule import applied
from pipeline.speech.spoken import Spoken, Stretch, chained, text_of, tidy

__all__ = ["RULES", "VERSION", "Spoken", "sayable", "to_spoken"]

VERSION = 2
"""Raise it with any change to what is spoken or which words are written: part of a clocked utterance's fingerprint."""
RULES = (
    *signs.ASIDES,
    *web.RULES,
    *clock.RULES,
    *dates.RULES,
    *amounts.RULES,
    *abbreviations.RULES,
    *codes.RULES,
    *signs.RULES,
)
"""What is read first where two rules apply."""
MOST_ROUNDS = 5
"""What one round leaves for another, such as an abbreviation around an aside, is done by the second."""


def to_spoken(written: str) -> Spoken:
    """Spoken form of `written`, with its alignment; empty when there is nothing to say.

    It consists of letters, single spaces and the marks ``.,;:?!—-'()``; normalised again it stays the same.

    Raises
    ------
    ScriptError
        for a word in letters that no English voice can say.

    Examples
    --------
    >>> to_spoken("Dr. Lee paid $3.50 at 3:30… [laughs]").text
    'Doctor Lee paid three dollars fifty at three thirty...'

    """
    spoken = _once(cleaned(written))
    for _ in range(MOST_ROUNDS):
        again = _once(chained(spoken.stretches, cleaned(spoken.text)))
        if again.text == spoken.text:
            return spoken
        spoken = again
    return spoken


def sayable(written: str) -> Spoken:
    """Spoken form of a text that has one.

    Raises
    ------
    ScriptError
        when nothing in the text can be said, or a word of it cannot.

    """
    spoken = to_spoken(written)
    if not any(map(str.isalpha, spoken.text)):
        raise ScriptError(f"nothing in {written[:60]!r} can be said: write words")
    return spoken


def _once(stretches: Sequence[Stretch]) -> Spoken:
    """All rules on what the stretches say; what then is no letter or mark of speech parts words."""
    read = applied(RULES, text_of(stretches))
    said = [Stretch(each.start, each.end, _plain(each.spoken)) for each in read]
    return tidy(chained(stretches, said))


def _plain(text: str) -> str:
    return "".join(char if is_spoken(char) else "" if char == '"' else " " for char in text)
