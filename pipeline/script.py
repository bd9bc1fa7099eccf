"""Stage 1, script: from a conversation spec to symbolic acts, validated.

Without a model, and with one::

    script, _ = write_script(spec, ScriptSettings(writer="template"))

    with open_client() as client, open_session(client, spec.id) as session:
        script, exchanges = write_script(spec, ScriptSettings(writer="lines"), session)
"""

from pipeline.errors import InputError
from pipeline.llm.exchange import Exchange
from pipeline.llm.session import Session
from pipeline.records import ConversationSpec, Script
from pipeline.writers.base import Context, InvalidScriptError
from pipeline.writers.registry import writer_named
from pipeline.writers.replay import replaying
from pipeline.writers.rules import AMOUNT_RULES, RULES, violations
from pipeline.writers.settings import ScriptSettings

STAGE_VERSION = 2
"""Changes when the same spec and settings would give another script."""


def write_script(
    spec: ConversationSpec, settings: ScriptSettings | None = None, session: Session | None = None
) -> tuple[Script, tuple[Exchange, ...]]:
    """Write the script of one conversation; also return every question asked of the language model.

    Parameters
    ----------
    spec
        What the conversation shall be.
    settings
        Which writer, and what counts as valid.
    session
        A language model for this conversation (:func:`pipeline.llm.recording.open_session`), for `lines` and `whole`.

    Raises
    ------
    InputError
        for a spec that no script can satisfy, or a script file that cannot be used.
    ScriptError
        when no valid script was had; its `violations` are the last ones.
    EndpointError
        when the language model cannot be used.
    BudgetError
        when the run may ask it no more.

    """
    settings = settings or ScriptSettings()
    if settings.writer != "file":
        check_spec(spec)
    if settings.writer == "replay":
        settings, session = replaying(spec, settings)
    fresh, most = 0, settings.fresh_tries if settings.needs_model else 0
    while True:
        try:
            return _written(spec, Context(settings, session, fresh)), session.exchanges if session else ()
        except InvalidScriptError:
            if fresh == most:
                raise
            fresh += 1


def _written(spec: ConversationSpec, ctx: Context) -> Script:
    """The script of one try, which breaks no rule."""
    settings = ctx.settings
    script = writer_named(settings.writer).write(spec, ctx)
    # A script of the user's own is as long as they wrote it.
    rules = tuple(rule for rule in RULES if settings.writer != "file" or rule not in AMOUNT_RULES)
    found = violations(script, spec, settings, rules)
    if found:
        raise InvalidScriptError(spec, f"the script of writer {settings.writer!r} breaks {len(found)} rules", found)
    return script


def check_spec(spec: ConversationSpec) -> None:
    """Refuse what no script can satisfy: fewer turns than speakers."""
    if spec.amounts.floor_turns < len(spec.speakers):
        raise InputError(
            f"conversation {spec.id}: {spec.amounts.floor_turns} floor turns cannot hear "
            f"{len(spec.speakers)} speakers: ask for a longer conversation or fewer speakers"
        )
