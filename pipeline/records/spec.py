"""What one conversation shall be: fixed before a word is written."""

from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from pipeline.records.base import Record

InteractionType = Literal["argumentative", "casual", "collaborative", "instructional", "narrative", "task_oriented"]
TYPES: tuple[InteractionType, ...] = get_args(InteractionType)
Split = Literal["dev", "test"]
Ident = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=64)]
"""An identifier that is safe as a file name, too."""


Member = Literal["a", "b"]
"""Of a counterfactual pair."""
Relation = Literal[
    "friends", "family", "couple", "housemates", "neighbours", "colleagues", "classmates", "teacher and pupils",
    "club members", "team mates", "strangers", "professional and clients",
]  # fmt: skip
"""What the people of a conversation are to each other."""


class Language(Record):
    """What is spoken, with what kind of voice, through which phonemiser."""

    spec: str = "en"
    voice: str = "en-US"
    phonemiser: str = "misaki-en-us"


class Position(Record):
    """Place of a mouth or microphone in a room [m]."""

    x: float
    y: float
    z: float = 1.2


class Speaker(Record):
    """One participant; `channel` is where it is recorded, which need not be one a speaker."""

    id: Ident
    name: str = Field(pattern=r"^[A-Z][a-z]+$")
    voice: str
    gender: Literal["F", "M"]
    style: str = ""
    persona: str = ""
    stance: str = ""
    """The part this speaker plays in the topic: its key in the topic bank, such as `pro` or `teller`."""
    role: Literal["human", "agent"] = "human"
    language: Language = Language()
    channel: int = Field(ge=0)
    position: Position | None = None


class Amounts(Record):
    """What the script is asked for."""

    floor_turns: int = Field(ge=1)
    floor_claims: int = Field(ge=0)
    backchannels: int = Field(ge=0)
    laughs: int = Field(ge=0)
    words: int = Field(ge=1)
    """Words that fit the target duration."""


class Dithers(Record):
    """Low-discrepancy values in [0, 1) that round this conversation's quotas (see `pipeline.seeds.dither`)."""

    claims_won: float
    holds: float
    contested: float


class Membership(Record):
    """Which member of which counterfactual pair a conversation is."""

    id: Ident
    member: Member


class ConversationSpec(Record):
    """Conversation `index` of a corpus; it depends on (corpus seed, index), never on how many there are."""

    schema_version: Literal[1] = 1
    id: Ident
    index: int = Field(ge=0)
    corpus_seed: int = Field(ge=0)
    type: InteractionType
    split: Split
    domain: str
    tone: str
    topic: str
    """Key of the topic in the bank: domain file and place within it, or the user's own words."""
    title: str
    setting: str
    relation: str = ""
    """What the speakers are to each other: one of `Relation` in the shipped material, any words in a user's."""
    target_s: float = Field(gt=0)
    speakers: tuple[Speaker, ...] = Field(min_length=2, max_length=8)
    scene: str
    amounts: Amounts
    dithers: Dithers
    pair: Membership | None = None

    @property
    def entity(self) -> str:
        """What its random draws belong to: the pair, alike for both members, or the conversation itself."""
        return self.pair.id if self.pair else self.id

    @model_validator(mode="after")
    def _distinct(self) -> "ConversationSpec":
        for what in ("id", "name", "voice"):
            values = [getattr(speaker, what) for speaker in self.speakers]
            if len(set(values)) < len(values):
                raise ValueError(f"two speakers share a {what}: {values}")
        return self

    def speaker(self, ident: str) -> Speaker:
        """The speaker with this id; KeyError when there is none."""
        for speaker in self.speakers:
            if speaker.id == ident:
                return speaker
        raise KeyError(ident)
