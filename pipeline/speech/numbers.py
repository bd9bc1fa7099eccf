"""Numbers in words: cardinals, decimals, money, times of day, fractions, years and decades."""

from num2words import num2words

CURRENCIES = {"$": ("dollar", "cent"), "£": ("pound", "penny"), "€": ("euro", "cent")}
SCALES = {"k": "thousand", "m": "million", "bn": "billion"}
PARTS = {2: "half", 3: "third", 4: "quarter", 12: "twelfth", 16: "sixteenth", 20: "twentieth", 100: "hundredth"}
VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
LARGEST_PART = 10
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

    >>> number("1,250"), number("3.05"), number("007")
    ('one thousand two hundred and fifty', 'three point oh five', 'oh oh seven')
    """
    whole, _, decimals = digits.replace(",", "").partition(".")
    if len(whole) > 1 and whole.startswith("0"):
        return _one_by_one(whole)
    return cardinal(int(whole)) + (f" point {_one_by_one(decimals)}" if decimals else "")


def amount(sign: str, digits: str, scale: str | None = None) -> str:
    """A sum of money.

    >>> amount("£", "1"), amount("$", "3.50"), amount("$", "2.5", "bn"), amount("€", "0.99")
    ('one pound', 'three dollars fifty', 'two point five billion dollars', 'ninety-nine cents')
    """
    unit, small = CURRENCIES[sign]
    if scale:
        return f"{number(digits)} {SCALES.get(scale, scale)} {unit}s"
    whole, _, cents = digits.replace(",", "").partition(".")
    rest = int(cents.ljust(2, "0")[:2]) if cents else 0
    if not int(whole) and rest:
        several = "pence" if small == "penny" else f"{small}s"
        return f"{cardinal(rest)} {small if rest == 1 else several}"
    spoken = f"{cardinal(int(whole))} {unit}{'' if whole == '1' else 's'}"
    return f"{spoken} {cardinal(rest)}" if rest else spoken


def clock_time(hour: int, minute: int, half: str | None = None) -> str:
    """A time of day; `half` is ``"a"`` or ``"p"`` where a.m. or p.m. was written.

    >>> clock_time(3, 30), clock_time(9, 5), clock_time(7, 0), clock_time(7, 0, "p"), clock_time(15, 0)
    ('three thirty', 'nine oh five', "seven o'clock", 'seven p m', 'fifteen hundred')
    """
    after = f" {half} m" if half else ""
    spoken = cardinal(hour) if hour else ("midnight" if not minute else "zero")
    if minute:
        return f"{spoken} {'oh ' if minute < 10 else ''}{cardinal(minute)}{after}"
    if half or not hour:
        return spoken + after
    return f"{spoken} o'clock" if hour <= DAY_HALF else f"{spoken} hundred"


def fraction(written: str, whole: str | None = None) -> str:
    """A fraction, or two numbers with a stroke between that is none.

    >>> fraction("5/6"), fraction("1/2"), fraction("½", "2"), fraction("24/7"), fraction("50/50")
    ('five sixths', 'one half', 'two and a half', 'twenty-four seven', 'fifty-fifty')
    """
    upper, lower = map(int, VULGAR.get(written, written).split("/"))
    if upper == lower:
        return f"{cardinal(upper)}-{cardinal(lower)}"
    if upper > lower or not (1 < lower <= LARGEST_PART or lower in PARTS):
        return f"{cardinal(upper)} {cardinal(lower)}"
    part = PARTS.get(lower) or ordinal(lower)
    if whole:
        return f"{cardinal(int(whole))} and {'a' if upper == 1 else cardinal(upper)} {_several(part, upper)}"
    return f"{cardinal(upper)} {_several(part, upper)}"


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
    if digits.endswith("00"):
        return f"{year(int(digits))}s"
    tens = _several(cardinal(int(digits[-2:])), 2).replace("tys", "ties")
    return f"{cardinal(int(digits[:2]))} {tens}" if len(digits) > 2 else tens


def _several(part: str, count: int) -> str:
    if count == 1:
        return part
    return "halves" if part == "half" else f"{part}s"


def _one_by_one(digits: str) -> str:
    return " ".join("oh" if digit == "0" else cardinal(int(digit)) for digit in digits)
