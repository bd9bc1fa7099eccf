"""The plan of a conversation before any line is voiced: who makes which points, how long, who cuts in."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.records import ConversationSpec
from pipeline.writers.filling import enrich, fill, hear_everyone
from pipeline.writers.fitting import WORDS_A_POINT, fitted
from pipeline.writers.lengths import turn_lengths, turn_words
from pipeline.writers.placing import claim_turns
from pipeline.writers.planned import Cast, PlannedClaim, PlannedTurn, cast_of
from pipeline.writers.shapes import LENGTH
from pipeline.writers.topics import Does, Topic

LEAST_WORDS = 7
"""Words that a point takes at least; shorter turns are what claims become that get the floor."""
MOST_WORDS = 24
"""Words that one point of ordinary kind fills at most; beyond, a small model makes things up."""


def plan_turns(spec: ConversationSpec, topic: Topic, rng: np.random.Generator) -> list[PlannedTurn]:
    """The turns of a conversation on `topic`, with the amounts of `spec` as near as the bank's moves allow."""
    cast = cast_of(spec, topic)
    turns = fitted(cast, rng)
    fill(turns, cast, rng)
    enrich(turns, cast, math.ceil(turn_words(spec.amounts) / WORDS_A_POINT))
    hear_everyone(turns, cast)
    _set_lengths(turns, cast, rng)
    _set_claims(turns, cast, rng)
    return turns


def _set_lengths(turns: list[PlannedTurn], cast: Cast, rng: np.random.Generator) -> None:
    """Deal the drawn lengths to the turns: the longer ones to those with more to say."""
    total = turn_words(cast.spec.amounts)
    weights = [turn.weight * (cast.shape.main_words if turn.speaker in cast.mains else 1) for turn in turns]
    ranks = np.argsort(np.array(weights) * np.exp(rng.normal(0, 0.25, len(turns))))
    least = min(LEAST_WORDS, max(3, total // sum(len(turn.points) for turn in turns) - 2))
    for length, place in zip(sorted(turn_lengths(len(turns), total, rng)), ranks, strict=True):
        turn = turns[int(place)]
        sizes = [round(length * LENGTH[point.does] / turn.weight) for point in turn.points]
        turn.points = [
            replace(point, words=max(least, min(size, _most(point.does))))
            for point, size in zip(turn.points, sizes, strict=True)
        ]
    _share_out(turns, total)


def _share_out(turns: Sequence[PlannedTurn], total: int) -> None:
    """Give the words that some points had too many of to those that can take more."""
    for _ in range(4):
        missing = total - sum(point.words for turn in turns for point in turn.points)
        room = sum(_most(point.does) - point.words for turn in turns for point in turn.points)
        if missing <= 0 or room <= 0:
            return
        part = min(1.0, missing / room)
        for turn in turns:
            turn.points = [replace(p, words=p.words + round(part * (_most(p.does) - p.words))) for p in turn.points]


def _most(does: Does) -> int:
    return round(MOST_WORDS * LENGTH[does])


def _set_claims(turns: Sequence[PlannedTurn], cast: Cast, rng: np.random.Generator) -> None:
    """Put the claims into turns: where the bank has a cut-in for them first, then the topic's free ones."""
    authored = {i: claim for i, turn in enumerate(turns) if (claim := _authored(turn, cast))}
    free = list(cast.topic.cut_ins)
    lengths = [sum(point.words for point in turn.points) for turn in turns]
    for index in claim_turns(cast.spec.amounts.floor_claims, lengths, set(authored), rng):
        turn = turns[index]
        if index in authored and not turn.claims:
            turn.claims.append(authored[index])
            continue
        others = [who for who in cast.everyone if who != turn.speaker]
        quiet = [who for who in others if who not in {claim.speaker for claim in turn.claims}]
        turn.claims.append(PlannedClaim(str(rng.choice(quiet or others)), free.pop(0) if free else ""))


def _authored(turn: PlannedTurn, cast: Cast) -> PlannedClaim | None:
    """The bank's cut-in of a turn in the mouth of somebody else, if possible of its role; None where there is none.

    Where listeners ask, only questions will do.
    """
    for point in turn.points:
        if point.cut_in is not None and (not cast.shape.asking_claims or "?" in point.cut_in.say):
            others = [who for who in cast.everyone if who != turn.speaker]
            pool = [who for who in cast.roles[point.cut_in.by] if who in others] or others
            return PlannedClaim(pool[len(point.say) % len(pool)], point.cut_in.say)
    return None
