"""Which exchanges of a topic a conversation has, and the turns that their moves make."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from pipeline.writers.filling import reaction
from pipeline.writers.lengths import turn_words
from pipeline.writers.planned import Cast, PlannedTurn, Point
from pipeline.writers.shapes import REPLYING, SMALL
from pipeline.writers.topics import Move, Topic

WORDS_A_POINT = 16
"""Words in which the model voices a point of the bank when nothing is asked about length."""


def fitted(cast: Cast, rng: np.random.Generator) -> list[PlannedTurn]:
    """The turns of the choice of exchanges that comes nearest to the turns and words asked for."""
    asked = cast.spec.amounts
    points_asked = max(asked.floor_turns, turn_words(asked) / WORDS_A_POINT)

    def cost(turns: list[PlannedTurn]) -> float:
        missing = asked.floor_turns - len(turns)
        points = sum(len(turn.points) for turn in turns)
        return (missing if missing >= 0 else -4 * missing) + 0.4 * abs(points - points_asked) + 0.3 * rng.random()

    choices = (
        turns for moves in _choices(cast.topic, asked.floor_turns) for turns in _joined(_voiced(moves, cast), cast)
    )
    return min(choices, key=cost)


def _choices(topic: Topic, turns: int) -> Iterator[tuple[Move, ...]]:
    """The opening, any of the exchanges between in order, and the closing; of very short ones, its ends alone."""
    first, *middle, last = topic.exchanges
    if turns < len(first) + len(last):
        yield (*first[: (turns + 1) // 2], *last[len(last) - turns // 2 :])
        return
    for count in range(len(middle) + 1):
        for chosen in combinations(middle, count):
            yield tuple(move for exchange in (first, *chosen, last) for move in exchange)


def _voiced(moves: Sequence[Move], cast: Cast) -> list[Point]:
    """Each move in the mouth of a speaker of its role: another than the last where there is one, and the least heard.

    Where nobody has the role (two speakers), it goes to whom the next move is not by.
    """
    heard: Counter[str] = Counter()
    points: list[Point] = []
    for place, move in enumerate(moves):
        last = points[-1].speaker if points else None
        pool = cast.roles[move.by]
        if not pool:
            following = cast.roles[moves[place + 1].by] if place + 1 < len(moves) else []
            pool = [who for who in cast.everyone if who not in following] or cast.everyone
        who = min([who for who in pool if who != last] or pool, key=lambda one: heard[one])
        heard[who] += 1
        points.append(Point(who, move.does, move.say, move.cut_in))
    return points


def _joined(points: Sequence[Point], cast: Cast) -> Iterator[list[PlannedTurn]]:
    """Turns of the points; in a story or explanation, also with fewer and fewer of the listeners' small reactions."""
    kept = list(points)
    yield _turns(kept, cast)
    while (small := _droppable(kept, cast.mains)) is not None:
        kept.pop(small)
        yield _turns(kept, cast)


def _turns(points: Sequence[Point], cast: Cast) -> list[PlannedTurn]:
    """Where one speaker goes on it is one turn, or somebody reacts in between where that parts what belongs apart."""
    turns: list[PlannedTurn] = []
    for point in points:
        if not turns or turns[-1].speaker != point.speaker:
            turns.append(PlannedTurn([point]))
        elif turns[-1].asks or point.does in REPLYING:
            turns += [PlannedTurn([reaction(turns, {point.speaker}, cast)]), PlannedTurn([point])]
        else:
            turns[-1].points.append(point)
    return turns


def _droppable(points: Sequence[Point], mains: set[str]) -> int | None:
    """The listener's small move between two of the main speaker's that makes the shortest joined turn."""
    return min(
        (
            i
            for i in range(2, len(points) - 1)
            if points[i].does in SMALL
            and points[i].speaker not in mains
            and {points[i - 1].speaker, points[i + 1].speaker} <= mains
            and points[i + 1].does not in REPLYING
        ),
        key=lambda i: _run(points, i - 1, -1, mains) + _run(points, i + 1, 1, mains),
        default=None,
    )


def _run(points: Sequence[Point], start: int, step: int, mains: set[str]) -> int:
    """How many points in a row the main speaker makes from `start` on."""
    length = 0
    while 0 <= start < len(points) and points[start].speaker in mains:
        length, start = length + 1, start + step
    return length
