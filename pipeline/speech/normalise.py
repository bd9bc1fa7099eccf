"""Written text to spoken text: numbers, times, money, units, abbreviations and what a voice cannot say.

Each rule replaces a stretch of the written text; what stands between is kept. The pieces remember where they
came from, so that spoken words lead back to the words that were written.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.speech.numbers import (
    amount,
    cardinal,
    clock_time,
    decade,
    fraction,
    number,
    ordinal,
    year,
)

VERSION = 1
"""Raise it with any change to what is spoken: it is part of the fingerprint of a clocked utterance."""

UNITS = {
    "km/h": ("kilometre an hour", "kilometres an hour"),
    "mph": ("mile an hour", "miles an hour"),
    "m/s": ("metre a second", "metres a second"),
    "kWh": ("kilowatt hour", "kilowatt hours"),
    "km": ("kilometre", "kilometres"),
    "cm": ("centimetre", "centimetres"),
    "mm": ("millimetre", "millimetres"),
    "kg": ("kilo", "kilos"),
    "lbs": ("pound", "pounds"),
    "lb": ("pound", "pounds"),
    "ft": ("foot", "feet"),
    "sq m": ("square metre", "square metres"),
    "ml": ("millilitre", "millilitres"),
    "GB": ("gigabyte", "gigabytes"),
    "MB": ("megabyte", "megabytes"),
    "kW": ("kilowatt", "kilowatts"),
    "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
    "mins": ("minute", "minutes"),
    "min": ("minute", "minutes"),
    "hrs": ("hour", "hours"),
    "secs": ("second", "seconds"),
}
ABBREVIATIONS = {
    "Dr.": "Doctor",
    "Mr.": "Mister",
    "Mrs.": "Missus",
    "Ms.": "Miz",
    "Prof.": "Professor",
    "Jr.": "Junior",
    "Sr.": "Senior",
    "vs.": "versus",
    "etc.": "et cetera",
    "e.g.": "for example",
    "i.e.": "that is",
    "approx.": "approximately",
    "Ave.": "Avenue",
    "Rd.": "Road",
    "Blvd.": "Boulevard",
    "Mt.": "Mount",
    "a.m.": "a m",
    "p.m.": "p m",
    "w/o": "without",
    "w/": "with",
}
SIGNS = {"&": "and", "+": "plus", "=": "equals", "@": "at", "\u00d7": "times", "÷": "divided by"}
DOMAINS = "com|org|net|io|edu|gov|co|uk|info|dev|app|eu|de|fr"
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"


@dataclass(frozen=True)
class Stretch:
    """A stretch of text: characters of the written text, and what is spoken in their place."""

    start: int
    end: int
    spoken: str


@dataclass(frozen=True)
class Spoken:
    """Spoken text, and the stretches of the written text that it stands for, in order."""

    text: str
    stretches: tuple[Stretch, ...]

    def spoken_range(self, start: int, end: int) -> tuple[float, float] | None:
        """Characters of the spoken text that stand for characters `start` to `end` of the written text.

        Inside a replaced stretch they are apportioned by length, so that 3 and 30 of 3:30 each get their part of
        "three thirty". None when nothing of it is spoken.
        """
        found = []
        at = 0
        for stretch in self.stretches:
            low, high = max(start, stretch.start), min(end, stretch.end)
            if low < high:
                scale = len(stretch.spoken) / (stretch.end - stretch.start)
                found.append((at + (low - stretch.start) * scale, at + (high - stretch.start) * scale))
            at += len(stretch.spoken)
        return (found[0][0], found[-1][1]) if found else None


def to_spoken(written: str) -> Spoken:
    """Spoken form of `written`, with its alignment; empty when there is nothing to say.

    >>> to_spoken("Dr. Lee paid $3.50 at 3:30… [laughs]").text
    'Doctor Lee paid three dollars fifty at three thirty...'
    """
    stretches = []
    at = 0
    for match in _RULES.finditer(written):
        stretches.extend(_kept(written, at, match.start()))
        stretches.append(Stretch(match.start(), match.end(), _SPEAK[str(match.lastgroup)](match)))
        at = match.end()
    stretches.extend(_kept(written, at, len(written)))
    return _tidy(stretches)


def _kept(written: str, start: int, end: int) -> list[Stretch]:
    """Characters that no rule took, one by one; those that no voice can say become nothing."""
    return [Stretch(i, i + 1, _sayable(written[i])) for i in range(start, end)]


def _sayable(character: str) -> str:
    if character in "\u2019\u2018`":
        return "'"
    if character in '“”"*_#~|<>{}[]^\\':
        return ""
    if character.isspace() or character == "/":
        return " "
    category = unicodedata.category(character)
    return "" if category[0] in "CS" or category in ("Mn", "Me") else character


def _tidy(stretches: list[Stretch]) -> Spoken:
    """One space between words, none at the ends or before a comma; only stretches with sound are kept."""
    kept: list[Stretch] = []
    text = ""
    for stretch in stretches:
        spoken = stretch.spoken if text else stretch.spoken.lstrip(".,;:?!— ")
        if (not text or text[-1] == " ") and spoken.startswith(" "):
            spoken = spoken.lstrip(" ")
        if text.endswith(" ") and spoken[:1] in tuple(",.;:?!"):
            text = text[:-1]
            kept[-1] = Stretch(kept[-1].start, kept[-1].end, kept[-1].spoken[:-1])
        if spoken:
            kept.append(Stretch(stretch.start, stretch.end, spoken))
            text += spoken
    while text.endswith(" "):
        text = text[:-1]
        kept[-1] = Stretch(kept[-1].start, kept[-1].end, kept[-1].spoken[:-1])
    return Spoken(text, tuple(stretch for stretch in kept if stretch.spoken))


def _web(match: re.Match[str]) -> str:
    text = re.sub(r"^https?://", "", match.group()).rstrip("/")
    for sign, word in ((".", "dot"), ("/", "slash"), ("@", "at"), ("-", "dash"), ("_", "underscore")):
        text = text.replace(sign, f" {word} ")
    text = re.sub(r"\bwww\b", "w w w", text)
    return " ".join(re.sub(r"\d+", lambda digits: f" {number(digits.group())} ", text).split())


def _unit(match: re.Match[str]) -> str:
    single, several = UNITS[match["unit_name"]]
    count = match["unit_number"]
    return f"{'minus ' if match['below_zero'] else ''}{number(count)} {single if count == '1' else several}"


def _longest_first(words: dict[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_RULE_LIST: list[tuple[str, str, Callable[[re.Match[str]], str]]] = [
    ("aside", r"\[[^\]]*\]|<[^>]*>", lambda m: ""),
    ("mail", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", _web),
    ("web", rf"(?:https?://|\bwww\.)\S+[\w/]|\b[\w-]+(?:\.[\w-]+)*\.(?:{DOMAINS})\b(?:/[\w/-]+)?", _web),
    (
        "time",
        r"\b(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?:\s*(?P<half>[ap])(?:\.\s?m\.(?=\s+[a-z])|\.?\s?m\b))?(?![\d:])",
        lambda m: clock_time(int(m["hour"]), int(m["minute"]), m["half"]),
    ),
    (
        "hour_alone",
        r"\b(?P<hour2>1[0-2]|[1-9])\s?(?P<half2>[ap])\.?m\b(?:\.(?=\s+[a-z]))?",
        lambda m: f"{cardinal(int(m['hour2']))} {m['half2']} m",
    ),
    (
        "money",
        rf"(?P<sign>[$£€])\s?(?P<sum>{NUMBER})(?:\s?(?P<scale>k|m|bn|thousand|million|billion|trillion)\b)?",
        lambda m: amount(m["sign"], m["sum"], m["scale"]),
    ),
    (
        "unit",
        rf"(?<![\w.])(?P<below_zero>[-\u2212])?(?P<unit_number>{NUMBER})\s?(?P<unit_name>{_longest_first(dict(UNITS))})(?![\w/])",
        _unit,
    ),
    ("mixed", r"\b(?P<whole>\d+)\s?(?P<vulgar>[½¼¾⅓⅔])", lambda m: fraction(m["vulgar"], m["whole"])),
    ("vulgar_alone", r"[½¼¾⅓⅔]", lambda m: fraction(m.group())),
    ("fraction", r"\b\d+/\d+\b", lambda m: fraction(m.group())),
    ("ordinal", r"\b(?P<rank>\d+)(?:st|nd|rd|th)\b", lambda m: ordinal(int(m["rank"]))),
    ("years_of_ten", r"['\u2019]?\b(?P<decade>(?:1[1-9]|20)?\d0)s\b", lambda m: decade(m["decade"])),
    ("one_year", r"(?<![\d.,$-])\b(?P<year>1[1-9]\d\d|20\d\d)\b(?![\d%]|[.,]\d)", lambda m: year(int(m["year"]))),
    (
        "range",
        r"\b(?P<low>\d+)\s?[-\u2013]\s?(?P<high>\d+)\b(?!-)",
        lambda m: f"{number(m['low'])} to {number(m['high'])}",
    ),
    ("placing", r"(?:#|\bNo\.\s?)(?P<place>\d+)\b", lambda m: f"number {number(m['place'])}"),
    (
        "number",
        rf"(?<![\w.])(?P<minus>[-\u2212])?(?P<plain>{NUMBER})(?!\w)",
        lambda m: ("minus " if m["minus"] else "") + number(m["plain"]),
    ),
    ("saint", r"\bSt\.(?=\s+[A-Z])", lambda m: "Saint"),
    ("street", r"\bSt\.(?=\s|$|,)", lambda m: "Street"),
    ("short", rf"(?<!\w)(?:{_longest_first(dict(ABBREVIATIONS))})(?![A-Za-z])", lambda m: ABBREVIATIONS[m.group()]),
    ("signs", rf"[{re.escape(''.join(SIGNS))}]", lambda m: f" {SIGNS[m.group()]} "),
    ("dots", r"…|\.{2,}", lambda m: "..."),
    ("dash", r"\s*(?:--+|—|\u2013|(?<=\s)-(?=\s))\s*", lambda m: "—"),
    ("shout", r"(?:[?!]\s?){2,}", lambda m: ("?" if "?" in m.group() else "!") + " "),
]
_SPEAK = {name: speak for name, _, speak in _RULE_LIST}
_RULES = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern, _ in _RULE_LIST))
