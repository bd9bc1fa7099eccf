"""Mail addresses, web addresses, names with an at sign, hashtags and file names."""

import re
import unicodedata

from pipeline.speech.numbers import number
from pipeline.speech.readings.rule import Rule, either, rule

SPELT = frozenset(
    [
        "uk",
        "us",
        "eu",
        "io",
        "tv",
        "de",
        "fr",
        "ac",
        "edu",
        "ca",
        "ie",
        "nz",
        "au",
        "nl",
        "ch",
        "se",
        "es",
        "it",
        "js",
        "py",
        "html",
        "pdf",
        "csv",
        "xml",
        "url",
        "www",
    ]
)
"""Parts of addresses that are read letter by letter."""
ENDINGS = [
    "com",
    "org",
    "net",
    "io",
    "edu",
    "gov",
    "co",
    "uk",
    "info",
    "dev",
    "app",
    "eu",
    "de",
    "fr",
    "tv",
    "ai",
    "me",
    "ac",
    "ie",
    "ca",
    "au",
    "nz",
    "us",
    "ch",
    "nl",
]
FILES = [
    "pdf",
    "txt",
    "csv",
    "json",
    "xml",
    "html",
    "doc",
    "docx",
    "xlsx",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "mp3",
    "wav",
    "flac",
    "zip",
    "py",
    "js",
    "exe",
]
SIGNS = {".": "dot", "/": "slash", "@": "at", "-": "dash", "_": "underscore", "+": "plus", ":": "colon"}
SIGNS |= {"?": "question mark", "=": "equals", "&": "and", "%": "percent", "#": "hash", "~": "tilde"}
_PART = r"[\w-]{1,63}"


def address(text: str) -> str:
    """An address as it is dictated.

    >>> address("https://www.x.org/a-1/"), address("jo_9@mail.co.uk")
    ('W W W dot x dot org slash a dash one', 'jo underscore nine at mail dot co dot UK')
    """
    text = unicodedata.normalize("NFKC", text).replace("\u2044", "/")
    text = re.sub(r"^https?://", "", text).rstrip("/")
    parts = re.findall(r"[A-Za-z]+|[^\W_]+|[\W_]", re.sub(r"(?<=\D)(?=\d)|(?<=\d)(?=\D)", " ", text))
    return " ".join(filter(None, (_part(part) for part in parts)))


def _part(part: str) -> str:
    if part.isdecimal():
        return number(part)
    if part == "www":
        return "W W W"
    return SIGNS.get(part, part.upper() if part in SPELT else part).strip()


def _dotted(match: re.Match[str]) -> str:
    return address(match["name"]) + " dot " + _part(match["ending"].lower())


RULES: tuple[Rule, ...] = (
    rule(rf"(?<![\w.+-])[\w.+-]{{1,64}}@{_PART}(?:\.{_PART})+\b", lambda m: address(m.group())),
    rule(r"(?:https?://|\bwww\.)[^\s<>\"]{0,300}[\w/]", lambda m: address(m.group())),
    rule(
        rf"(?<![\w.-]){_PART}(?:\.{_PART}){{0,4}}\.{either(ENDINGS)}\b(?:/[\w/.=?&-]{{0,300}}[\w/])?(?!\.\w)",
        lambda m: address(m.group()),
    ),
    rule(rf"(?<![\w.-])(?P<name>{_PART})\.(?P<ending>{either(FILES)})\b", _dotted),
    rule(r"(?<!\w)@(?P<handle>\w{1,63})", lambda m: "at " + address(m["handle"])),
    rule(r"(?<!\w)\#(?P<tag>[^\W\d]\w{0,63})", lambda m: "hashtag " + address(m["tag"])),
    rule(r"(?<=[a-z][a-z])\.(?=[a-z]{2})", lambda m: " dot "),
    rule(r"(?<=[a-z])\.(?=[A-Z][a-z])", lambda m: ". "),
)
