"""How far annotators agree with one another and with the log, in the columns of the paper's Tables 6 and 7.

- **consensus**: candidates on whose category more than half of the annotators agree; `unanimous`: all do.
- **kappa**: Fleiss' kappa; of a class, the category against all others, over all candidates.
- **boundary F1**: marks of two annotators on a candidate match when they lie within 500 ms of each other; pooled over
  candidates with an event and pairs of annotators, 2 matches / marks.
- **match**: of the candidates with a consensus, those where it is what the log says; `to the log` is the boundary F1
  of the median mark against the log, and `holder` the same as `match` for who has the floor afterwards.

Only candidates that every annotator answered count. Rows are the classes by the log.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Literal, TypeVar

from pipeline.errors import InputError
from pipeline.records import Record
from pipeline.samples import to_seconds

from .answers import Answer, Answers, holder_of
from .candidates import Candidate
from .categories import CATEGORIES
from .kappa import category_kappa, counted, fleiss_kappa
from .kit import Key

WITHIN_S = 0.5
_Said = TypeVar("_Said", bound=Hashable)
Rated = tuple[Candidate, tuple[Answer, ...]]


class Row(Record):
    """Figures of some candidates; None where there is nothing to count."""

    group: str
    n: int
    consensus: float | None = None
    """Shares are 0 to 1."""
    unanimous: float | None = None
    kappa: float | None = None
    boundary_f1: float | None = None
    match: float | None = None
    to_log_f1: float | None = None
    holder: float | None = None


class Agreement(Record):
    """All figures."""

    schema_version: Literal[1] = 1
    kit: str
    corpus: str
    annotators: tuple[str, ...]
    candidates: int
    """In the kit."""
    answered: int
    """By all annotators."""
    classes: tuple[Row, ...]
    speakers: tuple[Row, ...]
    all: Row


def agreement(key: Key, answers: Sequence[Answers]) -> Agreement:
    """Compare answers with one another and with the key.

    Raises
    ------
    InputError
        when there are fewer than two annotators, or no candidate was answered by all.

    """
    if len(answers) < 2:
        raise InputError(f"{len(answers)} file of answers: agreement needs those of two annotators at least")
    rated = list(_rated(key, answers))
    if not rated:
        raise InputError("no candidate was answered by all annotators; let them go on")
    classes = [name for name in CATEGORIES if any(one.label == name for one, _ in rated)]
    numbers = sorted({one.n_speakers for one, _ in rated})
    kappas = _category_kappas(rated)
    return Agreement(
        kit=key.kit,
        corpus=key.corpus,
        annotators=tuple(one.annotator for one in answers),
        candidates=len(key.candidates),
        answered=len(rated),
        classes=tuple(
            _row(name, [one for one in rated if one[0].label == name], key, kappas[name]) for name in classes
        ),
        speakers=tuple(
            _row(f"{number} speakers", some, key, _kappa(some))
            for number in numbers
            if (some := [one for one in rated if one[0].n_speakers == number])
        ),
        all=_row("all", rated, key, _kappa(rated)),
    )


def _rated(key: Key, answers: Sequence[Answers]) -> Iterator[Rated]:
    """The candidates that all annotators answered."""
    found = [{one.id: one for one in some.answers} for some in answers]
    for candidate in key.candidates:
        if all(candidate.id in some for some in found):
            yield candidate, tuple(some[candidate.id] for some in found)


def _kappa(rated: Sequence[Rated]) -> float | None:
    return _rounded(fleiss_kappa(counted([[one.named for one in given] for _, given in rated], CATEGORIES)))


def _category_kappas(rated: Sequence[Rated]) -> Mapping[str, float | None]:
    counts = counted([[one.named for one in given] for _, given in rated], CATEGORIES)
    return {name: _rounded(category_kappa(counts, n)) for n, name in enumerate(CATEGORIES)}


def _row(group: str, rated: Sequence[Rated], key: Key, kappa: float | None) -> Row:
    agreed = [(candidate, majority([one.named for one in given])) for candidate, given in rated]
    settled = [(candidate, said) for candidate, said in agreed if said is not None]
    holders = [(candidate, majority([(holder_of(one, candidate),) for one in given])) for candidate, given in rated]
    eventful = [one for one in rated if one[0].event]
    held = [(candidate, said) for candidate, said in holders if said is not None]
    return Row(
        group=group,
        n=len(rated),
        consensus=_share(len(settled), len(rated)),
        unanimous=_share(sum(len({one.named for one in given}) == 1 for _, given in rated), len(rated)),
        kappa=kappa,
        boundary_f1=_between(eventful),
        match=_share(sum(said == candidate.label for candidate, said in settled), len(settled)),
        to_log_f1=_to_log(eventful, key),
        holder=_share(sum(said == (candidate.holder,) for candidate, said in held), len(held)),
    )


def majority(said: Sequence[_Said]) -> _Said | None:
    """What more than half say; None where there is no such thing.

    >>> majority(["a", "b", "a"]), majority(["a", "b", "c"])
    ('a', None)
    """
    most, count = Counter(said).most_common(1)[0]
    return most if 2 * count > len(said) else None


def _between(rated: Sequence[Rated]) -> float | None:
    """Boundary F1 between annotators."""
    pairs = [pair for _, given in rated for pair in combinations([one.boundary_s for one in given], 2)]
    return _f1(pairs)


def _to_log(rated: Sequence[Rated], key: Key) -> float | None:
    """Boundary F1 of the median mark against the log; nothing is heard where half and more mark nothing."""
    pairs = []
    for candidate, given in rated:
        marks = [one.boundary_s for one in given if one.boundary_s is not None]
        heard = median(marks) if 2 * len(marks) > len(given) else None
        stated = to_seconds(candidate.anchor - candidate.clip.start, key.rate)
        pairs.append((heard, stated))
    return _f1(pairs)


def _f1(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Twice the pairs that match, of all marks."""
    marks = sum(one is not None for pair in pairs for one in pair)
    matches = sum(a is not None and b is not None and abs(a - b) <= WITHIN_S + 1e-9 for a, b in pairs)
    return _share(2 * matches, marks)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
