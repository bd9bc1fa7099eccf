"""The estimate of a request: what is still to be made of it, and each figure with the assumption it rests on."""

from collections.abc import Iterator, Sequence

from pipeline.estimate.figures import Figure, figures_of
from pipeline.estimate.known import ratios
from pipeline.estimate.need import Need, need_of
from pipeline.records import ConversationSpec, Record
from pipeline.request import check_folder
from pipeline.run import chosen_of, conversations, planned
from pipeline.settings import Settings
from pipeline.workspace import Workspace
from pipeline.writing import is_written


class Estimate(Record):
    """What is still to be made of a request, and what that takes."""

    folder: str
    conversations: int
    """Asked for."""
    written: int
    """Those whose scripts stand there already and are not asked for again."""
    made: int
    """Those that stand there already as far as the run goes."""
    figures: dict[str, Figure]
    """By name."""
    notes: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The estimate as a person reads it."""
        there = f" ({self.written} scripts and {self.made} conversations are there)" if self.written else ""
        yield f"{self.folder}: {self.conversations} conversations{there}; still to be made, about:"
        for name, figure in self.figures.items():
            yield f"  {name:<21}{figure.shown():>14}   {figure.basis}{figure.scaled()}"
        yield from self.notes


def estimate(settings: Settings) -> Estimate:
    """What a request would take; nothing is started and nothing written.

    Raises
    ------
    ConfigError, OutputError, InputError
        when the request cannot be met, as a run of it would find.

    """
    specs = chosen_of(planned(settings), settings.only)
    check_folder(settings.root, settings)
    unmade = [spec for spec in specs if not _is_made(spec, settings)]
    # What no model writes is written again with every run, and costs nothing.
    asks = settings.script.needs_model
    unwritten = [spec for spec in specs if not is_written(spec, settings, settings.root)] if asks else unmade
    known = ratios(specs, settings)
    writing, speaking = (_total(some, settings).times(known) for some in (unwritten, unmade))
    return Estimate(
        folder=str(settings.place),
        conversations=len(specs),
        written=len(specs) - len(unwritten),
        made=len(specs) - len(unmade),
        figures=figures_of(settings, writing, speaking, len(unmade), known),
        notes=tuple(_notes(settings, writing)),
    )


def _is_made(spec: ConversationSpec, settings: Settings) -> bool:
    """Whether the last stage asked for is done, from a script that is kept; later settings may still repeat stages."""
    asked = conversations([spec], settings) if settings.until != "script" else [spec]
    done = all(Workspace(settings.root, one.id).path(f"{settings.until}.done.json").exists() for one in asked)
    return done and (not settings.script.needs_model or is_written(spec, settings, settings.root))


def _total(specs: Sequence[ConversationSpec], settings: Settings) -> Need:
    return sum((need_of(spec, settings) for spec in specs), Need())


def _notes(settings: Settings, writing: Need) -> Iterator[str]:
    """Which budgets would end the run, and what the figures leave out."""
    if settings.pairs.kind:
        yield (
            "a counterfactual pair has two conversations: twice the audio and the disk of the script's one, "
            "in little more time, since both share their syntheses"
        )
    taken = {"budget_requests": writing.requests, "budget_tokens": writing.prompt_tokens + writing.completion_tokens}
    for name, value in taken.items():
        budget = getattr(settings.llm, name)
        if budget is not None and value > budget:
            yield f"llm.{name}={budget} would be spent after about {100 * budget / value:.0f} % of it"
