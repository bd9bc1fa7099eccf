"""The measurement: what the log states, what aligners hear, and what they hear where the truth is known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pipeline.errors import InputError
from pipeline.samples import to_seconds

from .figures import Figures, Judged, Row, judged, row
from .known import Track, tracks
from .landmarks import with_landmarks
from .logged import outer_errors, stated_words
from .material import Conversation
from .stated import Aligner, Mark, Stated, heard, marks

Say = Callable[[str], None]


@dataclass(frozen=True)
class Amount:
    """How much is judged."""

    words: int = 1000
    voices: int = 8
    known: int = 16
    """Phrases of each voice on tracks with known boundaries."""
    seed: int = 1


@dataclass
class Material:
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
    gathered = Material()
    for conversation in conversations:
        gathered.take(conversation)
        say(f"{conversation[0].conversation_id}: {len(gathered.stated)} segments so far")
        if gathered.enough(amount, lambda one: knows(aligners[0], one)):
            break
    voices = sorted({one.voice for one in gathered.stated})
    if not any(knows(aligner, one) for aligner in aligners for one in gathered.stated):
        raise InputError(f"{material}: no segment whose words an aligner knows; give a corpus with English speech")
    shown = [with_landmarks(one) for one in gathered.stated]
    joined = [
        track
        for name in voices
        for track in tracks(phrases(gathered.stated, name, aligners), amount.seed, amount.known)
    ]
    say(f"{len(joined)} tracks with known boundaries, {len(voices)} voices")
    return Figures(
        seed=amount.seed,
        material=material,
        outer={"segment onsets": row(gathered.onsets), "segment offsets": row(gathered.offsets)},
        landmarks=landmark_rows(gathered.stated, shown),
        aligners={aligner.name: verdict(aligner, gathered.stated, shown, joined) for aligner in aligners},
    )


def landmark_rows(stated: Sequence[Stated], shown: Sequence[Stated]) -> dict[str, Row]:
    """Logged less shown word boundaries."""
    errors = [
        1000 * to_seconds(one.words[n].start - true.words[n].start)
        for one, true in zip(stated, shown, strict=True)
        for n in range(len(one.words))
        if true.states(n, "start")
    ]
    return {"at sibilants": row(errors)} if errors else {}


def knows(aligner: Aligner, stated: Stated) -> bool:
    """Whether the aligner knows every word."""
    return all(aligner.knows(word.text) for word in stated.words)


def phrases(stated: Sequence[Stated], name: str, aligners: Sequence[Aligner]) -> list[Stated]:
    """The segments of one voice in which all aligners know every word."""
    return [one for one in stated if one.voice == name and all(knows(aligner, one) for aligner in aligners)]


def verdict(aligner: Aligner, stated: Sequence[Stated], shown: Sequence[Stated], joined: Sequence[Track]) -> Judged:
    """Figures of one aligner.

    Its bias beside silence is that on `joined` phrases with pauses between them; its bias in speech that at the
    boundaries which sibilants show.
    """
    known: list[Mark] = []
    logged: list[Mark] = []
    seams: list[Mark] = []
    for track in joined:
        found = marks(track.stated, heard(track.stated, aligner))
        (seams if track.abutting else known).extend(m for m in found if m.in_speech == track.abutting)
    left_out = 0
    for one, true in zip(stated, shown, strict=True):
        spans = heard(one, aligner) if knows(aligner, one) else None
        left_out += 0 if spans else len(one.words)
        logged += marks(one, spans)
        known += marks(true, spans)
    return judged(known, logged, seams, left_out)
