"""What annotators answered, read back from the files that the form saves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pipeline.errors import InputError
from pipeline.records import Record
from pipeline.records.spec import Ident

from .candidates import Candidate, by_id
from .categories import CODES, Category
from .kit import KEY, Key

NOBODY = "nobody"


class Answer(Record):
    """One candidate, as one annotator heard it."""

    id: Ident
    category: Literal["1", "2", "3", "4", "5", "6", "7"]
    """Its code in the form."""
    holder: str
    """Letter of who has the floor after the moment, or `nobody`."""
    boundary_s: float | None = None
    """Where it happens [s from the start of the clip]; None: nothing marked."""

    @property
    def named(self) -> Category:
        """The category that the code stands for."""
        return CODES[self.category]


class Answers(Record):
    """All answers of one annotator."""

    schema_version: Literal[1] = 1
    kit: str
    annotator: str
    answers: tuple[Answer, ...]


def read_key(answers: Sequence[Path], kit: Path | None) -> Key:
    """The key in the folder `kit`; None: in the nearest folder above the first answers that has one.

    Raises
    ------
    InputError
        when there is none.

    """
    places = [kit] if kit else [*answers[0].resolve().parents]
    for folder in places:
        if (folder / KEY).is_file():
            return Key.read(folder / KEY)
    raise InputError(f"{kit or answers[0]}: no {KEY} there; give the folder of the kit with --kit")


def read_answers(paths: Sequence[Path], key: Key) -> list[Answers]:
    """The answers to one kit, an annotator a file.

    Raises
    ------
    InputError
        when a file cannot be read, is of another kit, answers twice, or names what is not in the kit.

    """
    found = [_read(path, key) for path in paths]
    for n, one in enumerate(found):
        if any(one.annotator == other.annotator for other in found[:n]):
            raise InputError(f"{paths[n]}: annotator {one.annotator} is there already; give one file an annotator")
    return found


def _read(path: Path, key: Key) -> Answers:
    found = Answers.read(path)
    if found.kit != key.kit:
        raise InputError(f"{path}: answers of kit {found.kit}, and the key is of {key.kit}; give its own with --kit")
    known = by_id(key.candidates)
    seen: set[str] = set()
    for one in found.answers:
        if one.id not in known or one.id in seen:
            raise InputError(
                f"{path}: answer {one.id} {'comes twice' if one.id in seen else 'is to nothing in the kit'}"
            )
        if one.holder != NOBODY and one.holder not in known[one.id].letters:
            raise InputError(f"{path}: answer {one.id}: there is no speaker {one.holder!r}")
        seen.add(one.id)
    return found


def holder_of(answer: Answer, candidate: Candidate) -> str | None:
    """The speaker whom an annotator says has the floor; None: nobody."""
    return None if answer.holder == NOBODY else candidate.letters[answer.holder]
