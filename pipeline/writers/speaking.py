"""Who takes which turn where no topic says so: everybody in their turn, nobody twice in a row."""

from collections.abc import Mapping

import numpy as np

from pipeline.records import ConversationSpec, InteractionType

MAIN: Mapping[InteractionType, str] = {"narrative": "teller", "instructional": "explainer"}
"""The part that holds the floor about every second turn."""


def main_speaker(spec: ConversationSpec) -> str | None:
    """Id of the one teller or explainer; None in types without."""
    part = MAIN.get(spec.type)
    if part is None:
        return None
    return next((speaker.id for speaker in spec.speakers if speaker.stance == part), spec.speakers[0].id)


def draw_speakers(spec: ConversationSpec, rng: np.random.Generator) -> list[str]:
    """The speaker of each floor turn: all are heard, none follows themself, a main speaker comes back in between."""
    main = main_speaker(spec)
    others = [speaker.id for speaker in spec.speakers if speaker.id != main]
    if main is None:
        return _rounds(others, spec.amounts.floor_turns, rng)
    turns = spec.amounts.floor_turns
    if len(others) == 1:
        return [others[0] if i % 2 else main for i in range(turns)]
    times = max(1, min((turns + 1) // 2, turns - len(others)))
    places = {round(i * (turns - 1) / max(1, times - 1)) for i in range(times)}
    listeners = iter(_rounds(others, turns - len(places), rng))
    return [main if i in places else next(listeners) for i in range(turns)]


def _rounds(who: list[str], n: int, rng: np.random.Generator) -> list[str]:
    """`n` speakers in shuffled rounds, none twice in a row."""
    drawn: list[str] = []
    while len(drawn) < n:
        turn = [str(one) for one in rng.permutation(who)]
        if drawn and turn[0] == drawn[-1]:
            turn.append(turn.pop(0))
        drawn.extend(turn)
    return drawn[:n]
