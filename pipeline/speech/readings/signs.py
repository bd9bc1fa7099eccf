"""Signs, dashes, dots, and what is not spoken at all."""

from pipeline.speech.characters import GREEK
from pipeline.speech.readings.rule import Rule, either, rule

SPOKEN = {
    "&": "and",
    "+": "plus",
    "=": "equals",
    "@": "at",
    "\u00d7": "times",
    "÷": "divided by",
    "±": "plus or minus",
    "≈": "is about",
    "≠": "is not",
    "≤": "is at most",
    "≥": "is at least",
    "√": "root",
    "∞": "infinity",
    "\u2212": "minus",
    "%": "percent",
    "‰": "per mille",
    "£": "pounds",
    "€": "euros",
    "$": "dollars",
    "¥": "yen",
    "₹": "rupees",
    "¢": "cents",
    "§": "section",
    "°": "degrees",
}
PER = [
    "hour",
    "hr",
    "day",
    "week",
    "month",
    "year",
    "night",
    "person",
    "head",
    "mile",
    "minute",
    "min",
    "second",
    "sec",
    "litre",
    "gallon",
    "kilo",
    "km",
    "kg",
    "piece",
    "page",
]
_PER_NAMES = {"hr": "hour", "min": "minute", "sec": "second", "km": "kilometre", "kg": "kilo"}
POWERS = {"²": "squared", "³": "cubed", "¹": "one"}

ASIDES: tuple[Rule, ...] = (rule(r"\[[^\]]*\]|</?[A-Za-z!][^<>]*>", lambda m: " "),)
"""Stage directions and markup."""

RULES: tuple[Rule, ...] = (
    rule(r"\bC\#|\bF\#", lambda m: f"{m.group()[0]} sharp"),
    rule(r"\s?(?P<power>[²³¹])", lambda m: f" {POWERS[m['power']]}"),
    rule(rf"/(?P<each>{either(PER)})\b", lambda m: f" per {_PER_NAMES.get(m['each'], m['each'])}"),
    rule(r"(?<![\w~])[~≈]\s?(?=[a-z\d$£€])", lambda m: "about "),
    rule(r"(?:(?<=\s)|^)<=?\s?(?=\w)", lambda m: "less than "),
    rule(r"(?:(?<=\s)|^)>=?\s?(?=\w)(?!^)", lambda m: "more than "),
    rule(r"(?<=[\w)])\s?\*\s?(?=\d)", lambda m: " times "),
    rule(r"(?<=\w)\s?\^\s?(?=\w)", lambda m: " to the power of "),
    rule(either(SPOKEN), lambda m: f" {SPOKEN[m.group()]} "),
    rule(rf"[{''.join(GREEK)}{''.join(GREEK).upper()}]", lambda m: f" {GREEK[m.group().lower()]} "),
    rule(r"(?<!\s)\s*(?:…|\.[ ]?[.…])(?:[ ]?[.…])*", lambda m: "..."),
    rule(r"(?<!\s)\s*(?:--+|[—\u2013]|(?<=\s)-(?=\s))[\s—\u2013-]*(?![\d])", lambda m: "—"),
    rule(r"[\u2013—]", lambda m: "—"),
    rule(r"(?:[?!]\s?){2,}", lambda m: ("?" if "?" in m.group() else "!") + " "),
    rule(r"(?<!\w)-+(?=\w)", lambda m: ""),
    rule(r"-{2,}", lambda m: "—"),
    rule(r"'{2,}|(?<![^\W_])'(?![^\W_])|'(?![^\W_]|\s|$)", lambda m: "'" if len(m.group()) > 1 else ""),
    rule(r"(?P<close>[,;:?!)])(?=['(]?[^\W\d_])", lambda m: f"{m['close']} "),
    rule(r"(?<=\w)\(", lambda m: " ("),
    rule(r"(?P<mark>[,;:])(?:\s*[,;:])+", lambda m: m["mark"]),
)
