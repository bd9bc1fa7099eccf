"""Stage 1 over a corpus: scripts are written before anything is spoken.

With the embedded model on the same cores, writing and speaking take turns. A remote endpoint is asked for several
conversations at once.
"""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
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


def write_scripts(
    specs: Sequence[ConversationSpec],
    settings: Settings,
    root: Path,
    display: Display,
    account: Account | None = None,
) -> tuple[dict[str, bool], list[Outcome]]:
    """Write the scripts that are missing; `account` counts what is asked for them.

    When its budget is spent, the scripts that are there are kept, and the others have failed.

    Returns
    -------
    written
        The conversations that have a script, by id, and whether it was written by this run.
    failed
        The outcomes of those that have none.

    Raises
    ------
    EndpointError, ModelError
        when the language model cannot be had at all.
    BudgetError
        when the budget was spent before there was any script.

    """
    there = {spec.id: is_written(spec, settings, root) for spec in specs}
    missing = [spec for spec in specs if not there[spec.id]]
    written = {ident: False for ident, is_there in there.items() if is_there}
    writing = _Writing(settings, root, display)
    if not settings.script.needs_model:
        results = [writing.attempt(spec, None) for spec in missing]
    elif missing:
        with open_client(settings.llm, display.say, account) as client:
            results = writing.ask(missing, client)
    else:
        results = []
    failed = [result for result in results if result.error]
    written.update({result.ident: bool(result.made) for result in results if not result.error})
    if writing.spent and not written:
        raise writing.spent
    return written, failed


@dataclass
class _Writing:
    settings: Settings
    root: Path
    display: Display
    reached: bool = False
    """Whether the endpoint has served a whole script; until then its fault is the run's."""
    spent: BudgetError | None = None
    """Why no more is asked, once the budget is spent."""

    def ask(self, specs: Sequence[ConversationSpec], client: Client) -> list[Outcome]:
        """Write with a language model, several at once where it is remote."""
        at_once = 1 if self.settings.llm.kind == "embedded" else self.settings.llm.concurrency
        pool = ThreadPoolExecutor(at_once)
        try:
            return list(pool.map(lambda spec: self.attempt(spec, client), specs))
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
