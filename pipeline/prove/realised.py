"""Gate: the realised figures are those aimed at, and `stats.json` states what the timelines hold.

A figure fails where it is out of tolerance by more than chance explains: where an interval around it, as wide as a
bootstrap over conversations says, does not reach its tolerance. The interval has Student's quantile for as many
conversations, at a level shared out among all figures (Bonferroni): a corpus that is as aimed at fails once in a
hundred, however many figures are asked. A stress corpus is held to its own proofs; a corpus made with other settings
of design and timing than the targets go with is held to neither.
"""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from pipeline.output.comparison import Comparison, compared, counted, in_a_line
from pipeline.output.manifest import read_object
from pipeline.output.statistics import Counted, cells_of, statistics
from pipeline.output.targets import published
from pipeline.output.verdicts import row
from pipeline.report import report
from pipeline.seeds import generator
from pipeline.stress.proofs import Proved, again

from .gate import Figure, Gate, Place, judged
from .limits import Limits

ASKS = "Are the realised figures those aimed at?"
RESAMPLES = 300
FAMILY = 0.01
"""How often a corpus that is as aimed at may fail: of all its figures together."""
GROUPS = ("all", "by_type", "by_speakers", "by_split")
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Found:
    """Figures beside their targets, and what `stats.json` says."""

    comparisons: tuple[Comparison, ...]
    by_chance: frozenset[Key]
    """Those out of tolerance that chance explains."""
    other_settings: tuple[str, ...]
    differing: tuple[str, ...]
    """Figures that `stats.json` states otherwise than the timelines give them."""
    stress: tuple[Proved, ...]


def find(corpus: Path, seed: int) -> Found:
    """Count the corpus again; InputError when something in it cannot be read."""
    stated = read_object(corpus / "stats.json", "finish the corpus by making it again")
    fresh = report(corpus)
    stats = json.loads(json.dumps(fresh.stats))
    return Found(
        comparisons=fresh.comparisons,
        by_chance=frozenset(_by_chance(fresh.comparisons, fresh.found, seed)),
        other_settings=tuple(stats["targets"]["other_settings"]),
        differing=tuple(_differing({k: stated.get(k) for k in GROUPS}, {k: stats.get(k) for k in GROUPS})),
        stress=tuple(again(stated.get("stress", {}), stats["all"])),
    )


def _differing(stated: Any, fresh: Any, place: str = "") -> list[str]:
    """Places where two trees of figures differ."""
    if isinstance(stated, Mapping) and isinstance(fresh, Mapping):
        names = sorted(stated.keys() | fresh.keys())
        return [one for name in names for one in _differing(stated.get(name), fresh.get(name), f"{place}.{name}")]
    return [] if stated == fresh else [f"{place.lstrip('.')} is {fresh}, stated {stated}"]


def _by_chance(comparisons: Sequence[Comparison], found: Sequence[Counted], seed: int) -> list[Key]:
    """The figures out of tolerance whose interval reaches it."""
    missed = [one for one in comparisons if one.verdict == "MISSED"]
    if not missed or len(found) < 2:
        return []
    deviations = reach(len(comparisons) - counted(comparisons)["no verdict"], len(found))
    values = _resampled(found, generator(seed, "prove", "realised"))
    return [key(one) for one in missed if explained(one, values[key(one)], deviations)]


def _resampled(found: Sequence[Counted], rng: np.random.Generator) -> Mapping[Key, Sequence[float]]:
    """What each figure is of as many conversations, drawn with replacement."""
    values = defaultdict[Key, list[float]](list)
    for _ in range(RESAMPLES):
        some = [found[n] for n in rng.integers(len(found), size=len(found))]
        for one in compared(statistics(some), cells_of(some), published()):
            if one.realised is not None:
                values[key(one)].append(one.realised)
    return values


def reach(figures: int, conversations: int) -> float:
    """Standard deviations over resampled corpora that chance takes one of so many figures from what was aimed at.

    These are less than standard errors: drawing from n conversations leaves out one degree of freedom.

    >>> [round(reach(*asked), 2) for asked in ((1, 1000), (58, 1000), (58, 24))]
    [2.58, 3.77, 4.57]
    """
    quantile = float(student.ppf(1 - FAMILY / figures / 2, conversations - 1))
    return quantile * math.sqrt(conversations / (conversations - 1))


def explained(one: Comparison, values: Sequence[float], deviations: float) -> bool:
    """Whether the figure is within so many standard deviations of its tolerance, by its values in resampled corpora."""
    if one.realised is None or len(values) < 2:
        return False
    return max(one.low - one.realised, one.realised - one.high) <= deviations * float(np.std(values, ddof=1))


def key(one: Comparison) -> Key:
    """What a comparison is of."""
    return one.name, one.by, one.group


def gate(found: Found, limits: Limits) -> Gate:
    """All figures of the corpus."""
    figures = [
        Figure(
            what="parts of stats.json that the timelines contradict",
            value=len(found.differing),
            side="at most",
            limit=0,
            n=len(GROUPS),
            of="groups of figures",
        )
    ]
    places = [Place(says=f"stats.json: {one}") for one in found.differing]
    notes = []
    judging = [one for one in found.comparisons if one.verdict != "no verdict"]
    if found.stress:
        unproved = [one for one in found.stress if one.verdict != "proved"]
        figures.append(
            Figure(
                what="proofs of the stress corpus that do not hold",
                value=len(unproved),
                side="at most",
                limit=limits.unproved,
                n=len(found.stress),
                of="proofs",
            )
        )
        places += [Place(says=str(one)) for one in unproved]
    elif found.other_settings:
        notes.append(f"Made with settings other than those of the targets: {', '.join(found.other_settings)}.")
    elif judging:
        missed = [one for one in judging if one.verdict == "MISSED"]
        beyond = [one for one in missed if key(one) not in found.by_chance]
        figures.append(
            Figure(
                what="figures out of tolerance, beyond chance",
                value=len(beyond),
                side="at most",
                limit=limits.missed,
                n=len(judging),
                of="figures with a verdict",
            )
        )
        places += [Place(says=_words(one)) for one in beyond]
        notes.append(f"{in_a_line(counted(found.comparisons))}; chance explains {len(missed) - len(beyond)} of these.")
    else:
        notes.append("Too few conversations for a verdict on any figure beside its target.")
    return judged("realised", ASKS, figures, places, notes)


def _words(one: Comparison) -> str:
    label, group, value, target, distance, allowed, _ = row(one).cells
    return f"{label}, {group}: {value}, target {target}, {distance} where {allowed} is allowed"
