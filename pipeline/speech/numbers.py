"""Numbers in words: cardinals, decimals, money, times of day, fractions, years and decades."""

import unicodedata

from num2words import num2words

CURRENCIES = {
    "$": ("dollar", "dollars", "cent"),
    "£": ("pound", "pounds", "penny"),
    "€": ("euro", "euros", "cent"),
    "¥": ("yen", "yen", "sen"),
    "₹": ("rupee", "rupees", "paisa"),
    "CHF": ("franc", "francs", "centime"),
}
"""One, several, and a hundredth."""
SMALL_COINS = {"penny": "pence", "sen": "sen", "paisa": "paise"}
SCALES = {
    "k": "thousand",
    "K": "thousand",
    "m": "million",
    "M": "million",
    "mn": "million",
    "b": "billion",
    "bn": "billion",
    "B": "billion",
    "tn": "trillion",
}
PARTS = {2: "half", 3: "third", 4: "quarter", 12: "twelfth", 16: "sixteenth", 20: "twentieth", 100: "hundredth"}
SPECIAL = {"9/11": "nine eleven"}
LARGEST_PART = 10
DIGITS = ["oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
CENTS = 2
"""Figures after the point of a sum of money; with more it is read as a number."""
LONGEST = 15
"""Figures of a whole number; longer ones are read out one by one."""
DAY_HALF = 12


def cardinal(value: int) -> str:
    """A whole number.

    >>> cardinal(1215)
    'one thousand two hundred and fifteen'
    """
    return str(num2words(value)).replace(",", "")


def ordinal(value: int) -> str:
    """A rank.

    >>> ordinal(21)
    'twenty-first'
    """
    return str(num2words(value, to="ordinal")).replace(",", "")


def number(digits: str) -> str:
    """A number as it is written, with commas between thousands and with decimals.

    >>> number("1,250"), number("3.05"), number("007"), number(".5")
    ('one thousand two hundred and fifty', 'three point oh five', 'oh oh seven', 'point five')
    """
    whole, _, decimals = digits.replace(",", "").partition(".")
    after = f" point {one_by_one(decimals)}" if decimals else ""
    if not whole:
        return after.strip()
    if (len(whole) > 1 and whole.startswith("0")) or len(whole) > LONGEST:
        return one_by_one(whole) + after
    return cardinal(int(whole)) + after


def amount(sign: str, digits: str, scale: str | None = None) -> str:
    """A sum of money.

    >>> amount("£", "1"), amount("$", "3.50"), amount("$", "2.5", "bn"), amount("€", "0.99")
    ('one pound', 'three dollars fifty', 'two point five billion dollars', 'ninety-nine cents')
    """
    unit, units, small = CURRENCIES[sign]
    if scale:
        return f"{number(digits)} {SCALES.get(scale, scale)} {units}"
    whole, _, cents = digits.replace(",", "").partition(".")
    if len(cents) > CENTS or len(whole) > LONGEST:
        return f"{number(digits)} {units}"
    rest = int(cents.ljust(CENTS, "0")) if cents else 0
    if not int(whole or 0) and rest:
        return f"{cardinal(rest)} {small if rest == 1 else SMALL_COINS.get(small, f'{small}s')}"
    spoken = f"{cardinal(int(whole or 0))} {unit if whole == '1' else units}"
    return f"{spoken} {cardinal(rest)}" if rest else spoken


def clock_time(hour: int, minute: int, half: bool = False) -> str:
    """A time of day; `half` says that a.m. or p.m. follows.

    >>> clock_time(3, 30), clock_time(9, 5), clock_time(7, 0), clock_time(7, 0, True), clock_time(15, 0)
    ('three thirty', 'nine oh five', "seven o'clock", 'seven', 'fifteen hundred')
    """
    spoken = cardinal(hour) if hour else ("midnight" if not minute else "zero")
    if minute:
        return f"{spoken} {'oh ' if minute < LARGEST_PART else ''}{cardinal(minute)}"
    if half or not hour:
        return spoken
    return f"{spoken} o'clock" if hour <= DAY_HALF else f"{spoken} hundred"


def fraction(written: str, whole: str | None = None) -> str:
    """A fraction, or two numbers with a stroke between that is none.

    >>> fraction("5/6"), fraction("1/2"), fraction("½", "2"), fraction("24/7"), fraction("50/50")
    ('five sixths', 'one half', 'two and a half', 'twenty-four seven', 'fifty-fifty')
    """
    written = unicodedata.normalize("NFKC", written).replace("\u2044", "/")
    if written in SPECIAL:
        return SPECIAL[written]
    upper, lower = written.split("/")
    if upper == lower:
        return f"{number(upper)}-{number(lower)}"
    count, parts = int(upper[-LONGEST:]), int(lower[-LONGEST:])
    if count > parts or not (1 < parts <= LARGEST_PART or parts in PARTS):
        return f"{number(upper)} {number(lower)}"
    part = PARTS.get(parts) or ordinal(parts)
    if whole:
        an = "an" if part == "eighth" else "a"
        return f"{number(whole)} and {an if count == 1 else cardinal(count)} {_several(part, count)}"
    return f"{cardinal(count)} {_several(part, count)}"


def year(value: int) -> str:
    """A year.

    >>> year(1998), year(2005), year(2024), year(1900)
    ('nineteen ninety-eight', 'two thousand and five', 'twenty twenty-four', 'nineteen hundred')
    """
    return str(num2words(value, to="year"))


def decade(digits: str) -> str:
    """The years of a decade.

    >>> decade("90"), decade("1980")
    ('nineties', 'nineteen eighties')
    """
    if digits.endswith("000"):
        return f"{cardinal(int(digits))}s"
    if digits.endswith("00"):
        return f"{year(int(digits))}s"
    if digits == "10":
        return "tens"
    tens = _several(cardinal(int(digits[-2:])), 2).replace("tys", "ties")
    return f"{cardinal(int(digits[:2]))} {tens}" if len(digits) > 2 else tens


def _several(part: str, count: int) -> str:
    if count == 1:
        return part
    return "halves" if part == "half" else f"{part}s"


def one_by_one(digits: str) -> str:
    """Figures read out, as of a telephone.

    >>> one_by_one("007")
    'oh oh seven'
    """
    return " ".join(DIGITS[int(digit)] for digit in digits)
