"""Sound whose word boundaries are stated, by the log or by how it was made, and the marks an aligner leaves on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pipeline.records import Span, Word
from pipeline.samples import RATE, to_seconds
from pipeline.speech.backend import Floats


class Kind(StrEnum):
    """What lies at a word's edge; aligners err differently at each."""

    ONSET_AFTER_SILENCE = "onset after silence"
    ONSET_IN_SPEECH = "onset in speech"
    OFFSET_IN_SPEECH = "offset in speech"
    OFFSET_BEFORE_SILENCE = "offset before silence"


@dataclass(frozen=True, eq=False)
class Stated:
    """Speech of one voice [n samples at 24 kHz] and where its words are said to sound [samples]."""

    voice: str
    sound: Floats
    words: tuple[Word, ...]
    where: str = ""
    """Where it is from, as a person finds it again."""
    known: frozenset[tuple[int, str]] | None = None
    """Edges that are stated: number of the word, and `start` or `end`; None: all."""

    def states(self, word: int, edge: str) -> bool:
        """Whether that edge of that word is stated."""
        return self.known is None or (word, edge) in self.known


class Aligner(Protocol):
    """Finds given words in sound by an acoustic model."""

    name: str

    def knows(self, word: str) -> bool:
        """Whether the word can be aligned."""
        ...

    def align(self, sound: Floats, words: Sequence[str]) -> list[Span] | None:
        """Where each word sounds [samples at 24 kHz]; None where the words cannot be found in the sound."""
        ...


@dataclass(frozen=True)
class Mark:
    """One edge of a word: where it is stated less where the aligner hears it."""

    voice: str
    kind: Kind
    word: str
    error_ms: float
    where: str = ""

    @property
    def in_speech(self) -> bool:
        """Whether another word abuts there."""
        return self.kind in (Kind.ONSET_IN_SPEECH, Kind.OFFSET_IN_SPEECH)


def heard(stated: Stated, aligner: Aligner) -> list[Span] | None:
    """Where the aligner finds the words; None where it does not."""
    return aligner.align(stated.sound, [word.text for word in stated.words])


def marks(stated: Stated, heard: Sequence[Span] | None) -> Iterator[Mark]:
    """Two marks a word, or those that are stated; none where nothing was heard."""
    if heard is None:
        return
    for n, (word, span) in enumerate(zip(stated.words, heard, strict=True)):
        onset, offset = kinds(stated.words, n)
        if stated.states(n, "start"):
            yield Mark(stated.voice, onset, word.text, _ms(word.start - span.start), stated.where)
        if stated.states(n, "end"):
            yield Mark(stated.voice, offset, word.text, _ms(word.end - span.end), stated.where)


def kinds(words: Sequence[Word], n: int) -> tuple[Kind, Kind]:
    """What lies at the onset and at the offset of word number `n`: a word that abuts, or silence."""
    abuts_before = n > 0 and words[n - 1].end == words[n].start
    abuts_after = n + 1 < len(words) and words[n].end == words[n + 1].start
    return (
        Kind.ONSET_IN_SPEECH if abuts_before else Kind.ONSET_AFTER_SILENCE,
        Kind.OFFSET_IN_SPEECH if abuts_after else Kind.OFFSET_BEFORE_SILENCE,
    )


def _ms(samples: int) -> float:
    return 1000 * to_seconds(samples, RATE)
