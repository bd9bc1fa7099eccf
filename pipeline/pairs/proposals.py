"""Which moments of a conversation could have gone otherwise, and what both members are told to do there.

Nothing here knows whether the simulation will get there: what comes out is looked at afterwards
(:mod:`pipeline.pairs.outcome`), and the next proposal is taken where it is not what was meant.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from pipeline.pairs.told import Told
from pipeline.records import (
    Act,
    ClaimAct,
    PairKind,
    Pause,
    Script,
    TurnAct,
    Utterance,
    VocalisationAct,
)
from pipeline.samples import to_samples
from pipeline.simulation.performance import Hold
from pipeline.simulation.policy import QuotaPolicy
from pipeline.simulation.quotas import hold_places
from pipeline.text import find_words, words_of

_Item = TypeVar("_Item")
STRENGTH = 3.0
"""Of the claim in question: no other claimant of its turn presses harder."""
LEAST_OVERLAP_S = 0.35
"""From its onset to the fork: so much of the claim is heard in both members (least overlap of table 17)."""
LONGEST_WORDS_S = 0.9
"""The listener's words fit into a pause."""
REST_S = (0.15, 0.4)
"""Between the listener's words and what follows them, in both members."""


@dataclass(frozen=True)
class Proposal:
    """One moment, and what either member (a, b) is to perform and told about it."""

    kind: PairKind
    act_id: str
    """The claim, the turn that pauses, or the listener's words."""
    turn_id: str
    """The act during whose turn it happens."""
    scripts: tuple[Script, Script]
    policies: tuple[Told, Told]


@dataclass(frozen=True)
class Material:
    """What proposals are made from."""

    script: Script
    utterances: Mapping[str, Utterance]
    """By act."""
    usual: QuotaPolicy
    clock: Callable[[Act], Utterance]

    @property
    def told(self) -> Told:
        """The usual policy, told nothing yet."""
        return Told(self.usual.timing, self.usual.quotas, self.usual.draw)

    def shuffled(self, items: Sequence[_Item], purpose: str) -> list[_Item]:
        """The items in an order of this pair's own."""
        return [items[int(i)] for i in self.usual.draw("pair", purpose).permutation(len(items))]

    def handovers(self) -> list[tuple[TurnAct, TurnAct, Pause]]:
        """Each pause that may become a hold, with its turn and the next one where that is another speaker's."""
        return [
            (turn, following, pause)
            for turn, following in pairwise(self.script.turns)
            if turn.speaker != following.speaker
            for pause in hold_places(self.utterances[turn.id], self.usual.timing)
        ]


def proposals(kind: PairKind, material: Material) -> Iterator[Proposal]:
    """All moments of the script that might serve for a pair of this kind, in a seeded order."""
    yield from {"claim": _claims, "pause": _pauses, "words": _words}[kind](material)


def _claims(material: Material) -> Iterator[Proposal]:
    """Every claim: its speaker presses, and the holder withstands (a) or yields (b) when it should be cut off."""
    claims = [act for act in material.script.acts if isinstance(act, ClaimAct)]
    for act in material.shuffled(claims, "claims"):
        usual = material.usual.attempt(act)
        overlap = max(usual.overlap, to_samples(LEAST_OVERLAP_S))
        attempt = replace(usual, presses=True, overlap=overlap, strength=STRENGTH, into_hold=False)
        told = replace(material.told, attempts={act.id: attempt})
        scripts = (material.script, material.script)
        yield Proposal("claim", act.id, act.during, scripts, (replace(told, withstands=True), told))


def _pauses(material: Material) -> Iterator[Proposal]:
    """Every pause that may be a hold: after it the holder goes on (a), or the next speaker comes in just then (b)."""
    timing = material.usual.timing
    for turn, following, pause in material.shuffled(material.handovers(), "pauses"):
        drawn = timing.hold_pause.draw(material.usual.draw("hold pause", turn.id), material.usual.rate)
        hold = Hold(pause, max(drawn, pause.end - pause.start))
        a = replace(material.told, pauses={turn.id: hold})
        b = replace(
            material.told, pauses={turn.id: replace(hold, resumed=False)}, told_gaps={following.id: hold.length}
        )
        yield Proposal("pause", turn.id, turn.id, (material.script, material.script), (a, b))


def _words(material: Material) -> Iterator[Proposal]:
    """A backchannel of the next speaker in a hold (a), or the same words at the start of that speaker's turn (b)."""
    for turn, following, pause in material.shuffled(material.handovers(), "words"):
        landing = _landing(material.utterances[turn.id], pause)
        if landing is None:
            continue
        phrase, heard = landing
        words = _backchannel(material, turn, following.speaker, phrase)
        if words is None:
            continue
        length = material.clock(words).speech.length
        reaction = material.usual.reaction(words)
        low, high = (to_samples(seconds) for seconds in REST_S)
        # So long that no guard of near-silence meets another.
        drawn = int(material.usual.draw("pair", "rest", turn.id).integers(low, high))
        rest = max(drawn, 2 * to_samples(material.usual.timing.guard_s), pause.end - pause.start - reaction - length)
        hold = Hold(pause, reaction + length + rest)
        a = replace(material.told, pauses={turn.id: hold}, reactions={words.id: pause.start - heard + reaction})
        b = replace(
            material.told,
            pauses={turn.id: replace(hold, resumed=False)},
            told_gaps={words.id: reaction, following.id: rest},
        )
        yield Proposal("words", words.id, turn.id, _with_words(material.script, turn, words), (a, b))


def _backchannel(material: Material, turn: TurnAct, speaker: str, landing: str) -> VocalisationAct | None:
    """Words of the script, short enough, as `speaker` says them in `turn`.

    Rather those of this turn than of another, where they meant something else; rather few words, which suit many
    turns; rather this speaker's own.
    """
    there = [a for a in material.script.acts if isinstance(a, VocalisationAct) and a.kind == "backchannel"]
    for act in sorted(there, key=lambda a: (a.during != turn.id, len(words_of(a.text)), a.speaker != speaker)):
        words = act.model_copy(update={"speaker": speaker, "during": turn.id, "landing": landing})
        if material.clock(words).speech.length <= to_samples(LONGEST_WORDS_S):
            return words
    return None


def _landing(utterance: Utterance, pause: Pause) -> tuple[str, int] | None:
    """The last words heard before the pause, and when they have been heard [samples of the utterance]."""
    texts = [word.text for word in utterance.words]
    before = [n for n, word in enumerate(utterance.words) if word.start < pause.start]
    for count in range(2, len(before) + 1):
        phrase = " ".join(texts[before[-1] + 1 - count : before[-1] + 1])
        if find_words(texts, phrase) == before[-1]:
            return phrase, min(utterance.words[before[-1]].end, pause.start)
    return None


def _with_words(script: Script, turn: TurnAct, words: VocalisationAct) -> tuple[Script, Script]:
    """The script with the words as a backchannel in `turn`, and as a turn after it."""
    taken = TurnAct(id=words.id, speaker=words.speaker, text=words.text, author=words.author, follows="after_pause")
    rest = [act for act in script.acts if act.id != words.id]
    at = rest.index(turn) + 1
    last = max(
        (n for n, act in enumerate(rest) if not isinstance(act, TurnAct) and act.during == turn.id), default=at - 1
    )
    backchannel = (*rest[:at], words, *rest[at:])
    turns = (*rest[: last + 1], taken, *rest[last + 1 :])
    return script.model_copy(update={"acts": backchannel}), script.model_copy(update={"acts": turns})
