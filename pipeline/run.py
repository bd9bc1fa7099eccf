"""A whole corpus: plan, write, speak, mix, assemble; resumes where an earlier run was stopped."""

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline import __version__
from pipeline.card.writing import asked
from pipeline.conversation import Job, Outcome, make_conversation
from pipeline.errors import ConfigError, NoEventError, PipelineError
from pipeline.executors import Notify, executor_for
from pipeline.llm.account import Account
from pipeline.locks import locked
from pipeline.output.comparison import in_a_line
from pipeline.output.corpus import About, finish_corpus, finish_planned
from pipeline.output.files import remove
from pipeline.output.pairs import in_a_line as pairs_in_a_line
from pipeline.output.pairs import write_pairs
from pipeline.pairs.making import make_pair
from pipeline.pairs.members import MEMBERS, members_of
from pipeline.plan import plan
from pipeline.plan_reference import plan_reference
from pipeline.progress import Display, Note
from pipeline.ready import make_ready
from pipeline.records import ConversationSpec
from pipeline.request import check_folder, write_request
from pipeline.settings import Settings
from pipeline.shard import Shard
from pipeline.speech.cache import sweep_caches
from pipeline.speech.opening import open_backend
from pipeline.stages import STAGES, Stage, reaches
from pipeline.storage.depot import depot_of
from pipeline.storage.hold import held
from pipeline.stress.proofs import lines as proof_lines
from pipeline.workspace import Workspace, sweep, write_text
from pipeline.writers.topics import load_bank
from pipeline.writing import scripts

_MADE: Mapping[Stage, str] = {"script": "scripts", "orchestrate": "planned conversations"}
"""What a run ends with that goes on to neither sound nor folders."""

TRACE = "error.txt"
"""Where a fault of the program is written down, among the artefacts; it goes when the conversation is made."""
MOST_TRIED = 5
"""Conversations planned at most for each pair asked for, where many have no moment for one."""


