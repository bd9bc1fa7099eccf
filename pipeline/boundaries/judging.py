"""The measurement: what the log states, what aligners hear, and what they hear where the truth is known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from pipeline.errors import InputError
from pipeline.seeds import generator
from pipeline.speech.backend import Backend
from pipeline.speech.voices import voice

from .figures import Figures, Judged, judged, row
from .known import TOGETHER, tracks
from .logged import outer_errors, stated_words
from .material import Conversation
from .stated import Aligner, Mark, Stated, marks

Say = Callable[[str], None]


@dataclass(frozen=True)
class Amount:
    """How much is judged."""

    words: int = 1000
    voices: int = 8
    known: int = 16
    """Words of each voice on tracks with known boundaries, a multiple of eight."""
    seed: int = 1


@dataclass
class Heard:
    """Stated words and outer bounds of some conversations."""

    stated: list[Stated] = field(default_factory=list)
    onsets: list[float] = field(default_factory=list)
    offsets: list[float] = field(default_factory=list)

    def take(self, conversation: Conversation) -> None:
        """Add a conversation."""
        self.stated += stated_words(*conversation)
        for _, onset, offset in outer_errors(*conversation):
            self.onsets.append(onset)
            self.offsets.append(offset)

    def enough(self, amount: Amount, known: Callable[[Stated], bool]) -> bool:
        """Whether words that can be judged and voices suffice."""
        good = [one for one in self.stated if known(one)]
        return sum(len(one.words) for one in good) >= amount.words and len({one.voice for one in good}) >= amount.voices


def measure(
    conversations: Iterable[Conversation],
    backend: Backend,
    aligners: Sequence[Aligner],
    amount: Amount,
    material: str,
    say: Say = lambda _: None,
) -> Figures:
    """Judge conversations until there are words and voices enough, or all that there are.

    Raises
    ------
    InputError
        when nothing in them can be judged.

    """
    heard = Heard()
    for conversation in conversations:
        heard.take(conversation)
        say(f"{conversation[0].conversation_id}: {len(heard.stated)} segments so far")
        if heard.enough(amount, lambda one: knows(aligners[0], one)):
            break
    voices = sorted({one.voice for one in heard.stated})
    if not any(knows(aligner, one) for aligner in aligners for one in heard.stated):
        raise InputError(f"{material}: no segment whose words an aligner knows; give a corpus with English speech")
    known = [
        track
        for name in voices
        for track in tracks(backend, voice(name), sample(heard.stated, name, aligners, amount), amount.seed)
    ]
    say(f"{len(known)} tracks with known boundaries, {len(voices)} voices")
    return Figures(
        seed=amount.seed,
        material=material,
        outer={"segment onsets": row(heard.onsets), "segment offsets": row(heard.offsets)},
        aligners={aligner.name: verdict(aligner, known, heard.stated) for aligner in aligners},
    )


def knows(aligner: Aligner, stated: Stated) -> bool:
    """Whether the aligner knows every word."""
    return all(aligner.knows(word.text) for word in stated.words)


def sample(stated: Sequence[Stated], name: str, aligners: Sequence[Aligner], amount: Amount) -> list[str]:
    """Words to say alone: some of those that this voice says in the conversations."""
    said = sorted(
        {
            word.text
            for one in stated
            if one.voice == name
            for word in one.words
            if all(aligner.knows(word.text) for aligner in aligners)
        }
    )
    order = generator(amount.seed, "boundaries", "alone", name).permutation(len(said))
    return [said[i] for i in order[: min(amount.known, len(said) // TOGETHER * TOGETHER)]]


def verdict(aligner: Aligner, known: Sequence[Stated], stated: Sequence[Stated]) -> Judged:
    """Figures of one aligner."""
    on_known = list(chain.from_iterable(marks(one, aligner) for one in known))
    on_logged: list[Mark] = []
    left_out = 0
    for one in stated:
        found = marks(one, aligner) if knows(aligner, one) else []
        left_out += 0 if found else len(one.words)
        on_logged += found
    return judged(on_known, on_logged, left_out)
