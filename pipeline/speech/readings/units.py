"""Units of measurement by their sign: how one and how several are spoken."""


def _regular(**names: str) -> dict[str, tuple[str, str]]:
    """Units that take an s."""
    return {sign: (name, f"{name}s") for sign, name in names.items()}


UNITS: dict[str, tuple[str, str]] = {
    **_regular(km="kilometre", m="metre", cm="centimetre", mm="millimetre", nm="nanometre"),
    **_regular(kg="kilo", g="gram", mg="milligram", lb="pound", lbs="pound", oz="ounce"),
    **_regular(l="litre", L="litre", ml="millilitre", cl="centilitre", gal="gallon", tbsp="tablespoon", tsp="teaspoon"),
    **_regular(yd="yard", yds="yard", mi="mile", ha="hectare", pt="pint"),
    **_regular(kB="kilobyte", KB="kilobyte", MB="megabyte", GB="gigabyte", TB="terabyte"),
    **_regular(W="watt", kW="kilowatt", MW="megawatt", kWh="kilowatt hour", V="volt", dB="decibel", kcal="calorie"),
    **_regular(min="minute", mins="minute", h="hour", hr="hour", hrs="hour", sec="second", secs="second"),
    **_regular(ms="millisecond", yr="year", yrs="year", wk="week", wks="week"),
    "Hz": ("hertz", "hertz"),
    "kHz": ("kilohertz", "kilohertz"),
    "MHz": ("megahertz", "megahertz"),
    "GHz": ("gigahertz", "gigahertz"),
    "ft": ("foot", "feet"),
    "km/h": ("kilometre an hour", "kilometres an hour"),
    "kph": ("kilometre an hour", "kilometres an hour"),
    "mph": ("mile an hour", "miles an hour"),
    "m/s": ("metre a second", "metres a second"),
    "mpg": ("mile to the gallon", "miles to the gallon"),
    "rpm": ("revolution a minute", "revolutions a minute"),
    "bpm": ("beat a minute", "beats a minute"),
    "Mbps": ("megabit a second", "megabits a second"),
    "sq m": ("square metre", "square metres"),
    "m²": ("square metre", "square metres"),
    "m2": ("square metre", "square metres"),
    "km²": ("square kilometre", "square kilometres"),
    "cm²": ("square centimetre", "square centimetres"),
    "sq ft": ("square foot", "square feet"),
    "m³": ("cubic metre", "cubic metres"),
    "cm³": ("cubic centimetre", "cubic centimetres"),
    "μm": ("micrometre", "micrometres"),
    "μg": ("microgram", "micrograms"),
    "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
    "‰": ("per mille", "per mille"),
    "¢": ("cent", "cents"),
    "bn": ("billion", "billion"),
    "tn": ("trillion", "trillion"),
    "M": ("million", "million"),
    "x": ("time", "times"),
    "\u00d7": ("time", "times"),
}
"""By sign; letters count in their case."""
