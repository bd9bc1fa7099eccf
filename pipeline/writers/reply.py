"""A model's whole script: the schema it is asked to keep, and its reply read with every fault named."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import json_repair
from pydantic import TypeAdapter, ValidationError

from pipeline.records import Act, ClaimAct, ConversationSpec, TurnAct, VocalisationAct
from pipeline.records.base import first_fault
from pipeline.writers.case import Violation

_Kind = type[TurnAct] | type[ClaimAct] | type[VocalisationAct]
KINDS: dict[str, _Kind] = {"turn": TurnAct, "claim": ClaimAct, "vocalisation": VocalisationAct}
NOT_ASKED = frozenset({"author", "addressing"})
"""Fields of the records that code fills in."""
_PLAIN = frozenset({"title", "description", "default", "pattern", "minLength", "maxLength", "format"})
"""Keywords that not every server's schema dialect knows; the records check them all the same."""
_ACT: TypeAdapter[Act] = TypeAdapter(Act)
LARGEST = 400_000
"""Characters of a reply that are read."""


def reply_schema(spec: ConversationSpec) -> dict[str, Any]:
    """JSON schema of a whole script by the speakers of `spec`, made from the records of the acts."""
    speakers = [speaker.id for speaker in spec.speakers]
    variants = [_variant(kind, record, speakers) for kind, record in KINDS.items()]
    return {
        "type": "object",
        "properties": {"acts": {"type": "array", "items": {"anyOf": variants}}},
        "required": ["acts"],
        "additionalProperties": False,
    }


def _variant(kind: str, record: _Kind, speakers: list[str]) -> dict[str, Any]:
    fields = record.model_json_schema()["properties"]
    properties = {"act": {"type": "string", "enum": [kind]}}
    properties |= {name: _plain(field) for name, field in fields.items() if name not in {"act", *NOT_ASKED}}
    properties["speaker"] = {"type": "string", "enum": speakers}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _plain(field: Any) -> Any:
    if isinstance(field, dict):
        return {name: _plain(value) for name, value in field.items() if name not in _PLAIN}
    return [_plain(one) for one in field] if isinstance(field, list) else field


@dataclass(frozen=True)
class Proposal:
    """A script as a model proposes it, act by act."""

    raw: tuple[dict[str, Any], ...] = ()
    """The acts as they were replied."""
    read: tuple[Act | Violation, ...] = ()
    """Each of them as an act, or what keeps it from being one."""
    shape: tuple[Violation, ...] = ()
    """Why there is no act at all."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """The acts that could be read."""
        return tuple(one for one in self.read if not isinstance(one, Violation))

    @property
    def faults(self) -> list[Violation]:
        """What could not be read."""
        return [*self.shape, *(one for one in self.read if isinstance(one, Violation))]

    def patched(self, places: Sequence[int], by: "Proposal", spec: ConversationSpec) -> "Proposal":
        """The proposal with the acts at `places` taken from `by`: in order where it has as many, else by their ids."""
        raw = list(self.raw)
        named = {str(act.get("id")): act for act in by.raw}
        for i, place in enumerate(places):
            raw[place] = by.raw[i] if len(by.raw) == len(places) else named.get(str(raw[place].get("id")), raw[place])
        return proposal(raw, spec)


def proposal(raw: Sequence[dict[str, Any]], spec: ConversationSpec) -> Proposal:
    """Raw acts, read."""
    return Proposal(tuple(raw), tuple(_act(act, f"acts.{place}", spec) for place, act in enumerate(raw)))


def read_reply(text: str, spec: ConversationSpec) -> Proposal:
    """The script in a reply; mended JSON is taken where it can be."""
    found = _listed(_data(text[:LARGEST]))
    if found is None:
        said = repr(" ".join(text.split())[:60])
        fault = Violation(rule="reply_shape", path="reply", found=said, allowed='one JSON object {"acts": [...]}')
        return Proposal(shape=(fault,))
    return proposal(found, spec)


def _data(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError, IndexError):
        return None


def _listed(data: object) -> list[dict[str, Any]] | None:
    """The list of acts in what a reply holds: bare, under `acts`, or one level below."""
    if isinstance(data, list) and any(isinstance(one, dict) and "acts" in one for one in data):
        # Prose around the object makes a list of the pieces.
        data = next(one for one in data if isinstance(one, dict) and "acts" in one)
    if isinstance(data, dict) and "acts" not in data and len(data) == 1:
        data = next(iter(data.values()))
    if isinstance(data, dict):
        data = data.get("acts")
    return data if isinstance(data, list) and all(isinstance(one, dict) for one in data) and data else None


def _act(fields: dict[str, Any], path: str, spec: ConversationSpec) -> Act | Violation:
    """One act, or what is wrong with it; fields that no act has are dropped, who wrote it is known."""
    kind = fields.get("act")
    ident = str(fields.get("id", ""))[:40]
    if not isinstance(kind, str) or kind not in KINDS:
        return Violation(
            rule="allowed_acts", path=f"{path}.act", act=ident, found=repr(kind)[:60], allowed=", ".join(KINDS)
        )
    known = KINDS[kind].model_fields.keys() - NOT_ASKED
    kept = {name: _tidy(value) for name, value in fields.items() if name in known}
    kept |= {name: _ident(kept[name], spec) for name in ("speaker", "addressee") if name in kept}
    try:
        act = _ACT.validate_python({**kept, "author": "model"})
    except ValidationError as error:
        place, _, fault = first_fault(error).partition(": ")
        field = place.rpartition(".")[2]
        return Violation(
            rule="act_fields", path=f"{path}.{field}", act=ident, found=fault[:160], allowed=_kinds_fields(kind)
        )
    return _addressed(act, spec)


def _kinds_fields(kind: str) -> str:
    names = [name for name in KINDS[kind].model_fields if name not in NOT_ASKED]
    return f"a {kind} with the fields {', '.join(names)}"


def _tidy(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


def _ident(value: object, spec: ConversationSpec) -> object:
    """A speaker's id where the reply gives the name."""
    names = {speaker.name.casefold(): speaker.id for speaker in spec.speakers}
    return names.get(value.casefold(), value) if isinstance(value, str) else value


def _addressed(act: Act, spec: ConversationSpec) -> Act:
    """A turn with an addressee, and whether the text names them; one meant for its own speaker is for everybody."""
    if not isinstance(act, TurnAct):
        return act
    names = {speaker.id: speaker.name for speaker in spec.speakers if speaker.id != act.speaker}
    name = names.get(act.addressee or "")
    if name is None:
        return act.model_copy(update={"addressee": None})
    return act.model_copy(update={"addressing": "explicit" if name in act.text else "implicit"})
