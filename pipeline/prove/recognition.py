"""Gate: the turns say what the script says, to a speech recogniser (Whisper tiny.en, extra `quality`).

A word counts as wrong when the recogniser prefers another one clearly. What it spells otherwise and the phonemiser says
alike ("sail" for "sale", "any way" for "anyway") is right, and so is a contraction written out. Where it hears another
word, it is asked how likely each of both is in that place: names and rare words that it does not know ("tuba", heard
"tuber") are nearly as likely to it as what it writes, while a word that was not said is less likely by far (see
`SURE`).
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from pipeline.errors import ScriptError
from pipeline.judges import recogniser
from pipeline.recognise import Heard, can_be_asked, heard_of, said_in, stretch
from pipeline.records import Segment, Timeline
from pipeline.seeds import generator
from pipeline.speech.g2p import phonemise

from .gate import Figure, Gate, Place, judged, share
from .limits import Limits
from .reading import Conversation

ASKS = "Do the turns say what the script says?"
CONTRACTIONS = {"'ll": "will", "'ve": "have", "'re": "are", "'m": "am"}
STRESS = str.maketrans("", "", "ˈˌ")
SURE = 3.0
"""Log-likelihood [nat] that the recogniser must lose by the script's words in place of what it heard: a factor of 20.

Measured with 57 words that it heard otherwise in ten conversations and 40 put in by chance: with those it lost 7.0 at
least and 18 at the median, with 37 of the 57 less than 3.
"""
Likelihood = Callable[[str], float]
ALL_ROLES = ("floor", "claim")


@dataclass(frozen=True)
class Found:
    """A stretch of a turn or claim, as it was heard."""

    words: int
    errors: int
    """Words that are surely others, are missing, or are too many."""
    spelt: int
    """The same by spelling."""
    where: Place


def find(conversation: Conversation, words: float, seed: int) -> Iterator[Found]:
    """What is heard of stretches drawn by `seed`, until at least `words` words have been asked about."""
    timeline = conversation.timeline
    for segment in drawn(timeline, words, seed):
        sound = conversation.clean[segment.speaker]
        heard = heard_of(segment, timeline, sound)
        errors = 0
        if heard.errors:
            errors = wrong_words(heard, recogniser().likelihood(stretch(sound, timeline.rate, segment)))
        says = f'{errors} of {heard.words} words; said "{heard.said}", heard "{heard.heard}"'
        where = Place(
            conversation=timeline.conversation_id, speaker=segment.speaker, at_s=round(heard.onset_s, 3), says=says
        )
        yield Found(heard.words, errors, heard.errors, where)


def drawn(timeline: Timeline, words: float, seed: int) -> list[Segment]:
    """Stretches of turns and claims in an order drawn by `seed`, as many as have `words` words; all, if fewer."""
    able = [one for one in timeline.segments if one.role in ALL_ROLES and can_be_asked(one, timeline)]
    order = generator(seed, "prove", "recognition", timeline.conversation_id).permutation(len(able))
    chosen, left = list[Segment](), words
    for n in order:
        if left <= 0:
            break
        chosen.append(able[n])
        left -= len(said_in(able[n], timeline).split())
    return chosen


def wrong_words(heard: Heard, likelihood: Likelihood) -> int:
    """Words of a stretch that are surely others.

    Parameters
    ----------
    heard
        Of the stretch.
    likelihood
        How likely the recogniser takes a text to be what is said there [nat].

    """
    import jiwer

    if not heard.errors:
        return 0
    said, found = (whole(text).split() for text in (heard.said, heard.heard))
    if not found:
        return len(said)
    likelihood = cache(likelihood)  # what was heard is asked about beside each place where it differs
    measured: Any = jiwer.process_words(" ".join(said), " ".join(found))
    errors = 0
    for equal, chunks in groupby(measured.alignments[0], key=lambda chunk: chunk.type == "equal"):
        if equal:
            continue
        some = list(chunks)
        ours = said[some[0].ref_start_idx : some[-1].ref_end_idx]
        start, end = some[0].hyp_start_idx, some[-1].hyp_end_idx
        if sounds_alike(" ".join(ours), " ".join(found[start:end])):
            continue
        as_scripted = " ".join([*found[:start], *ours, *found[end:]])
        if likelihood(" ".join(found)) - likelihood(as_scripted) > SURE:
            errors += max(len(ours), end - start)
    return errors


def whole(text: str) -> str:
    """Contractions written out, where it is clear what they are.

    >>> whole("who'll say i'm late")
    'who will say i am late'
    """
    for short, long in CONTRACTIONS.items():
        text = re.sub(rf"(?<=[a-z]){short}(?![a-z'])", f" {long}", text)
    return text


def sounds_alike(one: str, other: str) -> bool:
    """Whether two texts are phonemised alike, stress and the spaces between words aside."""
    return bool(one and other) and phonemes(one) == phonemes(other)


@cache
def phonemes(text: str) -> str:
    """Phonemes without stress and spaces; the text itself where nothing in it can be said."""
    try:
        return "".join(token.phonemes for token in phonemise(text)).translate(STRESS)
    except ScriptError:
        return text


def gate(found: Sequence[Found], limits: Limits, sampled: str = "") -> Gate:
    """All stretches that were listened to; `sampled` says how they were drawn."""
    words = sum(one.words for one in found)
    if not words:
        return judged("recognition", ASKS, [], notes=["No stretch has words enough to be asked about."])
    errors, spelt = (sum(getattr(one, name) for one in found) for name in ("errors", "spelt"))
    worst = sorted(found, key=lambda one: (-one.errors / one.words, -one.errors))
    lost = [one for one in worst if is_lost(one)]
    figures = [
        Figure(
            what="words heard otherwise",
            value=share(errors, words),
            unit="%",
            side="at most",
            limit=limits.word_errors,
            n=words,
            of="words",
        ),
        Figure(
            what="stretches of which most is heard otherwise",
            value=len(lost),
            side="at most",
            limit=math.floor(limits.lost_stretches * len(found)),
            n=len(found),
            of="stretches",
        ),
    ]
    over = figures[0].holds and figures[1].holds
    places = [one.where for one in worst if one.errors][: 3 if over else None]
    notes = [note for note in (sampled, f"By spelling {share(spelt, words)} %.") if note]
    return judged("recognition", ASKS, figures, places, notes)


LOST_WORDS = 5
"""A stretch with fewer words is not called lost: one name may be all that a recogniser misses."""


def is_lost(one: Found) -> bool:
    """Whether most of a stretch is heard otherwise."""
    return one.words >= LOST_WORDS and 2 * one.errors > one.words
