"""What the model voiced: trimmed, faults found, and ranked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pipeline.writers.rules import line_faults
from pipeline.writers.words import bare_words, grams, words

_SENTENCE = re.compile(r"[^.?!]+[.?!]+[\"']?\s*")
_STIFF = re.compile(
    r"\bI (?:completely |totally )?agree\b|great point|valid point|I understand your|\bbeneficial\b|\bimpact|sustainab"
    r"|\benvironmentally\b|\bensure\b|\bIt's important to\b|\bcrucial\b|\ba great (?:way|idea|opportunity)\b"
    r"|\bIn conclusion\b|\bOverall,",
    re.IGNORECASE,
)
"""Phrases of essays and chat assistants."""


_LEADING = (
    "so|and|but|or|well|okay|oh|right|wait|sorry|now|then|yeah|no|see|look|honestly|anyway|hang on|hold on|i mean"
)
_ASKING = (
    "what|who|whose|why|how|when|where|which|(?:am|is|are|was|were|do|does|did|can|could|will|would|shall|should|"
    "have|has|had|may|might|must|ca|wo)(?:n't)?"
)
_ASKS = re.compile(
    rf"^(?:(?:{_LEADING})\b\W+)*(?:{_ASKING})\b|,\s*(?:(?:and|but|or|so)\s+)?(?:{_ASKING})\s\w+"
    r"|\b(?:right|yeah|okay|eh|huh|really)\?$",
    re.IGNORECASE,
)
"""How a sentence of some length asks: an inversion or a question word at its head or after a comma, or a tag."""
SHORT_POINT = 6
"""Words up to which a point may be said as it stands."""
CALM_LINES = 3
"""Lines after an exclamation without another; a small model that cries once goes on crying."""
SHORT_QUESTION = 5
"""Words up to which any sentence may be a question."""
_FIRST = re.compile(r"\b(?:I|my|me|mine|myself|I'\w+|we|our|us|we'\w+)\b")
_JOINING = frozenset({"and", "but", "because", "so", "or", "when", "while", "unless", "until", "although"})
_GLUED = re.compile(r"[a-z](?:[.,?!][A-Za-z]|[A-Z])")
_SECOND = re.compile(r"\b(?:you|your|you'\w+)\b", re.IGNORECASE)
LEAST_KEPT = 0.5
"""Share of a point's keywords below which a line has lost it."""


@dataclass(frozen=True)
class Wanted:
    """What a line shall be."""

    say: str
    """The point."""
    low: int
    high: int
    """Words."""
    question: bool = False
    banned_names: tuple[str, ...] = ()
    """The speaker's own and those of the few-shot transcript."""
    needs_point: bool = True


