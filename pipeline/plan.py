"""The spec planner: what each conversation of a corpus shall be.

Conversation *i* depends on (corpus seed, *i*) and the request, never on how many there are: a corpus of 5 grows
to 50 and keeps its five. Types, speakers, topics, tones, scenes and voices are balanced by going through seeded
permutations and low-discrepancy sequences, not by luck.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Literal, TypeVar

import numpy as np
import yaml
from pydantic import Field

from pipeline.amounts import amounts_for
from pipeline.design import DesignSettings
from pipeline.errors import ConfigError
from pipeline.records import TYPES, ConversationSpec, Dithers, InteractionType, Language, Record, Speaker, Split
from pipeline.resources import resource
from pipeline.seeds import dither, generator
from pipeline.speech import voices as voice_pool
from pipeline.speech.voices import Voice
from pipeline.timing import TimingSettings
from pipeline.writers.topics import Bank, Topic

_Item = TypeVar("_Item")
Cell = tuple[InteractionType, int]
"""Type and number of speakers."""
Pool = Callable[[Split], Sequence[Voice]]
"""The voices of each split."""


class Request(Record):
    """What a user asks for; the number of conversations stands apart, since a corpus may grow."""

    type: InteractionType | Literal["all"] | tuple[InteractionType, ...] = "all"
    speakers: tuple[int, ...] = (2, 3, 4, 5)
    split: Split | Literal["both"] = "dev"
    """`both`: the first conversations of every ten of a cell in dev, the others in test; `dev_of_ten` of the design."""
    duration_s: float | None = Field(default=None, gt=0)
    """Target length of every conversation; None: drawn around the type's mean."""
    seed: int = Field(default=1, ge=0)
    domain: str | None = None
    """One domain of the topic bank; None: all of them in turn."""

    @property
    def types(self) -> tuple[InteractionType, ...]:
        """The types asked for."""
        if self.type == "all":
            return TYPES
        return self.type if isinstance(self.type, tuple) else (self.type,)


def plan(
    request: Request,
    n: int,
    design: DesignSettings,
    timing: TimingSettings,
    scenes: Mapping[str, float],
    bank: Bank,
    pool: Pool = voice_pool.split,
) -> list[ConversationSpec]:
    """The first `n` conversations of the corpus that `request` describes, cast from the voices of `pool`.

    Raises
    ------
    ConfigError
        when the split has fewer voices than a conversation has speakers, or the bank no fitting topic.

    """
    return list(islice(_specs(request, design, timing, scenes, bank, pool), n))


