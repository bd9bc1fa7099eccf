"""Voices one line after another as the continuation of a transcript, each judged before it is spoken."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from pipeline.llm.session import Session
from pipeline.records import ConversationSpec
from pipeline.records.script import Author
from pipeline.seeds import generator, seed_for
from pipeline.writers.candidates import Candidate, Heard, Wanted, cut_short, is_copy, judged
from pipeline.writers.planned import PlannedClaim, Point
from pipeline.writers.prompting import claim_note, few_shot, few_shot_cast, heading, point_note
from pipeline.writers.reactions import load_reactions
from pipeline.writers.settings import LinesSettings
from pipeline.writers.shapes import ASKING, MANNERS, SHAPES
from pipeline.writers.words import grams, words

CLAIM_WORDS = (2, 11)
"""Words of a claim that the model words itself (Table 21: failed claims of 0.8 to 3.7 s)."""
SHORT_CLAIM_WORDS = (2, 6)
"""The same where claims are short."""
OPENER_REST = 8
"""Lines before the same opener may come again."""
LEAST_FREED = 4
"""Words that a line has at least without its opener."""
AMENDMENTS = {
    "too_long": "in one short sentence",
    "too_short": "with a detail more",
    "off_point": "to the point",
    "only_speech": "in plain words",
}
"""What a note says when the line under it is asked for again; anything else: in other words."""


@dataclass(frozen=True)
class Line:
    """What is said, and by whom it was worded."""

    text: str
    author: Author
    opener: str = ""
    """What code let it begin with."""


@dataclass
class Voice:
    """The transcript as it grows, and the model that continues it."""

    spec: ConversationSpec
    session: Session
    settings: LinesSettings
    draw: tuple[str, ...] = ()
    """What the seeds of this try are called, beside their purpose."""
    transcript: str = ""
    heard: Heard = field(default_factory=Heard)
    repairs: int = 0
    authored: int = 0
    spoken_words: int = 0
    planned_words: int = 0

    def __post_init__(self) -> None:
        """Begin with the few-shot transcript of the type."""
        prefix = few_shot(self.spec)
        self.session.begin(prefix)
        self.transcript = prefix + heading(self.spec)
        self.heard.shown = frozenset().union(*(grams(line) for line in prefix.splitlines() if line[:1] not in "[="))

    def point(self, point: Point, to: str | None, goes_on: bool) -> Line:
        """A point in the model's words."""
        point = self._made_up(point)
        wanted = self._wanted(point)
        openers = () if goes_on else load_reactions().openers[MANNERS.get(point.does, "telling")]
        line, note = self._voiced(wanted, lambda amend: point_note(self.spec, point, to, goes_on, amend), openers)
        line = line or Line(authored_line(point, wanted.high), "authored")
        self._say(note, line)
        self.authored += line.author == "authored"
        self.spoken_words += len(words(line.text))
        return self._freed(line, point)

    def _freed(self, line: Line, point: Point) -> Line:
        """The line without the opener that code gave it, but for a share; never down to the point word for word.

        The model needs the opener to leave the words of its note; heard line after line it tires.
        """
        rest = line.text.removeprefix(line.opener).lstrip(" ,")
        rng = generator(
            self.spec.corpus_seed, self.spec.id, "script", "openers kept", len(self.heard.lines), *self.draw
        )
        if not line.opener or rng.random() < self.settings.openers_kept or len(words(rest)) < LEAST_FREED:
            return line
        return line if is_copy(rest, point.say) else replace(line, text=rest[:1].upper() + rest[1:])

    def claim(self, claim: PlannedClaim, rng: np.random.Generator) -> Line:
        """A claim: the bank's own words, or the model's for a share of them."""
        generic = load_reactions().cut_ins[self.spec.type]
        fresh = [say for say in generic if say not in self.heard.lines] or list(generic)
        say = claim.say or str(rng.choice(fresh))
        line, note = None, claim_note(self.spec, claim.speaker, "")
        if not claim.say or rng.random() < self.settings.voiced_claims:
            wanted = self._wanted_claim(claim, say)
            line, note = self._voiced(wanted, lambda amend: claim_note(self.spec, claim.speaker, claim.say, amend))
        line = line or Line(say, "authored")
        self._say(note, line)
        return line

    def _voiced(
        self, wanted: Wanted, note: Callable[[str], str], openers: tuple[str, ...] = ()
    ) -> tuple[Line | None, str]:
        """The model's best line without a fault, or none after the repair rounds; and the note it stands under."""
        amend = ""
        for attempt in range(self.settings.repair_rounds + 1):
            best = self._best(wanted, note(amend), attempt, openers)
            if not best.faults:
                author: Author = "authored" if is_copy(best.text, wanted.say) else "model"
                return Line(best.text, author, best.opener), note("")
            if attempt < self.settings.repair_rounds:
                self.repairs += 1
                amend = AMENDMENTS.get(best.faults[0], "in other words")
        return None, note("")

    def _best(self, wanted: Wanted, note: str, attempt: int, openers: tuple[str, ...]) -> Candidate:
        """The best of a few candidates: a faultless one before a better one.

        The first is the model's own; those after it begin with an opener, so that not all repeat the note.
        """
        made: list[Candidate] = []
        place = f"line {len(self.heard.lines) + 1} round {attempt + 1}"
        rng = generator(self.spec.corpus_seed, self.spec.id, "script", "openers", place, *self.draw)
        lately = " ".join(self.heard.lines[-OPENER_REST:])
        fresh = [opener for opener in openers if opener not in lately]
        drawn = ["", *(f" {opener}" for opener in rng.permutation(fresh))]
        for number in range(self.settings.candidates):
            opener = drawn[number] if number < len(drawn) else ""
            raw = self._ask(f"{self.transcript}{note}{opener}", wanted.high, f"{place} candidate {number + 1}")
            made.append(replace(judged(opener + raw, wanted, self.heard), opener=opener.strip()))
            if not made[-1].faults and made[-1].score >= self.settings.good_enough:
                break
        return max(made, key=lambda one: (not one.faults, one.score))

    def _ask(self, prompt: str, high: int, purpose: str) -> str:
        seed = seed_for(self.spec.corpus_seed, self.spec.id, "script", purpose, *self.draw)
        sampling = {"temperature": self.settings.temperature, "top_p": self.settings.top_p}
        reply = self.session.complete(
            prompt, purpose=purpose, seed=seed, max_tokens=round(high * 1.6) + 12, sampling=sampling
        )
        # A reply that was cut ends in half a word.
        return reply.text.rpartition(" ")[0] if reply.finish_reason == "length" else reply.text

    def _say(self, note: str, line: Line) -> None:
        self.transcript += f"{note} {line.text}\n"
        self.heard.add(line.text)

    def _made_up(self, point: Point) -> Point:
        """The point with its length changed so that the words of the conversation come out as planned."""
        behind = self.planned_words / max(1, self.spoken_words) if self.planned_words > 25 else 1.0
        self.planned_words += point.words
        return replace(point, words=max(3, round(point.words * min(1.4, max(0.5, behind**2)))))

    def _wanted(self, point: Point) -> Wanted:
        low, high = max(3, round(0.7 * point.words)), max(7, round(1.3 * point.words) + 2)
        return Wanted(point.say, low, high, point.does in ASKING, self._banned(point.speaker))

    def _wanted_claim(self, claim: PlannedClaim, say: str) -> Wanted:
        shape = SHAPES[self.spec.type]
        low, high = SHORT_CLAIM_WORDS if shape.short_claims else CLAIM_WORDS
        asks = shape.asking_claims
        return Wanted(say, low, high, asks, self._banned(claim.speaker), needs_point=bool(claim.say))

    def _banned(self, speaker: str) -> tuple[str, ...]:
        return (self.spec.speaker(speaker).name, *few_shot_cast(self.spec))


def authored_line(point: Point, high: int) -> str:
    """A point of the bank as a sentence, or as much of it as fits `high` words."""
    mark = "?" if point.does in ASKING else "."
    text = point.say.rstrip(" .,")
    return cut_short(text[:1].upper() + text[1:] + ("" if text[-1:] in "?!" else mark), high)