@dataclass(frozen=True)
class Summary:
    """What became of a run."""

    root: Path | str
    outcomes: tuple[Outcome, ...]
    until: Stage = STAGES[-1]
    spent: str = ""
    """What this run asked of the language model, in a line; empty where it asked nothing."""
    compared: str = ""
    """How many figures of the corpus are within tolerance of their targets, in a line; empty where none was made."""
    pairs: str = ""
    """How many counterfactual pairs of each kind there are, in a line; empty for other corpora."""
    proofs: tuple[str, ...] = ()
    """What a stress corpus is to isolate and whether its figures prove it, in lines."""

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The conversations that could not be made."""
        return tuple(outcome for outcome in self.outcomes if outcome.error)

    def lines(self) -> Iterator[str]:
        """The summary as a person reads it."""
        good = [outcome for outcome in self.outcomes if not outcome.error]
        minutes = sum(outcome.audio_s for outcome in good) / 60
        made = sum(1 for outcome in good if outcome.made)
        kept = len(good) - made
        what = _MADE.get(self.until, "conversations")
        long = f", {minutes:.1f} min of audio" if reaches(self.until, "orchestrate") else ""
        yield f"{len(good)} {what}{long} in {self.root} ({made} made, {kept} as they were)"
        if self.spent:
            yield self.spent
        if self.compared:
            yield f"{self.compared} (see {self.root}/report/index.html)"
        if self.pairs:
            yield self.pairs
        yield from self.proofs
        unpaid = [outcome for outcome in self.failed if outcome.failed_in == "budget"]
        for outcome in self.failed:
            if outcome not in unpaid:
                yield f"failed: {outcome.ident}: {outcome.error}"
        if unpaid:
            yield f"not written: {_listed([outcome.ident for outcome in unpaid])}: {unpaid[-1].error}"
        if self.failed:
            yield f"{len(self.failed)} of {len(self.outcomes)} failed; the same command tries them again"

    def data(self) -> dict[str, Any]:
        """The summary as a script reads it."""
        return {
            "corpus": str(self.root),
            "until": self.until,
            "conversations": [outcome.model_dump(mode="json") for outcome in self.outcomes],
            "audio_s": round(sum(outcome.audio_s for outcome in self.outcomes), 3),
            "failed": [outcome.ident for outcome in self.failed],
            "told": [line for line in (self.spent, self.compared, self.pairs, *self.proofs) if line],
        }


def run(settings: Settings) -> Summary:
    """Make the corpus that `settings` ask for, or what is missing of it.

    Raises
    ------
    ConfigError, OutputError, InputError
        before anything is written, when the request cannot be met or the folder holds something else.

    """
    root = settings.root
    specs = planned(settings)
    chosen = shared_out(chosen_of(specs, settings.only), settings.shard)
    account = Account(settings.llm)
    if not settings.store:
        check_folder(root, settings)
    asked = conversations(chosen, settings)
    with Display(len(asked)) as display:
        make_ready(settings, asked, display.say)
        with _alone(settings, chosen) as hold:
            outcomes: list[Outcome] = []
            while chosen:
                written = scripts(chosen, settings, root, display, account)
                outcomes += _made(chosen, written, settings, display, hold)
                specs, chosen, outcomes = _in_their_place(specs, outcomes, settings, display)
                _bring(settings, chosen)
            stats = _finished(settings, conversations(specs, settings), outcomes, hold)
    spent = account.spent.line(settings.llm) if account.spent.requests else ""
    # A stress corpus is meant to be otherwise than the published one.
    met = in_a_line(stats["targets"]["verdicts"]) if stats.get("comparisons") and not settings.stress else ""
    proofs = tuple(proof_lines(stats["stress"])) if "stress" in stats else ()
    return Summary(settings.place, tuple(outcomes), settings.until, spent, met, stats.get("pairs", ""), proofs)


@contextmanager
def _alone(settings: Settings, specs: Sequence[ConversationSpec]) -> Iterator[str | None]:
    """Hold the corpus, clear what an earlier run was killed over, and have here what a store holds of `specs`.

    Yields the key of the lock in the store, if there is one.
    """
    root, depot = settings.root, depot_of(settings)
    idents = _idents(specs, settings)
    with locked(root, settings.shard):
        if depot is None:
            check_folder(root, settings)  # another run may have begun its corpus here before this one held it
        if settings.shard is None:  # what other shares are writing is not left over
            sweep(root)
        sweep_caches()
        if depot is None:
            yield None
            return
        with held(depot.store, root, settings.shard) as hold:
            depot.bring_request()
            check_folder(root, settings)
            depot.sweep(idents, alone=settings.shard is None)
            depot.bring(idents)
            yield hold


def _bring(settings: Settings, specs: Sequence[ConversationSpec]) -> None:
    """Have here what the corpus's store holds of `specs`, where it has one."""
    if specs and (depot := depot_of(settings)):
        depot.bring(_idents(specs, settings))


def _idents(specs: Sequence[ConversationSpec], settings: Settings) -> list[str]:
    """Those of the planned `specs`, whose scripts are written, and of what comes of them."""
    return list(dict.fromkeys(spec.id for spec in (*specs, *conversations(specs, settings))))


def planned(settings: Settings) -> list[ConversationSpec]:
    """The specs of all conversations of the request."""
    request, n, design, scenes = settings.request, settings.n, settings.design, settings.noise.scenes
    if settings.script.writer == "reference":
        if settings.tts.endpoint:
            raise ConfigError(
                "script=reference: its people speak with the shipped voices, which a speech endpoint has not; choose "
                "tts=onnx, tts=kokoro or another script="
            )
        return plan_reference(request, n, design, scenes, settings.script.path)
    return plan(request, n, design, settings.timing, scenes, load_bank(settings.script.topics), settings.tts.voices)


def conversations(specs: Sequence[ConversationSpec], settings: Settings) -> list[ConversationSpec]:
    """What comes of the planned `specs`: themselves, or both members of a pair each."""
    return [made for spec in specs for made in (members_of(spec) if settings.pairs.kind else (spec,))]


