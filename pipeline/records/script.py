"""What the writer proposes: symbolic acts, never a time and never an outcome."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.records.base import Record
from pipeline.records.spec import Ident

Author = Literal["model", "authored", "lexicon", "template", "user"]
"""Who wrote the words: the language model, the topic bank, the backchannel lexicon, no one, the user."""
Follows = Literal["latched", "after_pause", "long_pause"]


LAUGHTER = "(laughs)"
"""How the text of a laughter act begins: a marker that is never read aloud; words may follow it."""


class _Act(Record):
    id: Ident
    speaker: Ident
    text: str = Field(min_length=1, max_length=2000)
    author: Author = "model"


class TurnAct(_Act):
    """Speech meant to hold the floor; `follows` says how it comes after the turn before."""

    act: Literal["turn"] = "turn"
    follows: Follows = "latched"
    addressee: Ident | None = None
    """Whom the turn is meant for; None: everybody."""
    addressing: Literal["explicit", "implicit", "none"] = "none"
    """Explicit: by name; implicit: by content or gaze alone."""


class ClaimAct(_Act):
    """An attempt on the floor during turn `during`, set in when its words `landing` have been heard."""

    act: Literal["claim"] = "claim"
    during: Ident
    landing: str = Field(min_length=1)


class VocalisationAct(_Act):
    """A listener's sound that asks for nothing: a backchannel (at most three words) or laughter."""

    act: Literal["vocalisation"] = "vocalisation"
    kind: Literal["backchannel", "laughter"]
    during: Ident
    landing: str = Field(min_length=1)


Act = Annotated[TurnAct | ClaimAct | VocalisationAct, Field(discriminator="act")]


class WritingReport(Record):
    """How the script came about."""

    first_time_valid: bool
    attempts: int = Field(ge=1)
    repairs: int = Field(ge=0)
    """Replies asked for again because of violations, over the whole script."""
    fresh_tries: int = Field(ge=0, default=0)
    """Times that the model began anew with another seed."""
    authored: int = Field(ge=0, default=0)
    """Lines that fell back to the authored point."""
    requests: int = Field(ge=0, default=0)
    prompt_tokens: int = Field(ge=0, default=0)
    completion_tokens: int = Field(ge=0, default=0)


class Script(Record):
    """One conversation as acts in order; a claim or vocalisation stands after the turn it lands in."""

    schema_version: Literal[1] = 1
    conversation_id: Ident
    writer: str
    acts: tuple[Act, ...]
    report: WritingReport = WritingReport(first_time_valid=True, attempts=1, repairs=0)

    @property
    def turns(self) -> tuple[TurnAct, ...]:
        """The acts that hold the floor, in order."""
        return tuple(act for act in self.acts if isinstance(act, TurnAct))

    def landing_in(self, turn_id: str) -> tuple[ClaimAct | VocalisationAct, ...]:
        """The claims and vocalisations that land in turn `turn_id`, in order."""
        return tuple(a for a in self.acts if not isinstance(a, TurnAct) and a.during == turn_id)
