"""Times of day, spans of them, durations and ratios written with a colon."""

import re

from pipeline.speech.numbers import cardinal, clock_time, number
from pipeline.speech.readings.rule import Rule, Said, rule

_HOUR = r"(?:[01]?\d|2[0-3])"
_HALF = r"(?:[ap]\.[ ]?m(?:\.(?![ ]+[A-Z]|[ ]*$))?|[ap]m\b|[AP]\.M(?:\.(?![ ]+[A-Z]|[ ]*$))?|[AP]M\b)"
"""a.m. or p.m.; its last stop is read as one at the end of a sentence."""
_TO = r"\s?[-\u2013]\s?"


def _time(match: re.Match[str]) -> Said:
    half = match["half"]
    said = clock_time(int(match["hour"]), int(match["minute"] or 0), bool(half)) if match["minute"] else ""
    said = said or cardinal(int(match["hour"]))
    return [("hour", f"{said} "), ("half", _half(half))] if half else said


def _half(written: str) -> str:
    return f"{written[0].upper()}M"


def _span(match: re.Match[str]) -> Said:
    half = match["half"]
    if not half and not (match["minute"] and match["minute2"]):
        return None
    first, last = (
        clock_time(int(match[f"hour{n}"]), int(match[f"minute{n}"]), bool(half))
        if match[f"minute{n}"]
        else cardinal(int(match[f"hour{n}"]))
        for n in ("", "2")
    )
    own = f" {_half(match['half1'])}" if match["half1"] else ""
    said = f"{first}{own} to {last}"
    return [("hour", f"{said} "), ("half", _half(half))] if half else said


def _ratio(match: re.Match[str]) -> str:
    return " to ".join(number(part) for part in match.group().split(":"))


RULES: tuple[Rule, ...] = (
    rule(
        rf"(?<![\w:.,$£€-])(?P<hour>{_HOUR})(?::(?P<minute>[0-5]\d))?\s?(?P<half1>{_HALF})?{_TO}"
        rf"(?P<hour2>{_HOUR})(?::(?P<minute2>[0-5]\d))?(?:\s?(?P<half>{_HALF}))?(?![\d:]|\.\d)",
        _span,
    ),
    rule(
        r"(?<![\w:.])(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d)(?![\d:])",
        lambda m: f"{clock_time(int(m['hours']), int(m['minutes']), True)} {_seconds(m['seconds'])}",
    ),
    rule(rf"(?<![\w:.])(?P<hour>{_HOUR}):(?P<minute>[0-5]\d)(?:\s?(?P<half>{_HALF}))?(?![\d:])", _time),
    rule(rf"(?<![\w:.,$£€-])(?P<hour>1[0-2]|[1-9])(?P<minute>)\s?(?P<half>{_HALF})", _time),
    rule(r"(?<![\w:.])\d{1,6}(?::\d{1,6})+(?![\w:])", _ratio),
)


def _seconds(digits: str) -> str:
    return f"oh {cardinal(int(digits))}" if digits[0] == "0" else cardinal(int(digits))
