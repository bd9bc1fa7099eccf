"""The plan of a conversation before any line is voiced: who makes which points, how long, who cuts in."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from pipeline.records import ConversationSpec
from pipeline.writers.lengths import turn_lengths, turn_words
from pipeline.writers.placing import claim_turns
from pipeline.writers.reactions import load_reactions
from pipeline.writers.shapes import ANSWERING, ASKING, LENGTH, REPLYING, SHAPES, SMALL, Shape
from pipeline.writers.speaking import main_speaker
from pipeline.writers.topics import CutIn, Does, Move, Topic

WORDS_A_POINT = 16
"""Words in which the model voices a point of the bank when nothing is asked about length."""
LEAST_WORDS = 7
"""Words that a point takes at least; shorter turns are what claims become that get the floor."""
MOST_WORDS = 24
"""Words that one point of ordinary kind fills at most; beyond, a small model makes things up."""


@dataclass(frozen=True)
class Point:
    """One move of the bank, or a generic one, in somebody's mouth."""

    speaker: str
    does: Does
    say: str
    cut_in: CutIn | None = None
    words: int = 0
    """How many words it shall have."""


@dataclass(frozen=True)
class PlannedClaim:
    """A claim that cuts into a turn."""

    speaker: str
    say: str
    """Its authored words; empty: generic ones."""


@dataclass
class PlannedTurn:
    """A turn: one point or several by the same speaker, and the claims that cut in."""

    points: list[Point]
    claims: list[PlannedClaim] = field(default_factory=list)

    @property
    def speaker(self) -> str:
        """Who has the turn."""
        return self.points[0].speaker

    @property
    def weight(self) -> float:
        """How long it is beside others."""
        return sum(LENGTH[point.does] for point in self.points)


def plan_turns(spec: ConversationSpec, topic: Topic, rng: np.random.Generator) -> list[PlannedTurn]:
    """The turns of a conversation on `topic`, with the amounts of `spec` as near as the bank's moves allow."""
    cast = parts(spec, topic)
    turns = _fitting(spec, topic, cast, rng)
    turns = _filled(turns, spec, cast, rng)
    _enrich(turns, spec, topic, cast)
    _hear_everyone(turns, spec, cast)
    _set_lengths(turns, spec, cast, rng)
    _set_claims(turns, spec, cast, rng)
    return turns


def parts(spec: ConversationSpec, topic: Topic) -> dict[str, list[str]]:
    """The speakers of each role of the topic: by stance, or in order where a stance is no role or none opens."""
    cast: dict[str, list[str]] = {role: [] for role in topic.roles}
    for speaker in spec.speakers:
        if speaker.stance in cast:
            cast[speaker.stance].append(speaker.id)
    placed = sum(map(len, cast.values()))
    first, second, _ = topic.roles
    if placed < len(spec.speakers) or not cast[first] or not cast[second]:
        roles = list(topic.roles)
        rest = roles[1:] if SHAPES[topic.type].main else roles
        order = [*roles, *(rest[i % len(rest)] for i in range(len(spec.speakers)))]
        cast = {role: [] for role in topic.roles}
        for speaker, role in zip(spec.speakers, order, strict=False):
            cast[role].append(speaker.id)
    return cast


def _fitting(
    spec: ConversationSpec, topic: Topic, cast: dict[str, list[str]], rng: np.random.Generator
) -> list[PlannedTurn]:
    """The choice of exchanges whose turns and points come nearest to what is asked for."""
    asked = spec.amounts
    points_asked = max(asked.floor_turns, turn_words(asked) / WORDS_A_POINT)
    best: tuple[float, list[PlannedTurn]] | None = None
    for moves in _choices(topic, asked.floor_turns):
        points = _voiced(moves, cast, spec)
        for turns in _joined(points, spec, cast, SHAPES[spec.type]):
            missing = asked.floor_turns - len(turns)
            n_points = sum(len(turn.points) for turn in turns)
            cost = (missing if missing >= 0 else -4 * missing) + 0.4 * abs(n_points - points_asked) + 0.3 * rng.random()
            if best is None or cost < best[0]:
                best = (cost, turns)
    if best is None:
        raise AssertionError("every topic has an opening and a closing")
    return best[1]


