"""Scripts as people write and read them: plain text, one line an act, easy to compare.

A file has a head of ``key: value`` lines, an empty line, and the acts::

    id: test-007
    type: narrative
    domain: book club
    tone: casual and friendly
    title: the borrowed copy that came back wet
    setting: Three members stay behind after the meeting.
    relation: club members
    speaker: Maya, v02, teller, lends everything and regrets it
    speaker: Tom, v17, listener, keeps his books in order

    Maya: So I lent her my copy, the signed one, and I told her twice not to take it near the bath.
      Tom + Oh no. @ the signed one
      Tom % (laughs) @ near the bath
      Tom > She took it in the bath. @ I told her
    Tom ~: And how wet was it, exactly?

A turn is ``NAME: text``; it follows the one before at once, ``NAME ~:`` after a pause, ``NAME ~~:`` after a long one.
An indented line lands in the turn above it, after the words behind ``@``: ``>`` is a claim of the floor, ``+`` a
backchannel, ``%`` laughter (with or without words).
"""

import re
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from pipeline.errors import InputError
from pipeline.records import ClaimAct, InteractionType, Record, Script, Split, TurnAct, VocalisationAct
from pipeline.records.base import first_fault
from pipeline.records.script import Act, Author, Follows
from pipeline.records.spec import Ident

_TURN = re.compile(r"^(?P<name>[A-Z][a-z]+)(?: (?P<pause>~{1,2}))?: (?P<text>\S.*)$")
_ASIDE = re.compile(r"^\s+(?P<name>[A-Z][a-z]+) (?P<mark>[>+%]) (?P<text>\S.*?) @ (?P<landing>\S.*)$")
_FOLLOWS: dict[str | None, Follows] = {None: "latched", "~": "after_pause", "~~": "long_pause"}


class Role(Record):
    """A speaker as the head of a screenplay names one."""

    name: str = Field(pattern=r"^[A-Z][a-z]+$")
    voice: str
    stance: str
    persona: str


class Screenplay(Record):
    """A written script with what it says about itself."""

    id: Ident = Field(pattern=r"^(dev|test)-")
    """Begins with its split, since its voices are of that split."""
    type: InteractionType
    domain: str
    tone: str
    title: str
    setting: str
    relation: str = ""
    speakers: tuple[Role, ...] = Field(min_length=2)
    acts: tuple[Act, ...] = Field(min_length=1)

    @property
    def split(self) -> Split:
        """The split that its voices belong to."""
        return "dev" if self.id.startswith("dev-") else "test"

    def script(self, author: Author = "authored", writer: str = "reference") -> Script:
        """The acts as a script; speakers are s1, s2, … in the order of the head."""
        acts = tuple(act.model_copy(update={"author": author}) for act in self.acts)
        return Script(conversation_id=self.id, writer=writer, acts=acts)


def read_screenplay(path: Path) -> Screenplay:
    """The screenplay in a file.

    Raises
    ------
    InputError
        in one line that names the file, the line and what a line may be.

    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); give a screenplay") from None
    return parse_screenplay(text, str(path))


def parse_screenplay(text: str, place: str = "screenplay") -> Screenplay:
    """The screenplay in `text`; InputError names `place` and the line."""
    head_text, _, body = text.partition("\n\n")
    head = _head(head_text, place)
    first = head_text.count("\n") + 3
    names = [speaker["name"] for speaker in head["speakers"]]
    acts = _acts(body, names, place, first)
    try:
        return Screenplay.model_validate({**head, "acts": acts})
    except ValidationError as error:
        raise InputError(f"{place}: not a valid screenplay: {first_fault(error)}") from None


def _head(text: str, place: str) -> dict[str, Any]:
    head: dict[str, Any] = {"speakers": []}
    for number, line in enumerate(text.splitlines(), 1):
        key, found, value = line.partition(": ")
        if not found:
            raise InputError(f"{place}:{number}: {line[:60]!r} is not `key: value`")
        if key == "speaker":
            head["speakers"].append(_role(value, place, number))
        else:
            head[key] = value.strip()
    return head


def _role(value: str, place: str, number: int) -> dict[str, str]:
    parts = [part.strip() for part in value.split(",", 3)]
    if len(parts) < 4:
        raise InputError(f"{place}:{number}: a speaker is `speaker: Name, voice, stance, who they are`")
    return dict(zip(("name", "voice", "stance", "persona"), parts, strict=True))


def _acts(body: str, names: list[str], place: str, first: int) -> list[Act]:
    acts: list[Act] = []
    turn: TurnAct | None = None
    for number, line in enumerate(body.splitlines(), first):
        if not line.strip():
            continue
        where = f"{place}:{number}"
        if match := _TURN.match(line):
            turn = TurnAct(
                id=f"t{1 + sum(isinstance(act, TurnAct) for act in acts)}",
                speaker=_ident(match["name"], names, where),
                text=match["text"].strip(),
                follows=_FOLLOWS[match["pause"]],
            )
            acts.append(turn)
        elif (match := _ASIDE.match(line)) and turn is not None:
            acts.append(_aside(match, names, where, turn, sum(a.id.startswith(f"{turn.id}.") for a in acts)))
        else:
            raise InputError(
                f"{where}: {line.strip()[:60]!r} is neither `Name: text` nor `  Name > text @ landing words`"
            )
    return acts


def _aside(match: re.Match[str], names: list[str], where: str, turn: TurnAct, before: int) -> Act:
    fields: dict[str, Any] = {
        "id": f"{turn.id}.{before + 1}",
        "speaker": _ident(match["name"], names, where),
        "text": match["text"],
        "during": turn.id,
        "landing": match["landing"].strip(),
    }
    if match["mark"] == ">":
        return ClaimAct(**fields)
    return VocalisationAct(kind="backchannel" if match["mark"] == "+" else "laughter", **fields)


def _ident(name: str, names: list[str], where: str) -> str:
    if name not in names:
        raise InputError(f"{where}: {name!r} is not a speaker of the head ({', '.join(names)})")
    return f"s{names.index(name) + 1}"
