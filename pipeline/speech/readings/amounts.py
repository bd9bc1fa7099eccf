"""Sums of money, measures, fractions, ranks, ranges, telephone numbers and plain numbers."""

import re

from pipeline.speech.numbers import (
    SCALES,
    amount,
    fraction,
    number,
    one_by_one,
    ordinal,
)
from pipeline.speech.readings.rule import Rule, Said, either, rule
from pipeline.speech.readings.units import UNITS

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)"
VULGAR = "[½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒]"
_SIGN = "[$£€¥₹]"
_CODES = {"USD": "$", "GBP": "£", "EUR": "€", "JPY": "¥", "INR": "₹", "CHF": "CHF"}
_SCALE = rf"(?:\s?(?P<scale>{either(SCALES)}|thousand|million|billion|trillion)\b)?"
_TO = r"\s?[-\u2013]\s?"
_MINUS = r"(?P<minus>(?<![\w.,)])[-\u2212](?=[\d.$£€¥]))?"
_FREE = r"(?<![\w.])"
"""A number does not start inside a word or another number."""


def _money(match: re.Match[str]) -> Said:
    minus = "minus " if match["minus"] else ""
    scale = match["scale"]
    if not scale:
        return minus + amount(match["sign"], match["sum"])
    *count, large, unit = (minus + amount(match["sign"], match["sum"], scale)).split(" ")
    return [("sign", " ".join(count) + " "), ("scale", f"{large} {unit}")]


def _money_range(match: re.Match[str]) -> str:
    unit = amount(match["sign"], match["high"], match["scale"])
    return f"{number(match['low'])} to {unit}"


def _measure(match: re.Match[str]) -> Said:
    single, several = UNITS[match["unit"]]
    minus = "minus " if match["minus"] else ""
    one = (match["count"] == "1" and not match["low"]) or match["link"] == "-"
    low = f"{number(match['low'])} to " if match["low"] else ""
    said = f"{minus}{low}{number(match['count'])} "
    return [("count", said), ("unit", single if one else several)]


def _range(match: re.Match[str]) -> str:
    """Numbers that rise are a range, others a score or a subtraction."""
    low, high, minus = match["low"], match["high"], " - " in match.group() or "\u2212" in match.group()
    rises = float(low.replace(",", "")) < float(high.replace(",", ""))
    return f"{number(low)} {'to ' if rises else 'minus ' if minus else ''}{number(high)}{_percent(match)}"


def _percent(match: re.Match[str]) -> str:
    return " percent" if match["percent"] else ""


def _telephone(match: re.Match[str]) -> Said:
    groups = re.findall(r"\d+", match.group())
    round_numbers = all(group.endswith("0") for group in groups)
    if len(groups) == 2 and round_numbers:
        return None
    return ("plus " if match.group()[0] == "+" else "") + ", ".join(one_by_one(group) for group in groups)


RULES: tuple[Rule, ...] = (
    rule(
        rf"(?P<sign>{_SIGN})(?P<low>{NUMBER}){_TO}{_SIGN}?(?P<high>{NUMBER}){_SCALE}(?![\w-])",
        _money_range,
    ),
    rule(rf"{_MINUS}(?P<sign>{_SIGN})\s?(?P<sum>{NUMBER}){_SCALE}", _money),
    rule(rf"{_FREE}{_MINUS}(?P<sum>{NUMBER})\s?(?P<sign>{_SIGN})(?P<scale>)(?!\s?\d)", _money),
    rule(
        rf"\b(?P<code>{either(_CODES)})\s?(?P<sum>{NUMBER}){_SCALE}",
        lambda m: amount(_CODES[m["code"]], m["sum"], m["scale"]),
    ),
    rule(
        rf"{_FREE}(?P<sum>{NUMBER})\s(?P<code>{either(_CODES)})\b",
        lambda m: amount(_CODES[m["code"]], m["sum"]),
    ),
    rule(
        rf"{_FREE}(?P<pence>\d{{1,2}})p\b",
        lambda m: f"{number(m['pence'])} {'penny' if m['pence'] == '1' else 'pence'}",
    ),
    rule(
        rf"{_FREE}(?P<feet>\d)'[ ]?(?P<inches>1[01]|\d)(?:\"|''|(?!\w))",
        lambda m: f"{number(m['feet'])} foot {number(m['inches'])}",
    ),
    rule(
        rf"{_FREE}{_MINUS}(?:(?P<low>{NUMBER}){_TO})?(?P<count>{NUMBER})(?P<link>-|\s)?(?P<unit>{either(UNITS)})"
        r"(?:\.(?=[ ]+[a-z]|,))?(?![\w/])",
        _measure,
    ),
    rule(rf"{_FREE}(?P<whole>\d+)\s?(?P<part>{VULGAR})", lambda m: fraction(m["part"], m["whole"])),
    rule(rf"{_FREE}(?P<whole>\d+)\s(?P<part>\d{{1,2}}/\d{{1,3}})(?![\w/]|\.\d)", lambda m: _mixed(m)),
    rule(VULGAR, lambda m: fraction(m.group())),
    rule(rf"{_FREE}(?<!/)\d+/\d+(?![\w/]|\.\d)", lambda m: fraction(m.group())),
    rule(rf"{_FREE}(?P<rank>\d{{1,12}})(?:st|nd|rd|th|ST|ND|RD|TH)\b", lambda m: ordinal(int(m["rank"]))),
    rule(r"(?<![\w.])\+\d{1,3}(?:[ -]\d{2,4}){2,4}(?![\w-])", _telephone),
    rule(r"(?<![\w.-])(?:\d{3}-){1,2}\d{4}(?![\w-])|(?<![\w.-])0\d{2,4}(?:[ -]\d{3,4}){1,2}(?![\w-])", _telephone),
    rule(
        rf"{_FREE}(?<!-)(?P<low>{NUMBER})%?(?:{_TO}|\s?\u2212\s?)(?P<high>{NUMBER})(?P<percent>%)?(?![\w-])",
        _range,
    ),
    rule(r"(?:\#|\b[Nn]o\.\s?)(?P<place>\d+)\b", lambda m: f"number {number(m['place'])}"),
    rule(r"\b[Nn]os\.\s?(?=\d)", lambda m: "numbers "),
    rule(rf"{_FREE}{_MINUS}(?P<plain>{NUMBER})(?!\.?\d|[^\W_])", lambda m: _number(m)),
)


def _mixed(match: re.Match[str]) -> Said:
    upper, lower = match["part"].split("/")
    if int(upper) >= int(lower):
        return None
    return fraction(match["part"], match["whole"])


def _number(match: re.Match[str]) -> str:
    return ("minus " if match["minus"] else "") + number(match["plain"])
