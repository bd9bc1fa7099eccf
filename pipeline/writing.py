"""Stage 1 over a corpus: scripts as they come.

With the embedded model on the same cores, writing and speaking take turns. A remote endpoint is asked for several
conversations at once, while those that are written are spoken; it is never more than a few scripts ahead.
"""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

from pipeline.conversation import Outcome, spec_sum
from pipeline.errors import BudgetError, EndpointError, InputError, PipelineError
from pipeline.llm.account import Account
from pipeline.llm.client import Client
from pipeline.llm.exchange import Exchange, dump_exchanges
from pipeline.llm.opening import open_client
from pipeline.llm.recording import open_session
from pipeline.progress import Display, Note
from pipeline.records import ConversationSpec, Script
from pipeline.resources import resource
from pipeline.script import STAGE_VERSION, write_script
from pipeline.settings import Settings
from pipeline.workspace import Workspace, fingerprint, write_text

FILES = ("script.json", "exchange.jsonl")


def scripts(
    specs: Sequence[ConversationSpec],
    settings: Settings,
    root: Path,
    display: Display,
    account: Account | None = None,
) -> Iterator[Outcome]:
    """What becomes of each conversation's script, in any order; a script that is there already was made by no stage.

    `account` counts what is asked. When its budget is spent, the scripts that are there are kept, and the others have
    failed.

    Raises
    ------
    EndpointError, ModelError
        when the language model cannot be had at all.
    BudgetError
        when the budget was spent before there was any script.

    """
    there, missing = list[ConversationSpec](), list[ConversationSpec]()
    for spec in specs:
        (there if is_written(spec, settings, root) else missing).append(spec)
    writing = _Writing(settings, root, display)
    new = writing.outcomes(missing, account)
    if settings.llm.kind == "embedded":
        new = iter(list(new))
    yield from (Outcome(ident=spec.id) for spec in there)
    written = bool(there)
    for outcome in new:
        written = written or not outcome.error
        yield outcome
    if writing.spent and not written:
        raise writing.spent


@dataclass
class _Writing:
    settings: Settings
    root: Path
    display: Display
    reached: bool = False
    """Whether the endpoint has served a whole script; until then its fault is the run's."""
    spent: BudgetError | None = None
    """Why no more is asked, once the budget is spent."""

    def outcomes(self, specs: Sequence[ConversationSpec], account: Account | None) -> Iterator[Outcome]:
        """Write one script after another, or ask a language model for them."""
        if not self.settings.script.needs_model:
            yield from (self.attempt(spec, None) for spec in specs)
        elif specs:
            with open_client(self.settings.llm, self.display.say, account) as client:
                yield from self._asked(specs, client)

    def _asked(self, specs: Sequence[ConversationSpec], client: Client) -> Iterator[Outcome]:
        """Several at once where the model is remote, and as many again before one of them is wanted."""
        at_once = 1 if self.settings.llm.kind == "embedded" else self.settings.llm.concurrency
        pool, rest = ThreadPoolExecutor(at_once), iter(specs)
        try:
            under_way = [pool.submit(self.attempt, spec, client) for spec in islice(rest, 2 * at_once)]
            while under_way:
                wait(under_way, return_when=FIRST_COMPLETED)
                ready = next(one for one in under_way if one.done())
                under_way.remove(ready)
                under_way += [pool.submit(self.attempt, spec, client) for spec in islice(rest, 1)]
                yield ready.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def attempt(self, spec: ConversationSpec, client: Client | None) -> Outcome:
        """Write one script; its failure is an outcome, so that it does not stop the others."""
        self.display.show(Note(spec.id, "script"))
        try:
            script, exchanges = _write(spec, self.settings, client)
        except BudgetError as error:
            self.spent = error
            return self._failed(spec, error, "budget")
        except PipelineError as error:
            if isinstance(error, EndpointError | InputError) and not self.reached:
                raise
            return self._failed(spec, error, "script")
        self.reached = True
        new = _keep(Workspace(self.root, spec.id), script, exchanges, _fingerprint(spec, self.settings))
        return Outcome(ident=spec.id, made=("script",) * new)

    def _failed(self, spec: ConversationSpec, error: PipelineError, where: Literal["script", "budget"]) -> Outcome:
        self.display.show(Note(spec.id, "failed", text=str(error)))
        return Outcome(ident=spec.id, error=str(error), failed_in=where)


def is_written(spec: ConversationSpec, settings: Settings, root: Path) -> bool:
    """Whether a script is kept: only what a model wrote, for its fingerprint; other writers cost nothing."""
    return settings.script.needs_model and Workspace(root, spec.id).is_done("script", _fingerprint(spec, settings))


def _fingerprint(spec: ConversationSpec, settings: Settings) -> str:
    public = settings.llm.public()
    # Where the model is reached, how patiently, and what it may cost does not change what it writes.
    model = {k: public[k] for k in ("kind", "model", "model_path", "seeded", "sampling", "threads", "context")}
    return fingerprint(
        stage="script",
        version=STAGE_VERSION,
        spec=spec_sum(spec),
        script=settings.script,
        llm=model if settings.script.needs_model else None,
        prompts=_prompts_sum(),
    )


@cache
def _prompts_sum() -> str:
    total = hashlib.sha256()
    for path in sorted(resource("prompts").rglob("*.*")):
        total.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _write(spec: ConversationSpec, settings: Settings, client: Client | None) -> tuple[Script, tuple[Exchange, ...]]:
    if client is None:
        return write_script(spec, settings.script)
    client.account.check()
    with open_session(client, spec.id) as session:
        return write_script(spec, settings.script, session)


def _keep(work: Workspace, script: Script, exchanges: tuple[Exchange, ...], known: str) -> bool:
    """Store the script; False when the very same one stood there already."""
    contents = dict(zip(FILES, (script.to_json(), dump_exchanges(exchanges)), strict=True))
    if work.is_done("script", known) and all(_reads(work.path(name), text) for name, text in contents.items()):
        return False
    for name, text in contents.items():
        write_text(work.path(name), text)
    work.mark_done("script", known, FILES)
    return True


def _reads(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
