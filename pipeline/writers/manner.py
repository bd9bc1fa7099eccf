"""Rules on what a type of interaction asks of its scripts beyond amounts (Figure 6, style texts of Table 15)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pipeline.records import ClaimAct, InteractionType
from pipeline.writers.case import Case, Violation, breach, shown
from pipeline.writers.landing import inside_sentence, landing_index
from pipeline.writers.shapes import SHAPES
from pipeline.writers.speaking import main_speaker
from pipeline.writers.words import words

SHORT_CLAIM = 8
"""Most words of a short claim."""
LEAST_SHARE = 0.5
"""Share of the claims that are in the manner of their type; one may always be otherwise."""


def one_main_speaker(case: Case) -> Iterator[Violation]:
    """In a story the teller, in an explanation the explainer has the most words."""
    main = main_speaker(case.spec)
    said = Counter({speaker.id: 0 for speaker in case.spec.speakers})
    for turn in case.script.turns:
        said[turn.speaker] += len(words(turn.text))
    if main is not None and said[main] < max(said.values()):
        most = max(said, key=lambda who: said[who])
        part = case.spec.speaker(main).stance or "main speaker"
        found = f"{said[most]} words of {most!r} and {said[main]} of the {part} {main!r}"
        yield Violation(rule="one_main_speaker", path="acts", found=found, allowed=f"the most words by {main!r}")


def claims_in_manner(case: Case) -> Iterator[Violation]:
    """Claims are as their type has them: half of them at least, and always all but one.

    They cut into an unfinished sentence in argumentative and collaborative talk, are short moves in casual and
    task-oriented talk, and questions in instructional talk.
    """
    if case.spec.type not in _MANNERS:
        return
    keeps, allowed = _MANNERS[case.spec.type]
    claims = [(path, act) for path, act in case.placed if isinstance(act, ClaimAct)]
    others = [(path, act) for path, act in claims if not keeps(act, case)]
    if len(others) > max(1, int(len(claims) * (1 - LEAST_SHARE))):
        for path, act in others:
            place = "landing" if case.spec.type in _CUTTING else "text"
            yield breach("claims_in_manner", f"{path}.{place}", act, shown(getattr(act, place)), allowed)


def _cuts_in(claim: ClaimAct, case: Case) -> bool:
    turn = case.turns.get(claim.during)
    place = landing_index(turn.text, claim.landing) if turn else None
    return turn is not None and place is not None and inside_sentence(turn.text, place)


def _is_short(claim: ClaimAct, _: Case) -> bool:
    return len(words(claim.text)) <= SHORT_CLAIM


def _asks(claim: ClaimAct, _: Case) -> bool:
    return "?" in claim.text


_CUTTING = tuple(kind for kind, shape in SHAPES.items() if shape.unfinished_claims)
_MANNERS: Mapping[InteractionType, tuple[Callable[[ClaimAct, Case], bool], str]] = {
    **dict.fromkeys(_CUTTING, (_cuts_in, "words within a sentence of the turn, more of it after them")),
    "casual": (_is_short, f"a short aside of at most {SHORT_CLAIM} words"),
    "task_oriented": (_is_short, f"a short coordination move of at most {SHORT_CLAIM} words"),
    "instructional": (_asks, "a question"),
}