def _specs(
    request: Request,
    design: DesignSettings,
    timing: TimingSettings,
    scenes: Mapping[str, float],
    bank: Bank,
    pool: Pool,
) -> Iterator[ConversationSpec]:
    cells = len(request.types) * len(request.speakers)
    voices = {split: _Deal(request.seed, split, pool(split)) for split in _splits(request)}
    for split, deal in voices.items():
        _check_voices(request, split, deal.available)
    topics = {kind: _topics(request, kind, bank) for kind in request.types}
    for index, (cell, rank) in enumerate(ranked(_cells(request))):
        kind, n_speakers = cell
        split = split_of(request, index // cells, design.dev_of_ten)
        topic = bank.topic(next(topics[kind]))
        target = _target_s(request, kind, index, design)
        ident = f"c{index:04d}"
        yield ConversationSpec(
            id=ident,
            index=index,
            corpus_seed=request.seed,
            type=kind,
            split=split,
            domain=topic.domain,
            tone=_weighted(design.tones, dither(request.seed, index, "tone")),
            topic=topic.key,
            title=topic.title,
            setting=topic.setting,
            relation=topic.relation or "",
            target_s=target,
            speakers=_cast(ident, request.seed, topic, voices[split].take(n_speakers)),
            scene=scene_of(request.seed, index, scenes),
            amounts=amounts_for(kind, n_speakers, target, design, timing),
            dithers=dithers_of(request.seed, cell, rank),
        )


def _splits(request: Request) -> tuple[Split, ...]:
    return ("dev", "test") if request.split == "both" else (request.split,)


def split_of(request: Request, turn: int, dev_of_ten: int) -> Split:
    """Which split the conversations of round `turn` through all cells are in."""
    if request.split == "both":
        return "dev" if turn % 10 < dev_of_ten else "test"
    return request.split


def scene_of(seed: int, index: int, scenes: Mapping[str, float]) -> str:
    """The acoustic scene of conversation `index`, so that the scenes come as often as their weights say."""
    return _weighted(scenes, dither(seed, index, "scene"))


def ranked(cells: Iterable[Cell]) -> Iterator[tuple[Cell, int]]:
    """Each conversation's cell, and how many of that cell came before it."""
    before: Counter[Cell] = Counter()
    for cell in cells:
        yield cell, before[cell]
        before[cell] += 1


def dithers_of(seed: int, cell: Cell, rank: int) -> Dithers:
    """What rounds the quotas of the conversation that is number `rank` of its `cell`.

    Each cell has sequences of its own, so that the counts come out by type and by number of speakers, too.
    """

    def value(purpose: str) -> float:
        return dither(seed, rank, f"{purpose} {cell[0]} {cell[1]}")

    return Dithers(claims_won=value("claims won"), holds=value("holds"), contested=value("contested"))


def _check_voices(request: Request, split: Split, available: int) -> None:
    for n_speakers in request.speakers:
        if not 2 <= n_speakers <= available:
            raise ConfigError(
                f"speakers={n_speakers}: split {split!r} has {available} voices and a conversation takes 2 to "
                f"{available} of them, each once; ask for another number or another split"
            )


def _cells(request: Request) -> Iterator[Cell]:
    """Type and number of speakers: all cells in a seeded order, then all again in another.

    Each stretch of as many conversations as there are types has every type, so that a small corpus has them all.
    """
    types, speakers = request.types, request.speakers
    kinds = _rounds(request.seed, "types", types)
    numbers = _rounds(request.seed, "cells", speakers)
    while True:
        kind_order = list(islice(kinds, len(types)))
        number_order = list(islice(numbers, len(speakers)))
        for k in range(len(types) * len(speakers)):
            yield kind_order[k % len(types)], number_order[(k % len(types) + k // len(types)) % len(speakers)]


def _topics(request: Request, kind: InteractionType, bank: Bank) -> Iterator[str]:
    keys = bank.keys(type=kind, domain=request.domain)
    if not keys:
        raise ConfigError(
            f"domain={request.domain!r}: no {kind} topic of that domain; the topic bank has {', '.join(bank.domains)}"
        )
    of_domain = {
        domain: _rounds(request.seed, f"topics {kind} {domain}", bank.keys(type=kind, domain=domain))
        for domain in sorted({bank.topic(key).domain for key in keys})
    }
    # All domains come before any comes again, whatever the number of their topics. Each type begins elsewhere in the
    # same order, so that the first few conversations of all types together spread over the domains.
    domains = tuple(of_domain)
    start = round(TYPES.index(kind) * len(domains) / len(TYPES))
    in_order = _rounds(request.seed, "domains", domains)
    while True:
        turn = list(islice(in_order, len(domains)))
        for domain in turn[start:] + turn[:start]:
            yield next(of_domain[domain])


def _rounds(seed: int, purpose: str, items: Sequence[_Item]) -> Iterator[_Item]:
    """All items in a seeded order, then all again in another, for ever."""
    turn = 0
    while True:
        order = generator(seed, "plan", purpose, turn).permutation(len(items))
        yield from (items[int(i)] for i in order)
        turn += 1


class _Deal:
    """Deals voices in seeded rounds of the whole pool, so that all are heard alike, none twice in a conversation."""

    def __init__(self, seed: int, split: Split, pool: Sequence[Voice]) -> None:
        self.available = len(pool)
        self._stream = _rounds(seed, f"voices {split}", pool)
        self._held: list[Voice] = []

    def take(self, n: int) -> list[Voice]:
        """`n` voices, all different; one that came twice waits for the next conversation."""
        taken: list[Voice] = []
        waiting, self._held = self._held, []
        while len(taken) < n:
            voice = waiting.pop(0) if waiting else next(self._stream)
            (self._held if voice in taken else taken).append(voice)
        self._held += waiting
        return taken


def _cast(ident: str, seed: int, topic: Topic, voices: Sequence[Voice]) -> tuple[Speaker, ...]:
    """Give the voices their names and their parts in the topic; who opens is not tied to a channel."""
    rng = generator(seed, ident, "plan", "cast")
    dealt = _parts(topic, len(voices))
    parts = [dealt[int(i)] for i in rng.permutation(len(voices))]
    names = _names(voices, rng)
    return tuple(
        Speaker(
            id=f"s{channel + 1}",
            name=name,
            voice=voice.id,
            gender=voice.gender,
            style=voice.style,
            persona=topic.roles[part],
            stance=part,
            language=language_of(voice),
            channel=channel,
        )
        for channel, (voice, part, name) in enumerate(zip(voices, parts, names, strict=True))
    )


def language_of(voice: Voice) -> Language:
    """The language record of a voice."""
    accent = "en-GB" if voice.british else "en-US"
    return Language(spec="en", voice=accent, phonemiser=f"misaki-{accent.lower()}")


def _parts(topic: Topic, n: int) -> list[str]:
    """The topic's three parts dealt to `n` speakers; one teller, explainer or lead, whatever the number."""
    roles = list(topic.roles)
    single = topic.type in ("instructional", "narrative", "task_oriented")
    rest = roles[1:] if single else roles
    return [*roles, *(rest[i % len(rest)] for i in range(max(0, n - 3)))][:n]


def _names(voices: Sequence[Voice], rng: np.random.Generator) -> list[str]:
    chosen: list[str] = []
    for voice in voices:
        free = [name for name in _first_names()[voice.gender] if name[0] not in {other[0] for other in chosen}]
        chosen.append(free[int(rng.integers(len(free)))])
    return chosen


@cache
def _first_names() -> Mapping[str, list[str]]:
    """All first names by gender."""
    names: Mapping[str, list[str]] = yaml.safe_load(resource("voices", "names.yaml").read_text(encoding="utf-8"))
    return names


def _target_s(request: Request, kind: InteractionType, index: int, design: DesignSettings) -> float:
    """Length of the conversation [s]: log-normal around its type's mean unless one is asked for."""
    if request.duration_s is not None:
        return request.duration_s
    spread = design.length_spread
    factor = float(generator(request.seed, "plan", "length", index).lognormal(-spread * spread / 2, spread))
    return round(float(np.clip(design.types[kind].mean_s * factor, design.length_s.low, design.length_s.high)), 1)


def _weighted(weights: Mapping[str, float], u: float) -> str:
    """The item into whose share of the total weight `u` in [0, 1) falls."""
    names, shares = list(weights), np.cumsum(list(weights.values()))
    return names[int(np.searchsorted(shares, u * shares[-1], side="right"))]