def _choices(topic: Topic, turns: int) -> Iterator[tuple[Move, ...]]:
    """The opening, any of the exchanges between in order, and the closing; of very short ones, its ends alone."""
    first, *middle, last = topic.exchanges
    if turns < len(first) + len(last):
        yield (*first[: (turns + 1) // 2], *last[len(last) - turns // 2 :])
        return
    for count in range(len(middle) + 1):
        for chosen in combinations(middle, count):
            yield tuple(move for exchange in (first, *chosen, last) for move in exchange)


def _voiced(moves: Sequence[Move], cast: dict[str, list[str]], spec: ConversationSpec) -> list[Point]:
    """Each move in the mouth of a speaker of its role: another than the last where there is one, and the least heard.

    Where nobody has the role (two speakers), it goes to whom the next move is not by.
    """
    heard: Counter[str] = Counter()
    points: list[Point] = []
    for place, move in enumerate(moves):
        last = points[-1].speaker if points else None
        pool = cast[move.by]
        if not pool:
            following = cast[moves[place + 1].by] if place + 1 < len(moves) else []
            everyone = [speaker.id for speaker in spec.speakers]
            pool = [who for who in everyone if who not in following] or [who for who in everyone if who != last]
        free = [who for who in pool if who != last] or pool
        who = min(free, key=lambda one: heard[one])
        heard[who] += 1
        points.append(Point(who, move.does, move.say, move.cut_in))
    return points


def _joined(
    points: Sequence[Point], spec: ConversationSpec, cast: dict[str, list[str]], shape: Shape
) -> Iterator[list[PlannedTurn]]:
    """Turns of the points; where one speaker goes on they are one turn, or somebody reacts in between.

    In a story or explanation, also with more and more of the listeners' small reactions left out.
    """
    kept = list(points)
    yield _turns(kept, spec, cast)
    if shape.main is None:
        return
    while small := _droppable(kept, set(cast[shape.main])):
        kept.pop(small)
        yield _turns(kept, spec, cast)


def _droppable(points: Sequence[Point], main: set[str]) -> int | None:
    """The listener's small move between two of the main speaker's that makes the shortest joined turn."""
    found = [
        i
        for i in range(2, len(points) - 1)
        if points[i].does in SMALL
        and points[i].speaker not in main
        and points[i - 1].speaker in main
        and points[i + 1].speaker in main
        and points[i + 1].does not in REPLYING
    ]

    def run(i: int) -> int:
        left = next((k for k in range(i - 1, -1, -1) if points[k].speaker not in main), -1)
        right = next((k for k in range(i + 1, len(points)) if points[k].speaker not in main), len(points))
        return right - left

    return min(found, key=run, default=None)


def _turns(points: Sequence[Point], spec: ConversationSpec, cast: dict[str, list[str]]) -> list[PlannedTurn]:
    turns: list[PlannedTurn] = []
    for point in points:
        if turns and turns[-1].speaker == point.speaker:
            before = turns[-1].points[-1]
            if before.does in ASKING or point.does in REPLYING:
                turns.append(PlannedTurn([_reaction(turns, {point.speaker}, spec, cast)]))
            else:
                turns[-1].points.append(point)
                continue
        turns.append(PlannedTurn([point]))
    return turns


def _filled(
    turns: list[PlannedTurn], spec: ConversationSpec, cast: dict[str, list[str]], rng: np.random.Generator
) -> list[PlannedTurn]:
    """With reactions put in until there are as many turns as asked for, where speakers can alternate."""
    turns = list(turns)
    while len(turns) < spec.amounts.floor_turns:
        places = [i for i in range(2, len(turns)) if turns[i - 1].points[-1].does not in ASKING | {"opens"}]
        places = [i for i in places if not _generic(turns[i - 1], spec) and not _generic(turns[i], spec)] or places
        others = {i: {s.id for s in spec.speakers} - {turns[i - 1].speaker, turns[i].speaker} for i in places}
        places = [i for i in places if others[i]]
        if not places:
            return _split(turns, spec, cast)
        place = int(rng.choice(places))
        neighbours = {turns[place - 1].speaker, turns[place].speaker}
        turns.insert(place, PlannedTurn([_reaction(turns, neighbours, spec, cast)]))
    return turns


def _split(turns: list[PlannedTurn], spec: ConversationSpec, cast: dict[str, list[str]]) -> list[PlannedTurn]:
    """Two speakers alternate, so turns come in pairs: a reaction and a point more by the one who was interrupted."""
    while len(turns) + 2 <= spec.amounts.floor_turns:
        place = max(range(len(turns)), key=lambda i: (len(turns[i].points), 0 < i < len(turns) - 1, -i))
        turn = turns[place]
        reaction = PlannedTurn([_reaction(turns, {turn.speaker}, spec, cast)])
        if len(turn.points) > 1:
            turns[place : place + 1] = [PlannedTurn(turn.points[:1]), reaction, PlannedTurn(turn.points[1:])]
        else:
            place = 2 + 2 * (len(turns) % max(1, len(turns) // 2 - 1))
            place = min(place, len(turns) - 1)
            one, other = turns[place].speaker, turns[place - 1].speaker
            added = PlannedTurn([_reaction(turns, {other}, spec, cast)])
            turns.insert(place, added)
            turns.insert(place + 1, PlannedTurn([_reaction(turns, {one}, spec, cast)]))
    return turns


def _generic(turn: PlannedTurn, spec: ConversationSpec) -> bool:
    said = {reaction.say for reaction in load_reactions().reactions[spec.type]}
    return turn.points[0].say in said


def _reaction(
    turns: Sequence[PlannedTurn], not_by: set[str], spec: ConversationSpec, cast: dict[str, list[str]]
) -> Point:
    """A generic point not made yet, by the least heard of those who may."""
    used = Counter(point.say for turn in turns for point in turn.points)
    heard = Counter(turn.speaker for turn in turns)
    main = SHAPES[spec.type].main
    mains = set(cast[main]) if main else set()
    free = sorted({speaker.id for speaker in spec.speakers} - not_by, key=lambda who: (who in mains, heard[who]))
    who = free[0]
    part = "main" if who in mains else "listener"
    fitting = [r for r in load_reactions().reactions[spec.type] if r.by in (part, "any")]
    chosen = min(fitting, key=lambda reaction: used[reaction.say])
    return Point(who, chosen.does, chosen.say)


def _enrich(turns: list[PlannedTurn], spec: ConversationSpec, topic: Topic, cast: dict[str, list[str]]) -> None:
    """Where more words are asked for than the points fill, add points of the exchanges left out to others' turns.

    Their openings, and in a story or explanation all that its main part has to say. They go near their place in the
    topic, where they part no question from its answer and no point from the reply to it.
    """
    main = SHAPES[spec.type].main
    made = {point.say for turn in turns for point in turn.points}
    for exchange in topic.exchanges[1:-1]:
        for move in exchange:
            if sum(len(turn.points) for turn in turns) * WORDS_A_POINT >= turn_words(spec.amounts):
                return
            wanted = move is exchange[0] or (move.by == main and exchange[0].say not in made)
            bound = ASKING | ANSWERING if move is exchange[0] else ASKING | REPLYING
            if not wanted or move.say in made or move.does in bound:
                continue
            before = {other.say for other in topic.moves[: topic.moves.index(move)]}
            ideal = sum(turn.points[-1].say in before for turn in turns)
            places = [
                (abs(i - ideal + 0.5), i, first)
                for i in range(1, len(turns) - 1)
                for first in (True, False)
                if turns[i].speaker in cast[move.by]
                and len(turns[i].points) < (3 if move.by == main else 2)
                and _joinable(turns, i, first)
            ]
            if places:
                _, place, first = min(places)
                point = Point(turns[place].speaker, move.does, move.say, move.cut_in)
                turns[place].points.insert(0 if first else len(turns[place].points), point)


def _joinable(turns: Sequence[PlannedTurn], place: int, first: bool) -> bool:
    """Whether another point fits before (`first`) or after the one of a turn."""
    if first:
        return turns[place].points[0].does not in REPLYING and turns[place - 1].points[-1].does not in ASKING
    return turns[place].points[-1].does not in ASKING and turns[place + 1].points[0].does not in REPLYING


def _hear_everyone(turns: list[PlannedTurn], spec: ConversationSpec, cast: dict[str, list[str]]) -> None:
    """Give a turn to whoever has none: one of a speaker in the same role, or else a small one of a listener's."""
    main = main_speaker(spec)
    for speaker in spec.speakers:
        heard = Counter(turn.speaker for turn in turns)
        if heard[speaker.id]:
            continue
        mates = next((who for who in cast.values() if speaker.id in who), [])
        places = [
            i
            for i, turn in enumerate(turns[1:-1], 1)
            if heard[turn.speaker] > 1 and speaker.id not in {t.speaker for t in turns[max(0, i - 1) : i + 2]}
        ]
        if places:
            place = max(
                places,
                key=lambda i: (
                    turns[i].speaker in mates,
                    turns[i].speaker != main,
                    turns[i].points[0].does in SMALL | ASKING,
                    heard[turns[i].speaker],
                ),
            )
            turns[place].points = [replace(point, speaker=speaker.id) for point in turns[place].points]


def _set_lengths(
    turns: list[PlannedTurn], spec: ConversationSpec, cast: dict[str, list[str]], rng: np.random.Generator
) -> None:
    """Deal the drawn lengths to the turns: the longer ones to those with more to say."""
    shape = SHAPES[spec.type]
    mains = set(cast[shape.main]) if shape.main else set()
    weights = [turn.weight * (shape.main_words if turn.speaker in mains else 1) for turn in turns]
    ranks = np.argsort(np.array(weights) * np.exp(rng.normal(0, 0.25, len(turns))))
    least = min(LEAST_WORDS, max(3, turn_words(spec.amounts) // sum(len(turn.points) for turn in turns) - 2))
    lengths = sorted(turn_lengths(len(turns), turn_words(spec.amounts), rng))
    for length, place in zip(lengths, ranks, strict=True):
        turn = turns[int(place)]
        shares = [LENGTH[point.does] / turn.weight for point in turn.points]
        turn.points = [
            replace(point, words=max(least, min(round(length * share), round(MOST_WORDS * LENGTH[point.does]))))
            for point, share in zip(turn.points, shares, strict=True)
        ]
    _share_out(turns, turn_words(spec.amounts))


def _share_out(turns: list[PlannedTurn], total: int) -> None:
    """Give the words that some points had too many of to those that can take more."""
    for _ in range(4):
        missing = total - sum(point.words for turn in turns for point in turn.points)
        room = sum(round(MOST_WORDS * LENGTH[point.does]) - point.words for turn in turns for point in turn.points)
        if missing <= 0 or room <= 0:
            return
        part = min(1.0, missing / room)
        for turn in turns:
            turn.points = [
                replace(p, words=p.words + round(part * (round(MOST_WORDS * LENGTH[p.does]) - p.words)))
                for p in turn.points
            ]


def _set_claims(
    turns: list[PlannedTurn], spec: ConversationSpec, cast: dict[str, list[str]], rng: np.random.Generator
) -> None:
    """Put the claims into turns: where the bank has a cut-in for them first."""
    authored = {i: claim for i, turn in enumerate(turns) if (claim := _authored(turn, spec, cast))}
    lengths = [sum(point.words for point in turn.points) for turn in turns]
    for index in claim_turns(spec.amounts.floor_claims, lengths, set(authored), rng):
        turn = turns[index]
        if index in authored and not turn.claims:
            turn.claims.append(authored[index])
        else:
            others = [s.id for s in spec.speakers if s.id != turn.speaker]
            busy = {claim.speaker for claim in turn.claims}
            turn.claims.append(PlannedClaim(str(rng.choice([who for who in others if who not in busy] or others)), ""))


def _authored(turn: PlannedTurn, spec: ConversationSpec, cast: dict[str, list[str]]) -> PlannedClaim | None:
    """The bank's cut-in of a turn in the mouth of somebody else in its role; None where there is none."""
    for point in turn.points:
        if point.cut_in is None:
            continue
        others = [speaker.id for speaker in spec.speakers if speaker.id != turn.speaker]
        pool = [who for who in cast[point.cut_in.by] if who in others] or others
        return PlannedClaim(pool[len(point.say) % len(pool)], point.cut_in.say)
    return None
