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
    listeners = iter(_rounds(others, spec.amounts.floor_turns, rng) if len(others) > 1 else others * 9999)
    spare = spec.amounts.floor_turns - 2 * len(others)
    drawn: list[str] = []
    while len(drawn) < spec.amounts.floor_turns:
        # With more listeners than the main speaker can answer, two of them follow each other.
        answer = not drawn or (drawn[-1] != main and (spare >= 0 or len(drawn) % 3 == 0))
        drawn.append(main if answer else next(listeners))
    return drawn


def _rounds(who: list[str], n: int, rng: np.random.Generator) -> list[str]:
    """`n` speakers in shuffled rounds, none twice in a row."""
    drawn: list[str] = []
    while len(drawn) < n:
        turn = [str(one) for one in rng.permutation(who)]
        if drawn and turn[0] == drawn[-1]:
            turn.append(turn.pop(0))
        drawn.extend(turn)
    return drawn[:n]
