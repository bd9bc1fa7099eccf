"""A whole corpus: plan, write, speak, mix, assemble; resumes where an earlier run was stopped."""

import shutil
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline import __version__
from pipeline.conversation import Job, Outcome, make_conversation
from pipeline.errors import ConfigError, OutputError, PipelineError
from pipeline.executor import Notify, executor_for
from pipeline.llm.account import Account
from pipeline.notices import notices
from pipeline.output.comparison import in_a_line
from pipeline.output.corpus import About, finish_corpus, finish_planned
from pipeline.plan import plan
from pipeline.plan_reference import plan_reference
from pipeline.progress import Display, Note
from pipeline.ready import make_ready
from pipeline.records import ConversationSpec
from pipeline.request import SAME, check_folder, write_request
from pipeline.settings import Settings
from pipeline.speech.opening import open_backend
from pipeline.stages import STAGES, Stage, reaches
from pipeline.stress.proofs import lines as proof_lines
from pipeline.workspace import Workspace, sweep, write_text
from pipeline.writers.topics import load_bank
from pipeline.writing import write_scripts

_MADE: Mapping[Stage, str] = {"script": "scripts", "orchestrate": "planned conversations"}
"""What a run ends with that goes on to neither sound nor folders."""


@dataclass(frozen=True)
class Summary:
    """What became of a run."""

    root: Path
    outcomes: tuple[Outcome, ...]
    until: Stage = STAGES[-1]
    spent: str = ""
    """What this run asked of the language model, in a line; empty where it asked nothing."""
    compared: str = ""
    """How many figures of the corpus are within tolerance of their targets, in a line; empty where none was made."""
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
            yield f"{self.compared} (see {self.root / 'report' / 'index.html'})"
        yield from self.proofs
        unpaid = [outcome for outcome in self.failed if outcome.failed_in == "budget"]
        for outcome in self.failed:
            if outcome not in unpaid:
                yield f"failed: {outcome.ident}: {outcome.error}"
        if unpaid:
            yield f"not written: {_listed([outcome.ident for outcome in unpaid])}: {unpaid[-1].error}"
        if self.failed:
            yield f"{len(self.failed)} of {len(self.outcomes)} failed; the same command tries them again"


def run(settings: Settings) -> Summary:
    """Make the corpus that `settings` ask for, or what is missing of it.

    Raises
    ------
    ConfigError, OutputError, InputError
        before anything is written, when the request cannot be met or the folder holds something else.

    """
    root = settings.root
    specs = planned(settings)
    chosen = chosen_of(specs, settings.only)
    account = Account(settings.llm)
    check_folder(root, settings)
    with Display(len(chosen)) as display:
        make_ready(settings, chosen, display.say)
        with _locked(root):
            sweep(root)
            written, unwritten = write_scripts(chosen, settings, root, display, account)
            write_request(root, settings)
            outcomes = [*unwritten, *_speak(chosen, written, settings, display)]
            stats = _finish(settings, root, specs, outcomes)
    spent = account.spent.line(settings.llm) if account.spent.requests else ""
    # A stress corpus is meant to be otherwise than the published one.
    met = in_a_line(stats["targets"]["verdicts"]) if stats.get("comparisons") and not settings.stress else ""
    proofs = tuple(proof_lines(stats["stress"])) if "stress" in stats else ()
    return Summary(root, tuple(outcomes), settings.until, spent, met, proofs)


def planned(settings: Settings) -> list[ConversationSpec]:
    """The specs of all conversations of the request."""
    request, n, design, scenes = settings.request, settings.n, settings.design, settings.noise.scenes
    if settings.script.writer == "reference":
        return plan_reference(request, n, design, scenes, settings.script.path)
    return plan(request, n, design, settings.timing, scenes, load_bank(settings.script.topics))


def _finish(
    settings: Settings, root: Path, specs: Sequence[ConversationSpec], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """Write what the corpus says of itself; returns what `stats.json` holds, nothing where there are scripts alone."""
    if not reaches(settings.until, "orchestrate"):
        return {}
    missing = replace(_missing(specs, outcomes), stress=settings.stress)
    if settings.until == STAGES[-1]:
        about = replace(missing, **_made_from(settings, root, specs))
        return finish_corpus(root, about, only={spec.id for spec in specs})
    timeline = "rendered.json" if reaches(settings.until, "render") else "timeline.json"
    return finish_planned(root, specs, missing, timeline)


def _missing(specs: Sequence[ConversationSpec], outcomes: Sequence[Outcome]) -> About:
    """What failed this time."""
    unwritten = {outcome.ident for outcome in outcomes if outcome.failed_in == "script"}
    return About(
        failed={outcome.ident: outcome.error for outcome in outcomes if outcome.error},
        unwritten=[spec for spec in specs if spec.id in unwritten],
    )


def _made_from(settings: Settings, root: Path, specs: Sequence[ConversationSpec]) -> dict[str, Any]:
    """What the corpus readme tells beside the figures."""
    request = settings.model_dump(mode="json", include={"n", *SAME}, exclude_none=True)
    return {
        "request": {**request, "script": settings.script.writer, "noise": settings.noise.kind},
        "software": {"turnfloor": __version__, "voice": open_backend(settings.tts).identity()},
        "notices": notices(root, [spec.id for spec in specs], settings),
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


def _speak(
    specs: Sequence[ConversationSpec], written: Mapping[str, bool], settings: Settings, display: Display
) -> list[Outcome]:
    """Stages 2 to 5 of every conversation that has a script; `written`: whether its script is new."""
    if not reaches(settings.until, "orchestrate"):
        return [Outcome(ident=ident, made=("script",) * new) for ident, new in written.items()]
    jobs = [Job(spec, settings, settings.root) for spec in specs if spec.id in written]
    if not jobs:
        return []
    workers = max(1, min(settings.processes, len(jobs)))
    outcomes = {
        outcome.ident: outcome.model_copy(update={"made": ("script",) * written[outcome.ident] + outcome.made})
        for outcome in executor_for(workers).map(_guarded, jobs, display.show)
    }
    return [outcomes[job.spec.id] for job in jobs]


def _guarded(job: Job, notify: Notify) -> Outcome:
    """Make one conversation; its failure is an outcome, so that it does not stop the others."""
    ident = job.spec.id
    begun: list[Any] = [None]

    def told(note: Note) -> None:
        begun.append(note.stage)
        notify(note)

    try:
        outcome = make_conversation(job, told)
    except PipelineError as error:
        outcome = Outcome(ident=ident, error=str(error), failed_in=begun[-1])
    except Exception as error:
        place = Workspace(job.root, ident).path("error.txt")
        write_text(place, traceback.format_exc())
        said = f"{type(error).__name__}: {error} (a fault of the program; see {place})"
        outcome = Outcome(ident=ident, error=said, failed_in=begun[-1])
    notify(Note(ident, "failed" if outcome.error else "done", outcome.audio_s, outcome.error or ""))
    return outcome


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Hold the corpus for this run alone; the lock goes with the process, however that ends."""
    import fcntl

    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = (root / ".lock").open("w")
    except OSError as error:
        raise OutputError(
            f"out={root}: cannot be written ({error.strerror}); choose another folder with out="
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(
                f"out={root}: another run is writing this corpus; wait for it, or choose another folder with out="
            ) from None
        try:
            yield
        finally:
            _leave_nothing(root)


def _leave_nothing(root: Path) -> None:
    """Remove the folder again when nothing came of the run."""
    if not any(path.is_file() for path in root.rglob("*") if path.name != ".lock"):
        shutil.rmtree(root, ignore_errors=True)
