"""Prompts from the templates under `prompts`; what a user gives reaches them as values, made plain."""

from functools import cache

import jinja2

from pipeline.records import ConversationSpec
from pipeline.resources import resource
from pipeline.writers.planned import Point
from pipeline.writers.speakable import plain
from pipeline.writers.topics import Does

CASTS = (("Nadia", "Hal", "Wren"), ("Odette", "Bram", "Suki"), ("Maren", "Lars", "Pip"))
"""Names in the few-shot transcripts: the first three of which the conversation has none."""
BRIEF, LONG = 8, 26
"""Words up to and from which a note says that the line is short or long."""
_VERBS: dict[Does, str] = {"sums_up": "sums up"}


@cache
def templates() -> jinja2.Environment:
    """The templates; an undefined value is an error, and no value is ever compiled."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource("prompts")),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are plain text
        keep_trailing_newline=True,
    )


def few_shot(spec: ConversationSpec) -> str:
    """The transcript that shows the model how lines of the type are voiced."""
    a, b, c = few_shot_cast(spec)
    return templates().get_template(f"lines/{spec.type}.j2").render(a=a, b=b, c=c)


def few_shot_cast(spec: ConversationSpec) -> tuple[str, str, str]:
    """Names that nobody in the conversation has."""
    names = {speaker.name for speaker in spec.speakers}
    return next((cast for cast in CASTS if not names & set(cast)), CASTS[0])


def heading(spec: ConversationSpec) -> str:
    """The line that opens the conversation's own transcript."""
    return f"== Talk: {plain(spec.title, 100)}\n"


def point_note(spec: ConversationSpec, point: Point, to: str | None, goes_on: bool, amend: str) -> str:
    """The note in brackets that tells what a line shall say, and the name that opens it."""
    name = spec.speaker(point.speaker).name
    verb = "goes on" if goes_on else _VERBS.get(point.does, point.does)
    length = ", briefly" if point.words <= BRIEF else ", at length" if point.words >= LONG else ""
    whom = f" {spec.speaker(to).name}" if to and point.does == "asks" else ""
    return _noted(name, f"{verb}{whom}{length}{f', {amend}' if amend else ''}", point.say)


def claim_note(spec: ConversationSpec, speaker: str, say: str, amend: str = "") -> str:
    """The note for a line that cuts in; without `say`, what an authored one stands under."""
    return _noted(spec.speaker(speaker).name, f"cuts in{f', {amend}' if amend else ''}", say)


def _noted(name: str, what: str, say: str) -> str:
    return f"[{name} {what}{f': {plain(say)}' if say else ''}]\n{name}:"
