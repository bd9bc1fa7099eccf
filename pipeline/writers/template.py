"""The writer without a model: seeded plain sentences, all acts present, to any amounts, at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count

import numpy as np

from pipeline.records import ConversationSpec, InteractionType, Record, Script
from pipeline.resources import resource
from pipeline.seeds import generator
from pipeline.writers.acts import Draft, Mark, acts, ways_to_follow
from pipeline.writers.base import Context
from pipeline.writers.lengths import turn_lengths, turn_words
from pipeline.writers.manner import SHORT_CLAIM
from pipeline.writers.placing import claim_landing, claim_turns
from pipeline.writers.reading import read_record
from pipeline.writers.shapes import SHAPES
from pipeline.writers.speaking import draw_speakers, main_speaker
from pipeline.writers.vocalising import vocalise
from pipeline.writers.words import bare_words, words

TRIES = 10
"""Lines made before the next may be longer."""
DRAWN = 40
"""Claims made of which the first that fits is taken, where their length is asked for."""
SHORTER = 4
"""Claims of fewer words have parts of their own."""
REPEATED = 3
"""Lines of fewer words may be said twice."""


class Parts(Record):
    """The parts of plain sentences; one of each makes one."""

    openers: tuple[str, ...]
    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    objects: tuple[str, ...]
    places: tuple[str, ...]
    times: tuple[str, ...]
    links: tuple[str, ...]
    claims: tuple[str, ...]
    short_claims: tuple[str, ...]
    questions: tuple[str, ...]


@cache
def load_parts() -> Parts:
    """The shipped parts."""
    return read_record(resource("prompts", "template.yaml"), Parts)


class TemplateWriter:
    """Writes scripts for tests and stress corpora."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """A valid script of plain sentences; depends on (seed, spec) alone."""
        rng = generator(spec.corpus_seed, spec.id, "script", "template")
        asked = spec.amounts
        who = draw_speakers(spec, rng)
        lengths = turn_lengths(asked.floor_turns, turn_words(asked), rng)
        wanted = ctx.settings.template
        speech = Sentences(load_parts(), rng, wanted.claim_words)
        follows = ways_to_follow(len(who), ctx.settings.follows, rng)
        asking = _longest(lengths, wanted.questions)
        texts = [speech.turn(length, index in asking) for index, length in enumerate(lengths)]
        order = _dealt(texts, who, main_speaker(spec))
        lengths = [lengths[i] for i in order]
        drafts = [
            Draft(speaker, texts[i], "template", follows=way)
            for speaker, i, way in zip(who, order, follows, strict=True)
        ]
        at_once = min(wanted.claimants, len(spec.speakers) - 1)
        sizes = [min(at_once, asked.floor_claims - made) for made in range(0, asked.floor_claims, at_once)]
        for index, size in zip(claim_turns(len(sizes), lengths, set(), rng), sizes, strict=True):
            self._claim(drafts[index], spec, size, speech, rng)
        vocalise(drafts, spec, ctx.settings, rng)
        return Script(conversation_id=spec.id, writer="template", acts=acts(drafts))

    @staticmethod
    def _claim(draft: Draft, spec: ConversationSpec, size: int, speech: "Sentences", rng: np.random.Generator) -> None:
        """Let `size` listeners claim the floor after the same word."""
        others = [speaker.id for speaker in spec.speakers if speaker.id != draft.speaker]
        place = claim_landing(
            draft.text, SHAPES[spec.type].unfinished_claims, [mark.index for mark in draft.marks], rng
        )
        for _ in range(size):
            who = str(rng.choice(others))
            others.remove(who)
            draft.marks.append(Mark(place, "claim", who, speech.claim(spec.type), "template"))


def _longest(lengths: Sequence[int], share: float) -> set[int]:
    """Indices of that share of the turns which are longest."""
    return set(sorted(range(len(lengths)), key=lambda i: -lengths[i])[: round(share * len(lengths))])


def _dealt(texts: Sequence[str], who: Sequence[str], main: str | None) -> list[int]:
    """Indices of the texts for the turns of `who`: the longest are the main speaker's, the order is kept otherwise."""
    by_length = sorted(range(len(texts)), key=lambda i: len(words(texts[i])))
    parted = len(who) - list(who).count(main or "")
    others, mine = iter(sorted(by_length[:parted])), iter(sorted(by_length[parted:]))
    return [next(mine if speaker == main else others) for speaker in who]


