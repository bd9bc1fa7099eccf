"""From drafted turns to the acts of a script: ids, order and landing words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pipeline.records import Act, ClaimAct, TurnAct, VocalisationAct
from pipeline.records.script import Author, Follows
from pipeline.seeds import GOLDEN
from pipeline.writers.landing import landing_phrase
from pipeline.writers.settings import FollowsMix


@dataclass(frozen=True)
class Mark:
    """A claim or vocalisation that sets in after word `index` of its turn."""

    index: int
    kind: Literal["claim", "backchannel", "laughter"]
    speaker: str
    text: str
    author: Author


@dataclass
class Draft:
    """A turn while it is being written."""

    speaker: str
    text: str
    author: Author
    follows: Follows = "latched"
    addressee: str | None = None
    addressing: Literal["explicit", "implicit", "none"] = "none"
    marks: list[Mark] = field(default_factory=list)


def acts(drafts: Sequence[Draft]) -> tuple[Act, ...]:
    """The acts of a script: each turn, then what lands in it, in the order of its words."""
    made: list[Act] = []
    numbers = {"claim": 0, "backchannel": 0, "laughter": 0}
    for number, draft in enumerate(drafts, 1):
        turn = TurnAct(
            id=f"t{number:03d}",
            speaker=draft.speaker,
            text=draft.text,
            author=draft.author,
            follows=draft.follows,
            addressee=draft.addressee,
            addressing=draft.addressing,
        )
        made.append(turn)
        for mark in sorted(draft.marks, key=lambda mark: mark.index):
            numbers[mark.kind] += 1
            made.append(_landed(turn, mark, numbers[mark.kind]))
    return tuple(made)


def _landed(turn: TurnAct, mark: Mark, number: int) -> ClaimAct | VocalisationAct:
    ident = f"{mark.kind[0]}{number:03d}"
    landing = landing_phrase(turn.text, mark.index)
    if mark.kind == "claim":
        return ClaimAct(
            id=ident, speaker=mark.speaker, text=mark.text, author=mark.author, during=turn.id, landing=landing
        )
    return VocalisationAct(
        id=ident,
        kind=mark.kind,
        speaker=mark.speaker,
        text=mark.text,
        author=mark.author,
        during=turn.id,
        landing=landing,
    )


def ways_to_follow(n: int, mix: FollowsMix, rng: np.random.Generator) -> list[Follows]:
    """How each of `n` turns follows the one before: the shares of `mix`, spread evenly; the first is latched."""
    total = mix.latched + mix.after_pause + mix.long_pause
    start = rng.random()
    places = [(start + i * GOLDEN) % 1.0 * total for i in range(n)]
    drawn: list[Follows] = [
        "latched" if u < mix.latched else "after_pause" if u < mix.latched + mix.after_pause else "long_pause"
        for u in places
    ]
    return ["latched", *drawn[1:]][:n]
