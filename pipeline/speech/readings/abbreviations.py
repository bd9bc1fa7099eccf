"""Abbreviations, some by what stands around them: Dr. is a doctor or a drive, St. a saint or a street."""

import re

from pipeline.speech.readings.rule import Rule, either, rule

TITLES = {
    "Mr": "Mister",
    "Mrs": "Missus",
    "Ms": "Miz",
    "Prof": "Professor",
    "Rev": "Reverend",
    "Hon": "Honourable",
    "Capt": "Captain",
    "Lt": "Lieutenant",
    "Col": "Colonel",
    "Gen": "General",
    "Sgt": "Sergeant",
    "Gov": "Governor",
    "Sen": "Senator",
    "Rep": "Representative",
    "Pres": "President",
    "Mt": "Mount",
    "Ft": "Fort",
}
"""Before a name, the first four and Mt also without a stop."""
_BARE = ("Mr", "Mrs", "Ms", "Prof", "Mt")
WORDS = {
    "Jr.": "Junior",
    "Sr.": "Senior",
    "vs.": "versus",
    "etc.": "et cetera",
    "e.g.": "for example",
    "i.e.": "that is",
    "cf.": "compare",
    "approx.": "approximately",
    "Ave.": "Avenue",
    "Rd.": "Road",
    "Blvd.": "Boulevard",
    "Hwy.": "Highway",
    "Apt.": "Apartment",
    "apt.": "apartment",
    "Inc.": "Incorporated",
    "Ltd.": "Limited",
    "Corp.": "Corporation",
    "Bros.": "Brothers",
    "Dept.": "Department",
    "dept.": "department",
    "Assn.": "Association",
    "Univ.": "University",
    "est.": "estimated",
    "max.": "maximum",
    "min.": "minimum",
    "incl.": "including",
    "excl.": "excluding",
    "misc.": "miscellaneous",
    "govt.": "government",
    "Mmes.": "Mesdames",
}
BARE_WORDS = {
    "vs": "versus",
    "etc": "et cetera",
    "approx": "approximately",
    "Blvd": "Boulevard",
    "Ltd": "Limited",
    "w/o": "without",
    "w/": "with ",
    "c/o": "care of",
    "n/a": "N A",
    "N/A": "N A",
    "b/c": "because",
    "Ph.D.": "PhD",
    "a.k.a.": "also known as",
    "aka": "also known as",
}
BEFORE_NUMBER = {
    "p.": "page",
    "pp.": "pages",
    "vol.": "volume",
    "Vol.": "Volume",
    "ch.": "chapter",
    "Ch.": "Chapter",
    "fig.": "figure",
    "Fig.": "Figure",
    "eq.": "equation",
    "ext.": "extension",
    "tel.": "telephone",
    "Tel.": "Telephone",
    "ca.": "about",
    "c.": "about",
    "v.": "version",
}
_FOLLOWED_BY_NAME = r"(?=\s+[A-Z][\w'])"
_NUMBERED = re.compile(r"\b\d+[A-Za-z]?\s+(?:[A-Z][\w'-]*\s+){1,3}$")
_NAMED = re.compile(r"\b[A-Z][\w'-]*\s+$")
_ENDS_SENTENCE = re.compile(r"\s*$|\s*[\")]*\s+[A-Z]")


def _by_place(before_name: str, after_name: str, match: re.Match[str]) -> str | None:
    """A title where a name follows, a way where a house number or only a name stands before."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    name_follows = re.match(r"\s+[A-Z]", after)
    if _NUMBERED.search(before) or (_NAMED.search(before) and not name_follows):
        return after_name + _kept_stop(match)
    return before_name if name_follows or match.group().endswith(".") else None


def _kept_stop(match: re.Match[str]) -> str:
    """The stop of an abbreviation where it ends the sentence as well."""
    ends = match.group().endswith(".") and _ENDS_SENTENCE.match(match.string[match.end() :])
    return "." if ends else ""


RULES: tuple[Rule, ...] = (
    rule(r"\bDr\b\.?", lambda m: _by_place("Doctor", "Drive", m)),
    rule(r"\bSt\b\.?", lambda m: _by_place("Saint", "Street", m)),
    rule(rf"\b(?P<title>{either(TITLES)})\.{_FOLLOWED_BY_NAME}", lambda m: TITLES[m["title"]]),
    rule(r"\b(?P<title>Mrs|Mr|Ms|Prof)\.", lambda m: TITLES[m["title"]] + _kept_stop(m)),
    rule(rf"\b(?P<title>{either(_BARE)}){_FOLLOWED_BY_NAME}", lambda m: TITLES[m["title"]]),
    rule(rf"(?<![\w.])(?P<word>{either(WORDS)})(?!\w)", lambda m: WORDS[m["word"]] + _kept_stop(m)),
    rule(rf"(?<![\w./])(?P<word>{either(BARE_WORDS)})(?:(?<=/)|(?!\w))", lambda m: BARE_WORDS[m["word"]]),
    rule(rf"(?<![\w.])(?P<word>{either(BEFORE_NUMBER)})\s?(?=\d)", lambda m: f"{BEFORE_NUMBER[m['word']]} "),
    rule(r"\bCo\.(?=\s|,|$)", lambda m: "Company" + _kept_stop(m)),
    rule(r"\bno\.\s(?=[A-Z]\d)", lambda m: "number "),
)
