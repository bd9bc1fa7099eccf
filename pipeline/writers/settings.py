"""Settings of stage 1."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from pipeline.records import Record

WriterName = Literal["lines", "whole", "replay", "file", "reference", "template"]


class FollowsMix(Record):
    """Shares of the ways a turn follows the one before, where code decides (`yield_gap_mix` in Table 17, inferred)."""

    latched: float = Field(ge=0, default=0.69)
    """Share of the turns that follow at once."""
    after_pause: float = Field(ge=0, default=0.30)
    """Share of those that follow after a pause."""
    long_pause: float = Field(ge=0, default=0.01)
    """Share of those that follow after a long one."""


class LinesSettings(Record):
    """Of the writer that voices one line at a time."""

    candidates: int = Field(ge=1, default=3)
    """Lines asked for of which the best is taken."""
    good_enough: float = 1.2
    """Score from which on no further candidate is asked for; above 2 all are always asked for."""
    repair_rounds: int = Field(ge=0, default=2)
    """Times a line is asked for again with what was wrong, before the authored line is spoken."""
    temperature: float = Field(ge=0, default=0.7)
    """Of the sampling of a line."""
    top_p: float = Field(gt=0, le=1, default=0.95)
    """Of the sampling of a line."""
    openers_kept: float = Field(ge=0, le=1, default=0.4)
    """Share of the lines begun with an opener of the code's that keep it."""
    voiced_claims: float = Field(ge=0, le=1, default=0.4)
    """Share of the claims that the model words itself instead of speaking the bank's cut-in."""


class WholeSettings(Record):
    """Of the writer that asks for a whole script in one reply."""

    attempts: int = Field(ge=1, default=4)
    """Whole scripts asked for, each with what is wrong with the one before."""
    act_rounds: int = Field(ge=0, default=2)
    """Times that the failing acts alone are asked for after that."""
    listed_violations: int = Field(ge=1, default=8)
    """Most faults that a repair message lists."""
    temperature: float | None = 0.9
    """None: not sent, for models that refuse it."""
    reply_tokens: int = Field(ge=64, default=6000)
    """Most tokens of a whole script."""
    more_room: float = Field(gt=1, default=2.0)
    """Factor on `reply_tokens` for the one time more room is asked for after a cut reply."""


class TemplateSettings(Record):
    """Of the writer without a model."""

    claim_words: tuple[int, int] | None = None
    """Fewest and most words of a claim; None: at most eight, most of them three to six."""
    claimants: int = Field(ge=1, default=1)
    """Listeners who claim the floor at once, after the same word."""
    questions: float = Field(ge=0, le=1, default=0.0)
    """Share of the turns, the longest ones, whose speaker asks something first and goes on."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.claim_words and not 0 < self.claim_words[0] <= self.claim_words[1]:
            raise ValueError(f"claim_words {list(self.claim_words)} needs two positive numbers in order")
        return self


class ScriptSettings(Record):
    """Of stage 1: which writer, what a valid script is, how often it is mended."""

    writer: WriterName = "lines"
    """Who writes; one of `script=`."""
    path: Path | None = None
    """For `file`: a script or a folder of them by conversation id; for `replay`: an exchange or a corpus."""
    topics: Path | None = None
    """Folder of a topic bank of your own; None: the shipped one."""
    min_backchannel_words: int = Field(ge=1, default=1)
    """Words that a backchannel of the lexicon has at least: several of its sounds are said in one."""
    max_backchannel_words: int = Field(ge=1, default=3)
    """Words that a backchannel has at most."""
    stacked: float | None = Field(ge=0, le=1, default=None)
    """Share of the lexicon's backchannels and laughs that join another listener's; None: as its type has it."""
    count_tolerance: float = Field(ge=0, default=0.25)
    """Turns, claims, backchannels and laughs may differ from the request by this share, but always by one."""
    word_tolerance: float = Field(ge=0, default=0.25)
    """The words may differ from the request by this share, but always by twenty."""
    fresh_tries: int = Field(ge=0, default=1)
    """Times that a model begins anew, with another seed, before a conversation counts as failed."""
    allow_profanity: bool = False
    """Whether coarse words may be said."""
    allow_repeats: bool = False
    """Whether a line may be said twice (stress corpora with fixed wording)."""
    follows: FollowsMix = FollowsMix()
    lines: LinesSettings = LinesSettings()
    whole: WholeSettings = WholeSettings()
    template: TemplateSettings = TemplateSettings()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.min_backchannel_words > self.max_backchannel_words:
            raise ValueError(
                f"min_backchannel_words={self.min_backchannel_words} is more than "
                f"max_backchannel_words={self.max_backchannel_words}; raise the latter, too"
            )
        return self

    @property
    def needs_model(self) -> bool:
        """Whether the writer asks a language model."""
        return self.writer in ("lines", "whole")
