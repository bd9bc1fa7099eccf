"""Letters and figures in one word, Roman numerals, initials."""

import re

from pipeline.speech.numbers import cardinal, number, one_by_one, ordinal
from pipeline.speech.readings.rule import Rule, Said, either, rule

COUNTED = "World\\sWar|Chapter|Part|Act|Volume|Phase|Type|Section|Book|Season|Level|Stage|Grade|Class|Article|Episode"
REIGNS = [
    "Henry",
    "Elizabeth",
    "George",
    "Louis",
    "Charles",
    "Edward",
    "Richard",
    "William",
    "James",
    "Pius",
    "Paul",
    "Leo",
    "John",
    "Benedict",
    "Philip",
]
REIGNS += [
    "Napoleon",
    "Catherine",
    "Mary",
    "Peter",
    "Nicholas",
    "Alexander",
    "Friedrich",
    "Frederick",
    "Gregory",
    "Innocent",
    "Felipe",
]
_ROMAN = {"I": 1, "V": 5, "X": 10}
_NUMERAL = r"(?P<numeral>(?:X{1,3}(?:IX|IV|V?I{0,3})|IX|IV|VI{0,3}|I{1,3}))\b(?!\.?\w|')"
LETTER = "[A-Za-z\u00c0-\u017f\u0370-\u03ff]"
SHORT = 3
"""Figures after a letter up to so many are read in twos, as roads and aeroplanes are."""


def roman(numeral: str) -> int:
    """Value of a Roman numeral.

    >>> roman("XIV")
    14
    """
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def figures(digits: str) -> str:
    """Figures in a code: up to two as a number, three and four in twos, more one by one.

    >>> figures("25"), figures("340"), figures("747"), figures("1080"), figures("12345"), figures("600")
    ('twenty-five', 'three forty', 'seven forty-seven', 'ten eighty', 'one two three four five', 'six hundred')
    """
    if digits.startswith("0") or len(digits) > SHORT + 1:
        return one_by_one(digits)
    if len(digits) < SHORT or digits.endswith("00"):
        return cardinal(int(digits))
    low = digits[-2:]
    return f"{cardinal(int(digits[:-2]))} {'oh ' if low[0] == '0' else ''}{cardinal(int(low))}"


def _code(match: re.Match[str]) -> str:
    return " ".join(_of_code(part) for part in re.findall(rf"\d+(?:\.\d+)*|{LETTER}+", match.group()))


def _of_code(part: str) -> str:
    if not part[0].isdecimal():
        return part.upper() if len(part) == 1 else part
    return " point ".join(figures(digits) for digits in part.split("."))


def _hyphened(match: re.Match[str]) -> str:
    return f"{match['before']}{figures(match['figures'])}"


def _initials(match: re.Match[str]) -> Said:
    letters = match.group().replace(".", "").replace(" ", "").upper()
    ends = re.match(r"\s*$|\s+[A-Z][a-z]*\b(?!\.)", match.string[match.end() :]) and len(letters) > 1
    return letters + ("." if ends and not _is_name(match) else "")


def _is_name(match: re.Match[str]) -> bool:
    """Whether initials stand before a name: J.R.R. Tolkien."""
    return bool(re.match(r"\s+[A-Z]", match.string[match.end() :])) and match.start() == _sentence(match)


def _sentence(match: re.Match[str]) -> int:
    before = match.string[: match.start()]
    found = re.search(r"(?:^|[.?!]\s+)$", before)
    return match.start() if found else -1


RULES: tuple[Rule, ...] = (
    rule(rf"\b(?P<kind>{COUNTED})\s{_NUMERAL}", lambda m: f"{m['kind']} {cardinal(roman(m['numeral']))}"),
    rule(
        rf"\b(?P<name>{either(REIGNS)})\s{_NUMERAL}(?<!\sI)",
        lambda m: f"{m['name']} the {ordinal(roman(m['numeral']))}",
    ),
    rule(r"\b(?:[A-Za-z]\.){2,}(?!\w)", _initials),
    rule(r"(?<![\w.])(?P<across>\d{1,4}(?:\.\d+)?)\s?[x\u00d7]\s?(?P<down>\d{1,4}(?:\.\d+)?)(?!\w)", lambda m: _by(m)),
    rule(r"(?<!\w)[vV](?P<version>\d+(?:\.\d+)*)\b", lambda m: "version " + _of_code(m["version"])),
    rule(r"(?<![\w.])\d+(?:\.\d+){2,}(?!\w)", lambda m: " point ".join(number(part) for part in m.group().split("."))),
    rule(rf"(?P<before>(?<![^\W_]){LETTER}{{2,40}}-)(?P<figures>\d+)\b(?!\.\d)", _hyphened),
    rule(rf"(?:(?:{LETTER}|_)+\d|\d+(?:{LETTER}|_))(?:{LETTER}|\d|_)*(?:\.\d+)*", _code),
    rule(r"\d+", lambda m: figures(m.group())),
)


def _by(match: re.Match[str]) -> str:
    return f"{number(match['across'])} by {number(match['down'])}"
