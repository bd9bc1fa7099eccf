"""Makes planned turns as many, as full and as shared out as asked for, where the chosen exchanges leave them short."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.writers.planned import Cast, PlannedTurn, Point, times_heard
from pipeline.writers.reactions import load_reactions
from pipeline.writers.shapes import ANSWERING, ASKING, REPLYING, SMALL
from pipeline.writers.topics import Move


def fill(turns: list[PlannedTurn], cast: Cast, rng: np.random.Generator) -> None:
    """Put in reactions until there are as many turns as asked for, as far as speakers can alternate."""
    while len(turns) < cast.spec.amounts.floor_turns:
        places = [i for i in range(2, len(turns)) if not turns[i - 1].asks and _free(turns, i, cast)]
        if not places:
            _fill_in_pairs(turns, cast)
            return
        places = [i for i in places if not any(turn.points[0].filler for turn in turns[i - 1 : i + 1])] or places
        place = int(rng.choice(places))
        neighbours = {turns[place - 1].speaker, turns[place].speaker}
        turns.insert(place, PlannedTurn([reaction(turns, neighbours, cast)]))


def _free(turns: Sequence[PlannedTurn], place: int, cast: Cast) -> bool:
    """Whether somebody else than the two speakers around could come in between."""
    return bool(set(cast.everyone) - {turns[place - 1].speaker, turns[place].speaker})


def _fill_in_pairs(turns: list[PlannedTurn], cast: Cast) -> None:
    """Two speakers alternate, so their turns come in pairs: a long turn is parted, or both react once."""
    while len(turns) + 2 <= cast.spec.amounts.floor_turns:
        place = max(range(len(turns)), key=lambda i: len(turns[i].points))
        turn = turns[place]
        if len(turn.points) > 1:
            between = PlannedTurn([reaction(turns, {turn.speaker}, cast)])
            turns[place : place + 1] = [PlannedTurn(turn.points[:1]), between, PlannedTurn(turn.points[1:])]
            continue
        fillers = sum(one.points[0].filler for one in turns)
        place = 2 + 2 * fillers % max(1, len(turns) - 3)
        for who in (turns[place].speaker, turns[place - 1].speaker):
            turns.insert(place, PlannedTurn([reaction(turns, set(cast.everyone) - {who}, cast)]))
            place += 1


def reaction(turns: Sequence[PlannedTurn], not_by: set[str], cast: Cast) -> Point:
    """A point that fits anywhere and was not made yet, by the least heard of those who may; listeners come first.

    One of the topic's asides while there are any left for the free speakers, then a generic one of the type.
    """
    heard = times_heard(turns)
    made = Counter(point.say for turn in turns for point in turn.points)
    free = sorted((who for who in cast.everyone if who not in not_by), key=lambda one: (one in cast.mains, heard[one]))
    own = [
        Point(who, aside.does, aside.say, filler=True)
        for who in free
        for aside in cast.topic.asides
        if (who in cast.roles[aside.by] or not cast.roles[aside.by]) and not made[aside.say]
    ]
    if own:
        return own[0]
    part = "main" if free[0] in cast.mains else "listener"
    fitting = [one for one in load_reactions().reactions[cast.spec.type] if one.by in (part, "any")]
    # Another one first in each conversation, so that the same does not stand in all.
    turned = fitting[cast.spec.index % len(fitting) :] + fitting[: cast.spec.index % len(fitting)]
    chosen = min(turned, key=lambda one: made[one.say])
    return Point(free[0], chosen.does, chosen.say, filler=True)


def enrich(turns: list[PlannedTurn], cast: Cast, enough: int) -> None:
    """Add points of the exchanges left out to turns, until there are `enough` points.

    Their openings, and in a story or explanation all that its main part has to say. They go near their place in the
    topic, where they part no question from its answer and no point from the reply to it.
    """
    made = {point.say for turn in turns for point in turn.points}
    for move in _spare(cast, made):
        if sum(len(turn.points) for turn in turns) >= enough:
            return
        before = {other.say for other in cast.topic.moves[: cast.topic.moves.index(move)]}
        ideal = sum(turn.points[-1].say in before for turn in turns)
        most = 3 if move.by == cast.shape.main else 2
        places = [
            (abs(i - ideal + 0.5), i, first)
            for i in range(1, len(turns) - 1)
            for first in (True, False)
            if turns[i].speaker in cast.roles[move.by] and len(turns[i].points) < most and _joinable(turns, i, first)
        ]
        if places:
            _, place, first = min(places)
            point = Point(turns[place].speaker, move.does, move.say, move.cut_in)
            turns[place].points.insert(0 if first else len(turns[place].points), point)


def _spare(cast: Cast, made: set[str]) -> list[Move]:
    """Moves of the exchanges left out that mean something by themselves."""
    spare: list[Move] = []
    for exchange in cast.topic.exchanges[1:-1]:
        if any(move.say in made for move in exchange):
            continue
        first, *rest = exchange
        spare += [first] * (first.does not in ASKING | ANSWERING)
        spare += [move for move in rest if move.by == cast.shape.main and move.does not in ASKING | REPLYING]
    return spare


def _joinable(turns: Sequence[PlannedTurn], place: int, first: bool) -> bool:
    """Whether another point fits before (`first`) or after the ones of a turn."""
    if first:
        return not turns[place].replies and not turns[place - 1].asks
    return not turns[place].asks and not turns[place + 1].replies


def hear_everyone(turns: list[PlannedTurn], cast: Cast) -> None:
    """Give a turn to whoever has none: one of a speaker in the same role, or else a small one of a listener's."""
    for who in cast.everyone:
        heard = times_heard(turns)
        places = [
            i
            for i in range(1, len(turns) - 1)
            if heard[turns[i].speaker] > 1 and who not in {turn.speaker for turn in turns[i - 1 : i + 2]}
        ]
        if heard[who] or not places:
            continue
        place = max(
            places,
            key=lambda i: (
                turns[i].speaker in cast.mates(who),
                turns[i].speaker not in cast.mains,
                turns[i].points[0].does in SMALL | ASKING,
                heard[turns[i].speaker],
            ),
        )
        turns[place].points = [replace(point, speaker=who) for point in turns[place].points]