def _in_their_place(
    specs: list[ConversationSpec], outcomes: list[Outcome], settings: Settings, display: Display
) -> tuple[list[ConversationSpec], list[ConversationSpec], list[Outcome]]:
    """The next conversations of the plan for those whose scripts have no moment for a pair.

    Returns
    -------
    specs
        All that are planned now.
    more
        Those that are new.
    outcomes
        Without those that others were taken for.

    """
    without = [outcome.ident for outcome in outcomes if outcome.failed_in == "event"]
    if not without or settings.only is not None or settings.shard:
        return specs, [], outcomes
    n = len(specs) + len(without) // len(MEMBERS)
    if n > MOST_TRIED * settings.n:
        return specs, [], outcomes
    try:
        more = planned(settings.model_copy(update={"n": n}))[len(specs) :]
    except ConfigError as error:
        display.say(f"nothing can be taken in place of {_listed(without)}: {error}")
        return specs, [], outcomes
    display.say(f"{_listed([spec.id for spec in more])} in place of {_listed(without)}, which have no fitting moment")
    display.total += len(MEMBERS) * len(more)
    return [*specs, *more], more, [outcome for outcome in outcomes if outcome.ident not in without]


def _of_members(
    outcomes: Sequence[Outcome], specs: Sequence[ConversationSpec], settings: Settings
) -> Iterator[Outcome]:
    """The outcomes of scripts as those of the conversations that were to come of them."""
    planned_as = {spec.id: spec for spec in specs}
    for outcome in outcomes:
        for made in conversations([planned_as[outcome.ident]], settings):
            yield outcome.model_copy(update={"ident": made.id})


def _finished(
    settings: Settings, specs: Sequence[ConversationSpec], outcomes: Sequence[Outcome], hold: str | None
) -> dict[str, Any]:
    """Write what the corpus says of itself, and put it into its store."""
    depot = depot_of(settings, hold)
    if depot and settings.shard is None and specs:
        depot.bring([spec.id for spec in specs])  # some may have been made on other machines
    stats = _finish(settings, settings.root, specs, outcomes)
    if depot and stats:
        depot.send_corpus()
    return stats


