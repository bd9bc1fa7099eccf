"""The unspoken words of a turn that was cut off, as a turn of their own."""

import re

from pipeline.records import TurnAct
from pipeline.simulation.performance import Performance
from pipeline.text import words_of

LEAST_WORDS = 3
"""Fewer unspoken words are let go."""


def resumed_act(cut: Performance) -> TurnAct | None:
    """Take up the words from the last clause that was begun; None when too few are left.

    The words are a new turn, so that they are spoken with prosody of their own.
    """
    spoken = sum(1 for word in cut.utterance.words if cut.on_channel(word.end) < (cut.cut or 0))
    text = rest_of(cut.utterance.written, spoken)
    if not isinstance(cut.act, TurnAct) or len(words_of(text)) < LEAST_WORDS:
        return None
    return cut.act.model_copy(update={"id": f"{cut.act.id}.resumed", "text": text, "follows": "latched"})


def rest_of(text: str, spoken: int) -> str:
    """What is left of `text` after `spoken` words, from the start of the clause they stop in.

    >>> rest_of("Sure, but it leaves at six, and I'm not getting up that early.", 9)
    "And I'm not getting up that early."
    >>> rest_of("We meet at 3:30, or at 4.15, by the gate.", 4)
    'Or at 4.15, by the gate.'
    """
    clauses = re.findall(r"(?s:.)+?(?:[,;:.?!…]+['\"\u2019\u201d)]*(?=\s|$)|—|$)\s*", text)
    count = 0
    for index, clause in enumerate(clauses):
        count += len(words_of(clause))
        if count > spoken:
            rest = "".join(clauses[index:]).strip()
            return rest[:1].upper() + rest[1:]
    return ""
