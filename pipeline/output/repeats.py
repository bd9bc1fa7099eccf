"""Words said again: lines that share a run of words with an earlier line."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.writers.words import bare_words, grams

RUN = 4
"""Words in a row that count as said again."""
Gram = tuple[str, ...]


@dataclass(frozen=True)
class Repeat:
    """Whether a line shares a run with an earlier one."""

    within: bool
    """Of its own conversation."""
    between: bool
    """Of an earlier conversation."""

    @property
    def either(self) -> bool:
        """Whether it shares one with any line before it."""
        return self.within or self.between


@dataclass(frozen=True)
class Phrase:
    """A run of words and how often it is said."""

    text: str
    lines: int
    conversations: int


def repeats(conversations: Iterable[Sequence[str]]) -> list[list[Repeat]]:
    """A verdict on every line of conversations in their order.

    >>> said = [["So it goes on and on.", "It goes on and stops."], ["And it goes on and on!"]]
    >>> [[(line.within, line.between) for line in lines] for lines in repeats(said)]
    [[(False, False), (True, False)], [(False, True)]]
    """
    earlier: set[Gram] = set()
    found = []
    for lines in conversations:
        own: set[Gram] = set()
        verdicts = []
        for line in lines:
            runs = grams(line, RUN)
            verdicts.append(Repeat(within=bool(runs & own), between=bool(runs & earlier)))
            own |= runs
        found.append(verdicts)
        earlier |= own
    return found


def most_repeated(conversations: Iterable[Sequence[str]], most: int = 10) -> list[Phrase]:
    """The runs that stand in most lines, at least in two; of runs that stand in the same lines, the first alone.

    >>> most_repeated([["So it goes on and on.", "It goes on and on!"]])
    [Phrase(text='it goes on and', lines=2, conversations=1)]
    """
    places: dict[Gram, dict[tuple[int, int], None]] = defaultdict(dict)
    for number, lines in enumerate(conversations):
        for place, line in enumerate(lines):
            for run in _in_order(line):
                places[run][number, place] = None
    # One long phrase is many runs; what tells them apart is nothing a reader could act on.
    first_of = {tuple(where): run for run, where in reversed(places.items()) if len(where) > 1}
    ranked = sorted(first_of.items(), key=lambda entry: (-len(entry[0]), entry[1]))
    return [Phrase(" ".join(run), len(where), len({number for number, _ in where})) for where, run in ranked[:most]]


def _in_order(line: str) -> list[Gram]:
    said = bare_words(line)
    return [said[i : i + RUN] for i in range(len(said) - RUN + 1)]