def _finish(
    settings: Settings, root: Path, specs: Sequence[ConversationSpec], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """Write what the corpus says of itself; returns what `stats.json` holds, nothing where there are scripts alone."""
    if not reaches(settings.until, "orchestrate") or settings.shard:
        return {}
    missing = replace(_missing(specs, outcomes), stress=settings.stress)
    if settings.until == STAGES[-1]:
        about = replace(missing, **_made_from(settings))
        there = [spec.id for spec in specs if spec.id not in missing.failed]
        pairs = write_pairs(root, there) if settings.pairs.kind else None  # before the card, which states its sum
        stats = finish_corpus(root, about, only={spec.id for spec in specs})
        return stats if pairs is None else {**stats, "pairs": pairs_in_a_line(pairs)}
    timeline = "rendered.json" if reaches(settings.until, "render") else "timeline.json"
    return finish_planned(root, specs, missing, timeline)


def _missing(specs: Sequence[ConversationSpec], outcomes: Sequence[Outcome]) -> About:
    """What failed this time."""
    unwritten = {outcome.ident for outcome in outcomes if outcome.failed_in == "script"}
    return About(
        failed={outcome.ident: outcome.error for outcome in outcomes if outcome.error},
        unwritten=[spec for spec in specs if spec.id in unwritten],
    )


def _made_from(settings: Settings) -> dict[str, Any]:
    """What the card of the corpus tells beside the figures."""
    return {
        "request": asked(settings.model_dump(mode="json"), settings.script.writer, settings.noise.kind),
        "software": {"turnfloor": __version__, "voice": open_backend(settings.tts).identity()},
    }


def _listed(idents: Sequence[str], most: int = 5) -> str:
    """The first of many ids, and how many there are more."""
    more = len(idents) - most
    return ", ".join(idents[:most]) + (f" and {more} more" if more > 0 else "")


def chosen_of(specs: Sequence[ConversationSpec], only: str | None) -> list[ConversationSpec]:
    """All conversations, or those whose ids `only` lists."""
    if only is None:
        return list(specs)
    wanted = [ident.strip() for ident in only.split(",")]
    known = {spec.id for spec in specs}
    for ident in wanted:
        if ident not in known:
            raise ConfigError(f"only={ident!r}: the corpus has {specs[0].id} to {specs[-1].id}; name one of them")
    return [spec for spec in specs if spec.id in wanted]


def shared_out(specs: Sequence[ConversationSpec], shard: Shard | None) -> list[ConversationSpec]:
    """The conversations of one share of the corpus; all of them where there is none."""
    return [spec for spec in specs if shard is None or shard.holds(spec.id)]


def _made(
    specs: Sequence[ConversationSpec],
    written: Iterable[Outcome],
    settings: Settings,
    display: Display,
    hold: str | None,
) -> list[Outcome]:
    """Stages 2 to 5 of every conversation that gets a script, while others are written."""
    planned_as = {spec.id: spec for spec in specs}
    new: dict[str, bool] = {}
    unwritten: list[Outcome] = []

    def jobs() -> Iterator[Job]:
        for outcome in written:
            if outcome.error:
                unwritten.append(outcome)
                continue
            if not new:
                _keep_request(settings, hold)
            new[outcome.ident] = bool(outcome.made)
            if depot := depot_of(settings, hold):
                depot.send([outcome.ident])
            yield Job(planned_as[outcome.ident], settings, settings.root, hold)

    planned_further = reaches(settings.until, "orchestrate")
    if planned_further:
        executor = executor_for(settings.executor, settings.workers, len(specs))
        spoken = {one.ident: one for together in executor.map(_guarded, jobs(), display.show) for one in together}
    else:
        spoken = {job.spec.id: Outcome(ident=job.spec.id) for job in jobs()}
    if not new:
        _keep_request(settings, hold)
    found = list(_of_members(unwritten, specs, settings))
    for spec in specs:
        if spec.id in new:
            idents = [one.id for one in conversations([spec], settings)] if planned_further else [spec.id]
            marks = ("script",) * new[spec.id]
            found += [spoken[ident].model_copy(update={"made": marks + spoken[ident].made}) for ident in idents]
    return found


def _keep_request(settings: Settings, hold: str | None) -> None:
    if settings.shard and not settings.store:
        check_folder(settings.root, settings)  # a share of another corpus may have begun at the same time
    write_request(settings.root, settings)
    if depot := depot_of(settings, hold):
        depot.send_request()


def _guarded(job: Job, notify: Notify) -> tuple[Outcome, ...]:
    """Make one conversation, or a pair; its failure is an outcome, so that it does not stop the others."""
    idents = [made.id for made in conversations([job.spec], job.settings)]
    depot = depot_of(job.settings, job.hold)
    if depot:  # this may be another machine
        job = replace(job, root=depot.root)
    begun: list[Any] = [None]

    def told(note: Note) -> None:
        begun.append(note.stage)
        notify(note)

    try:
        if depot:
            depot.bring(_idents([job.spec], job.settings))
        outcomes = make_pair(job, told) if job.settings.pairs.kind else (make_conversation(job, told),)
        if depot:
            depot.send(idents)
        remove(Workspace(job.root, job.spec.id).path(TRACE))
    except PipelineError as error:
        where = "event" if isinstance(error, NoEventError) else begun[-1]
        outcomes = tuple(Outcome(ident=ident, error=str(error), failed_in=where) for ident in idents)
    except Exception as error:
        place = Workspace(job.root, job.spec.id).path(TRACE)
        write_text(place, traceback.format_exc())
        said = f"{type(error).__name__}: {error} (a fault of the program; see {place})"
        outcomes = tuple(Outcome(ident=ident, error=said, failed_in=begun[-1]) for ident in idents)
    for outcome in outcomes:
        notify(Note(outcome.ident, "failed" if outcome.error else "done", outcome.audio_s, outcome.error or ""))
    return outcomes
