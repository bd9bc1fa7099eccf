"""A corpus of one conversation for annotators, keys of any size, and annotators of known error rates."""

from pathlib import Path

import numpy as np
from floor_support import bed, example, example_script, example_spec, stems

from pipeline.annotation.answers import Answer, Answers
from pipeline.annotation.candidates import Candidate
from pipeline.annotation.categories import ASKED, CATEGORIES, CODES, Category
from pipeline.annotation.kit import Key
from pipeline.assemble import Stems, assemble
from pipeline.output.corpus import About, finish_corpus
from pipeline.records import Span
from pipeline.samples import RATE

CODE_OF = {name: code for code, name in CODES.items()}
BOUNDARY_S = 0.2
"""Standard deviation of a simulated mark [s]."""


def make_corpus(folder: Path) -> Path:
    """The worked example as a finished corpus, spoken by tones."""
    clean = stems(example())
    place = folder / "conversations" / "example"
    assemble(place, example_spec(), example_script(), example(), Stems(clean, clean + bed(example())), meta={"seed": 7})
    finish_corpus(folder, About(request={"n": 1}, software={"turnfloor": "0.1.0"}))
    return folder


def make_key(count: int, labels: tuple[Category, ...] = ASKED) -> Key:
    """`count` candidates, the labels in turn, half of them with two and half with three speakers."""
    return Key(
        kit="kit",
        corpus="simulated",
        rate=RATE,
        seed=1,
        annotators=3,
        candidates=tuple(_candidate(n, labels[n % len(labels)], 2 + (n // len(labels)) % 2) for n in range(count)),
    )


def _candidate(number: int, label: Category, n_speakers: int) -> Candidate:
    anchor = 8 * RATE
    return Candidate(
        id=f"q{number}",
        conversation="c0001",
        n_speakers=n_speakers,
        event=None if label == "none_of_these" else f"e{number}",
        label=label,
        speaker="s1",
        letters={"ABC"[n]: f"s{n + 1}" for n in range(n_speakers)},
        clip=Span(start=0, end=13 * RATE),
        shown=anchor,
        anchor=anchor,
        holder="s1",
    )


def annotator(name: str, key: Key, wrong: float, seed: int, spread_s: float = BOUNDARY_S) -> Answers:
    """Somebody who names another category, any of them alike, with probability `wrong`, and marks `spread_s` off."""
    rng = np.random.default_rng(seed)
    return Answers(
        kit=key.kit,
        annotator=name,
        answers=tuple(_answer(one, wrong, spread_s, rng) for one in key.candidates),
    )


def _answer(one: Candidate, wrong: float, spread_s: float, rng: np.random.Generator) -> Answer:
    others = [name for name in CATEGORIES if name != one.label]
    said = others[rng.integers(len(others))] if rng.random() < wrong else one.label
    at = (one.anchor - one.clip.start) / RATE + rng.normal(0, spread_s)
    return Answer(id=one.id, category=CODE_OF[said], holder="A", boundary_s=round(at, 3))
