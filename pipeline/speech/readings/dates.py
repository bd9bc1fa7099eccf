"""Days, months, years and decades."""

import re

from pipeline.speech.numbers import cardinal, decade, ordinal, year
from pipeline.speech.readings.rule import Rule, Said, either, rule

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"Sept": "September"}
DAYS = {"Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday"}
DAYS |= {"Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday"}
_NAMES = {month: month for month in MONTHS} | SHORT_MONTHS
_MONTH = rf"(?P<month>{either(_NAMES)})\b\.?"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b(?![:.%]?\d|%)"
_YEAR = r"(?P<year>1[1-9]\d\d|20\d\d)\b"


def _day_first(match: re.Match[str]) -> Said:
    article = "" if match["article"] else "the "
    said = [("day", f"{article}{ordinal(int(match['day']))} of "), ("month", _NAMES[match["month"]])]
    if match["article"]:
        said.insert(0, ("article", match["article"]))
    return _with_year(match, said)


def _month_first(match: re.Match[str]) -> Said:
    said = [("month", f"{_NAMES[match['month']]} "), ("day", ordinal(int(match["day"])))]
    return _with_year(match, said)


def _with_year(match: re.Match[str], said: list[tuple[str, str]]) -> Said:
    if match["year"]:
        group, before = said[-1]
        comma = "," if "," in match.group() else ""
        return [*said[:-1], (group, f"{before}{comma} "), ("year", year(int(match["year"])))]
    return said


def _figures(match: re.Match[str]) -> Said:
    """Day and month in figures, in the order written: which is which depends on the country."""
    first, second = int(match["first"]), int(match["second"])
    full = match["figures"] if len(match["figures"]) > 2 else None
    last = year(int(full)) if full else cardinal(int(match["figures"]))
    return f"{cardinal(first)} {cardinal(second)} {'oh ' if match['figures'] in _EARLY else ''}{last}"


_EARLY = frozenset(f"0{digit}" for digit in range(1, 10))


def _iso(match: re.Match[str]) -> str:
    month = MONTHS[int(match["month"]) - 1]
    return f"the {ordinal(int(match['day']))} of {month} {year(int(match['year']))}"


def _years(match: re.Match[str]) -> Said:
    first, last = int(match["from"]), match["until"]
    if len(last) == 2:
        return f"{year(first)} to {cardinal(int(last))}" if int(last) > first % 100 and last[0] != "0" else None
    return f"{year(first)} to {year(int(last))}"


RULES: tuple[Rule, ...] = (
    rule(r"(?<![\w/-])(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?![\w/-])", _iso),
    rule(
        r"(?<![\w/.])(?P<first>0?[1-9]|[12]\d|3[01])(?P<mark>[/.])(?P<second>0?[1-9]|[12]\d|3[01])(?P=mark)"
        r"(?P<figures>(?:19|20)\d\d|\d\d)(?![\w/]|\.\d)",
        _figures,
    ),
    rule(rf"(?<![\w/.,:$£€-])(?P<article>[Tt]he\s)?{_DAY}(?:\sof)?\s{_MONTH}(?:,?\s{_YEAR})?(?![\w-])", _day_first),
    rule(rf"\b{_MONTH}\s(?:the\s)?{_DAY}(?:,?\s{_YEAR})?(?![\w-])", _month_first),
    rule(
        rf"\b(?P<name>{either(set(SHORT_MONTHS) - {'May', 'Jan', 'Mar', 'Jun'})})\.",
        lambda m: SHORT_MONTHS[m["name"]] + _stop(m),
    ),
    rule(r"\b(?P<name>Jan|Mar|Jun)\.?(?=\s\d{4}\b)", lambda m: SHORT_MONTHS[m["name"]]),
    rule(rf"\b(?P<name>{either(set(DAYS) - {'Sat', 'Sun'})})\.", lambda m: DAYS[m["name"]] + _stop(m)),
    rule(
        rf"\b(?P<name>Sat|Sun|Mon|Tue|Wed|Thu|Fri)\.?(?=,?\s(?:\d|{either(_NAMES)}\b|morning|afternoon|evening|night))",
        lambda m: DAYS[m["name"]],
    ),
    rule(r"(?<![\w'])'?(?P<years>(?:1[1-9]|20)?\d0)'?s\b", lambda m: decade(m["years"])),
    rule(
        r"(?<![\w.,$£€-])(?P<from>1[1-9]\d\d|20\d\d)\s?[-\u2013/]\s?(?P<until>(?:1[1-9]|20)?\d\d)\b(?![-%/]|\.\d)",
        _years,
    ),
    rule(r"(?<![\w'])'(?P<short>\d\d)\b(?!['\"\u00b0%])", lambda m: _short_year(m["short"])),
    rule(rf"(?<![\d.,$£€/-])\b{_YEAR}(?![\d%/]|[.,]\d)", lambda m: year(int(m["year"]))),
)


def _stop(match: re.Match[str]) -> str:
    """A stop, where the one of the abbreviation also ends the sentence."""
    return "." if re.match(r"\s*$|\s+[A-Z]", match.string[match.end() :]) else ""


def _short_year(digits: str) -> str:
    return f"oh {cardinal(int(digits))}" if digits[0] == "0" else cardinal(int(digits))