@dataclass
class Sentences:
    """Plain sentences, none said twice."""

    parts: Parts
    rng: np.random.Generator
    claim_words: tuple[int, int] | None = None
    """Fewest and most words of a claim; None: as its parts have it, eight at most."""
    said: set[tuple[str, ...]] = field(default_factory=set)
    debt: int = 0
    """Words that the turns so far are short of their targets."""

    def turn(self, length: int, asks: bool = False) -> str:
        """A turn of about `length` words; what it misses is made up by the turns after it.

        `asks`: it begins with a question and goes on.
        """
        text = self._new(self._asking if asks else self._sentences, max(3, length + self.debt))
        self.debt += length - len(words(text))
        return text

    def claim(self, kind: InteractionType) -> str:
        """A short line that cuts in; a question where listeners ask."""
        if self.claim_words:
            return self._claim_of(kind, *self.claim_words)
        claims = self.parts.claims
        if SHAPES[kind].asking_claims:
            claims = tuple(claim for claim in claims if claim.endswith("?"))
        return self._new(lambda more: self._claim(claims, more), 0, most=SHORT_CLAIM)

    def _claim_of(self, kind: InteractionType, fewest: int, most: int) -> str:
        """A claim of `fewest` to `most` words, or as near as they can be had; eight at most where claims are short."""
        if SHAPES[kind].short_claims:
            fewest, most = min(fewest, SHORT_CLAIM), min(most, SHORT_CLAIM)
        made = [self._any_claim(kind, int(self.rng.integers(fewest, most + 1))) for _ in range(DRAWN)]
        fresh = [text for text in made if len(words(text)) < REPEATED or bare_words(text) not in self.said] or made
        text = min(fresh, key=lambda one: max(fewest - len(words(one)), len(words(one)) - most, 0))
        self.said.add(bare_words(text))
        return text

    def _any_claim(self, kind: InteractionType, length: int) -> str:
        """A claim of about `length` words: a question where listeners ask."""
        pool = self.parts.short_claims if length < SHORTER else self.parts.claims
        if length > SHORT_CLAIM:
            if not SHAPES[kind].asking_claims:
                return self._sentence(length)
            pool = self.parts.questions
        asked = [claim for claim in pool if not SHAPES[kind].asking_claims or claim.endswith("?")]
        return self._filled(asked)

    def _asking(self, target: int) -> str:
        """A question, and sentences after it."""
        question = self._filled(self.parts.questions)
        return f"{question} {self._sentences(max(4, target - len(words(question))))}"

    def _new(self, make: Callable[[int], str], length: int, most: int = 0) -> str:
        """A line not said before, of `most` words where there is one; failures make room for other words."""
        for attempt in count():
            text = make(length + attempt // TRIES)
            fits = not most or len(words(text)) <= most or attempt >= TRIES
            if fits and bare_words(text) not in self.said:
                break
        self.said.add(bare_words(text))
        return text

    def _claim(self, claims: tuple[str, ...], length: int) -> str:
        slots = self._slots()
        opener = f"{self._one(self.parts.openers)} " * min(length, 1)
        return _capital(opener + self._one(claims).format_map(slots))

    def _filled(self, frames: Sequence[str]) -> str:
        """One of some lines with slots, filled."""
        return _capital(self._one(frames).format_map(self._slots()))

    def _slots(self) -> dict[str, str]:
        parts = self.parts
        return {
            "subject": self._one(parts.subjects),
            "verb": self._one(parts.verbs),
            "object": self._one(parts.objects),
            "place": self._one(parts.places),
            "time": self._one(parts.times),
        }

    def _sentences(self, target: int) -> str:
        text = self._sentence(target)
        while (left := target - len(words(text))) >= 4:
            text += " " + self._sentence(left)
        return text

    def _sentence(self, budget: int) -> str:
        """One sentence of at most two clauses and about `budget` words or fewer."""
        opener = f"{self._one(self.parts.openers)} " if budget >= 8 and self.rng.random() < 0.5 else ""
        text = opener + self._clause(budget - len(words(opener)))
        if (left := budget - len(words(text))) >= 5:
            link = self._one(self.parts.links)
            text += f"{link} {self._clause(left - len(words(link)))}"
        return _capital(text) + "."

    def _clause(self, budget: int) -> str:
        short = tuple(one for one in self.parts.subjects if len(words(one)) <= max(1, budget - 2))
        text = f"{self._one(short)} {self._one(self.parts.verbs)}"
        text += f" {self._one(self.parts.objects)}" if budget >= 5 else " it"
        for more in self.rng.permutation(np.array([self._one(self.parts.places), self._one(self.parts.times)])):
            if len(words(text)) + len(words(str(more))) <= budget:
                text += f" {more}"
        return text

    def _one(self, options: Sequence[str]) -> str:
        return options[int(self.rng.integers(len(options)))]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
