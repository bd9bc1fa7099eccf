"""A script beside what was asked for, and how its faults are told."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pipeline.records import Act, ConversationSpec, Record, Script, TurnAct, VocalisationAct
from pipeline.records.script import LAUGHTER
from pipeline.writers.settings import ScriptSettings


class Violation(Record):
    """One breach of a rule: where, what was found, what is allowed."""

    rule: str
    path: str
    """Place in the script, such as ``acts.3.text``."""
    act: str = ""
    """Id of the act; empty: the script as a whole."""
    found: str
    allowed: str

    def __str__(self) -> str:
        """The breach on one line, as a repair message lists it."""
        act = f" (act {self.act})" if self.act else ""
        return f"{self.path}{act}: {self.rule}: found {self.found}; allowed: {self.allowed}"


@dataclass(frozen=True)
class Case:
    """A script beside what was asked for."""

    script: Script
    spec: ConversationSpec
    settings: ScriptSettings

    @cached_property
    def placed(self) -> tuple[tuple[str, Act], ...]:
        """Each act with its path."""
        return tuple((f"acts.{i}", act) for i, act in enumerate(self.script.acts))

    @cached_property
    def turns(self) -> dict[str, TurnAct]:
        """The turns by id."""
        return {turn.id: turn for turn in self.script.turns}

    def spoken(self) -> Iterator[tuple[str, Act]]:
        """Every act that is spoken, of a laugh the words that follow it, with its path."""
        for path, act in self.placed:
            if not (isinstance(act, VocalisationAct) and act.kind == "laughter"):
                yield path, act
            elif after := act.text.removeprefix(LAUGHTER).strip():
                yield path, act.model_copy(update={"text": after})


def breach(rule: str, path: str, act: Act, found: str, allowed: str) -> Violation:
    """A violation in one act."""
    return Violation(rule=rule, path=path, act=act.id, found=found, allowed=allowed)


def shown(text: str, limit: int = 60) -> str:
    """A text as a message quotes it: no longer than `limit` characters."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
