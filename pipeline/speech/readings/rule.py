"""A rule replaces a stretch of text by what is said in its place."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pipeline.speech.spoken import Stretch

_CORE = re.compile(r"(?s:.*)[^\W_]")
_AFTER = " .,;:?!"

Said = str | list[tuple[str, str]] | None
"""What is said for a match: a text; or for each of some groups in order its own text, so that every written word
keeps what is said for it; or None where the rule does not apply after all."""


@dataclass(frozen=True)
class Rule:
    """Where `pattern` matches, `say` tells what is said instead."""

    pattern: re.Pattern[str]
    say: Callable[[re.Match[str]], Said]


def rule(pattern: str, say: Callable[[re.Match[str]], Said]) -> Rule:
    r"""A rule from a regular expression, which may be written with spaces (``\s`` or ``[ ]`` match one)."""
    return Rule(re.compile(pattern, re.VERBOSE), say)


def words(pattern: str, table: dict[str, str]) -> Rule:
    """A rule that looks up what matched; `{}` in the pattern stands for the words of the table."""
    return rule(pattern.replace("{}", either(table)), lambda match: table[match.group()])


def either(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


def applied(rules: Sequence[Rule], text: str) -> list[Stretch]:
    """The whole text in stretches: the earliest match first, of two at one place that of the earlier rule.

    >>> [stretch.spoken for stretch in applied([rule("a+", lambda m: "A")], "caab")]
    ['c', 'A', 'b']
    """
    found: list[Stretch] = []
    at = 0
    due = [_next(each, text, 0) for each in rules]
    while True:
        for index, (start, _) in enumerate(due):
            if start < at:
                due[index] = _next(rules[index], text, at)
        start, stretches = min(due, key=lambda one: one[0])
        found += [Stretch(n, n + 1, text[n]) for n in range(at, min(start, len(text)))]
        if not stretches:
            return found
        found += stretches
        at = stretches[-1].end


def _next(rule: Rule, text: str, at: int) -> tuple[int, list[Stretch]]:
    """Where a rule next applies and what it says there; beyond the end of the text where it does not."""
    while match := rule.pattern.search(text, at):
        said = rule.say(match)
        if said is not None:
            return match.start(), _stretches(match, said)
        at = match.start() + 1
    return len(text) + 1, []


def _stretches(match: re.Match[str], said: str | list[tuple[str, str]]) -> list[Stretch]:
    """The stretches of a match; those of its groups reach to the start of the next group."""
    parts = [("", said)] if isinstance(said, str) else said
    starts = [match.start(), *(match.start(group) for group, _ in parts[1:]), match.end()]
    return [
        each
        for n, (_, spoken) in enumerate(parts)
        for each in _around_word(match.string, Stretch(starts[n], starts[n + 1], spoken))
    ]


def _around_word(text: str, whole: Stretch) -> list[Stretch]:
    """What is said belongs to the letters and figures; a mark or blank at its end to what follows them."""
    core = _CORE.search(text, whole.start, whole.end)
    if not core or core.end() == whole.end:
        return [whole]
    word = whole.spoken.rstrip(_AFTER)
    return [Stretch(whole.start, core.end(), word), Stretch(core.end(), whole.end, whole.spoken[len(word) :])]