@dataclass
class Heard:
    """What was said before, for comparison."""

    lines: list[str] = field(default_factory=list)
    shown: frozenset[tuple[str, ...]] = frozenset()
    """Word runs of the few-shot transcript."""
    runs: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Remember a line."""
        self.lines.append(text)
        self.runs |= grams(text)


@dataclass(frozen=True)
class Candidate:
    """A line, what is wrong with it, and how good it is beside others."""

    text: str
    faults: tuple[str, ...]
    score: float
    opener: str = ""
    """What code let it begin with."""


def judged(raw: str, wanted: Wanted, heard: Heard) -> Candidate:
    """A raw reply as a candidate."""
    text = stopped(without_tail(tidied(raw, wanted.high), wanted.say), wanted, heard)
    return Candidate(text, faults(text, wanted, heard), score(text, wanted, heard))


def stopped(text: str, wanted: Wanted, heard: Heard) -> str:
    """A line with the stops that a voice takes its tune from: questions asked, statements stated, few cries."""
    if wanted.question and text.endswith(".") and "?" not in text:
        text = text[:-1] + "?"
    if not wanted.question and wanted.needs_point:
        text = "".join(_stated(sentence) for sentence in _SENTENCE.findall(text)) or text
    if any("!" in line for line in heard.lines[-CALM_LINES:]):
        text = text.replace("!", ".")
    return text


def _stated(sentence: str) -> str:
    """A sentence without a question mark that its words do not ask for; fragments may ask for anything."""
    if len(words(sentence)) <= SHORT_QUESTION or _ASKS.search(sentence):
        return sentence
    return sentence.replace("?", ".")


def tidied(raw: str, high: int) -> str:
    """A raw line without quotes and label, cut after the last whole sentence that fits `high` words."""
    text = re.sub(r"^\s*[A-Z][a-z]+:\s*", "", " ".join(raw.replace("\u2019", "'").split())).strip('"').strip()
    # Reported speech in single quotes, which a voice cannot show and which seldom closes.
    text = re.sub(r"(?<!\w)'(?!(?:em|cause|til|bout|tis)\b)|(?<=[.,!?])\s?'", "", text)
    sentences = _SENTENCE.findall(text)
    kept = ""
    for sentence in sentences:
        if kept and len(words(kept + sentence)) > high:
            break
        kept += sentence
    kept = cut_short(kept.strip() or _closed(text), high)
    return kept[:1].upper() + kept[1:]


def cut_short(text: str, high: int) -> str:
    """A line of more than `high` words, cut after the last clause that fits; as it is where none of half that does.

    >>> cut_short("I've kept it running for nine years, and I'm not ready to hold a funeral.", 10)
    "I've kept it running for nine years."
    """
    said = words(text)
    if len(said) <= high:
        return text
    ends = [
        i + 1
        for i in range(high // 2 - 1, high)
        if said[i].endswith((",", ".", "?", "!", ";")) or said[i + 1].casefold() in _JOINING
    ]
    if not ends or ends[-1] < 3:
        return text
    return " ".join(said[: ends[-1]]).rstrip(" ,;.").rstrip(".?!") + ("?" if text.endswith("?") else ".")


def without_tail(text: str, say: str) -> str:
    """A line without closing sentences that say nothing of the point, where what is left keeps it."""
    sentences = _SENTENCE.findall(text)
    while len(sentences) > 1 and not keywords(sentences[-1]) & keywords(say):
        if kept_share("".join(sentences[:-1]), say) < LEAST_KEPT:
            break
        sentences.pop()
    return "".join(sentences).strip() or text


def _closed(text: str) -> str:
    """A line without an end, closed at its last comma where most of it is kept."""
    head, _, tail = text.rpartition(",")
    if head and len(words(tail)) < len(words(head)):
        text = head
    return text.rstrip(" ,-") + "." if words(text) else text


def faults(text: str, wanted: Wanted, heard: Heard) -> tuple[str, ...]:
    """Names of what is wrong with a line; the rules of every script first."""
    found = [rule for rule, *_ in line_faults(text)]
    count = len(words(text))
    if count > 1.35 * wanted.high:
        found.append("too_long")
    if count < min(8, 0.6 * wanted.low):
        found.append("too_short")
    runs = grams(text)
    said = bare_words(text)
    if len(said) > 3 and len(set(said)) <= len(said) / 2:
        found.append("echo")
    if len(runs) < len(said) - 3:
        found.append("echo")
    if runs & heard.runs or runs & heard.shown or said in {bare_words(line) for line in heard.lines}:
        found.append("echo")
    if any(re.search(rf"\b{re.escape(name)}\b", text) for name in wanted.banned_names if name not in wanted.say):
        found.append("wrong_name")
    # A line much shorter than its point cannot keep all of it.
    least = LEAST_KEPT * min(1.0, wanted.high / max(1, len(words(wanted.say))))
    if wanted.needs_point and kept_share(text, wanted.say) < least:
        found.append("off_point")
    if _FIRST.search(wanted.say) and _SECOND.search(text) and not _FIRST.search(text):
        found.append("wrong_person")
    if is_copy(text, wanted.say) and len(bare_words(wanted.say)) > SHORT_POINT:
        found.append("copied")
    if _GLUED.search(text) or set(bare_words(text)) & _joined_pairs(wanted.say):
        found.append("glued")
    return tuple(dict.fromkeys(found))


def _joined_pairs(say: str) -> frozenset[str]:
    """What comes of two neighbouring words without the blank between."""
    said = bare_words(say)
    return frozenset(one + other for one, other in pairwise(said)) - set(said)


def score(text: str, wanted: Wanted, heard: Heard) -> float:
    """How good a line is: at most about 1.6."""
    count, runs, note = len(words(text)), grams(text), grams(wanted.say)
    said_before = keywords(" ".join([wanted.say, *heard.lines[-2:]]))
    value = 0.6
    if count < wanted.low:
        value -= 2.0 * (wanted.low - count) / wanted.low
    if count > wanted.high:
        value -= 3.0 * (count - wanted.high) / wanted.high
    value += min(1.0, 1.25 * kept_share(text, wanted.say))
    if note:
        value -= 0.4 * max(0.0, len(note & runs) / len(note) - 0.6)
    new = keywords(text) - said_before
    value -= 0.6 * max(0.0, len(new) / max(1, len(keywords(text))) - 0.5)
    value -= 0.7 * is_copy(text, wanted.say)
    value -= 0.7 * _opens_alike(text, heard.lines[-12:])
    value -= 1.0 * bool(_STIFF.search(text))
    value -= 1.0 * (not heard.lines and text.startswith(("But ", "And ", "Because ", "Plus")))
    value -= 0.5 * (text.count(" and ") > 3)
    return value


def kept_share(text: str, say: str) -> float:
    """Share of a point's keywords that a line keeps; 1 where it has none."""
    asked = keywords(say)
    return len(asked & keywords(text)) / len(asked) if asked else 1.0


def is_copy(text: str, say: str) -> bool:
    """Whether a line is its point word for word, with one word more at most."""
    said, point = bare_words(text), bare_words(say)
    return " ".join(point) in " ".join(said) and len(said) <= len(point) + 1


def keywords(text: str) -> frozenset[str]:
    """Starts of the words of five letters and more: what a point is about."""
    return frozenset(word[:5] for word in bare_words(text) if len(word) > 4 and word not in _COMMON)


_COMMON = frozenset(
    bare_words("""
    about after again because before being could every everybody first going honestly nobody other really should
    something somebody still their there these thing things think those though three would where which while whole
    without you're we've they're that's won't don't can't isn't haven't
""")
)


def _opens_alike(text: str, lines: Sequence[str]) -> bool:
    first = bare_words(text)[:2]
    return any(bare_words(line)[:2] == first for line in lines)
