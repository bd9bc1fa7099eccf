"""What all writers share: the protocol, what they are given, and how they fail."""

from dataclasses import dataclass
from typing import Protocol

from pipeline.errors import ScriptError
from pipeline.llm.session import Session
from pipeline.records import ConversationSpec, Script, WritingReport
from pipeline.writers.case import Violation
from pipeline.writers.settings import ScriptSettings


@dataclass(frozen=True)
class Context:
    """What a writer has beside the spec."""

    settings: ScriptSettings
    session: Session | None = None
    """A language model for this conversation; None for writers that need none."""
    fresh: int = 0
    """How often a model has begun this conversation anew; each time its seeds are others."""

    @property
    def draw(self) -> tuple[str, ...]:
        """What the seeds of this try are called, beside their purpose."""
        return (f"fresh {self.fresh}",) if self.fresh else ()

    def model(self, writer: str) -> Session:
        """The language model; ScriptError where `writer` was given none."""
        if self.session is None:
            raise ScriptError(f"writer {writer!r} needs a language model: choose one with llm=embedded or llm=openai")
        return self.session


class Writer(Protocol):
    """Writes the script of one conversation."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """A script that breaks no rule.

        Raises
        ------
        ScriptError
            when none was had within the attempts allowed; it carries the last violations.
        EndpointError
            when the language model cannot be used.
        BudgetError
            when the run may ask it no more.

        """


class InvalidScriptError(ScriptError):
    """No valid script: says how many rules are broken and how, and keeps them all."""

    def __init__(self, spec: ConversationSpec, how: str, found: list[Violation]) -> None:
        listed = "; ".join(map(str, found[:3]))
        more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
        super().__init__(f"conversation {spec.id}: {how}: {listed}{more}")
        self.violations = tuple(found)


def writing_report(ctx: Context, *, attempts: int = 1, repairs: int, authored: int = 0) -> WritingReport:
    """How a script came about, with what it cost."""
    session = ctx.session
    replies = [exchange.reply for exchange in (session.exchanges if session else ())]
    return WritingReport(
        first_time_valid=not repairs and not ctx.fresh,
        attempts=attempts,
        repairs=repairs,
        fresh_tries=ctx.fresh,
        authored=authored,
        requests=len(replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        completion_tokens=sum(reply.completion_tokens for reply in replies),
    )
