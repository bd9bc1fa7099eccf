"""The writer for capable models: one reply holds the whole script, and is mended until it is valid."""

from dataclasses import dataclass, field

from pipeline.llm.exchange import Reply
from pipeline.llm.session import Messages, Session
from pipeline.records import ConversationSpec, Script
from pipeline.records.script import LAUGHTER
from pipeline.seeds import seed_for
from pipeline.writers.base import Context, InvalidScriptError, writing_report
from pipeline.writers.lengths import LONGEST
from pipeline.writers.prompting import templates
from pipeline.writers.reply import read_acts, reply_schema
from pipeline.writers.rules import Violation, violations
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.speakable import plain

SHOWN_REPLY = 40_000
"""Characters of a bad reply that are sent back with its faults."""


class WholeWriter:
    """Asks for the script, lists what is wrong with it, and asks again."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """The first valid script among the attempts allowed."""
        session = ctx.model("whole")
        session.begin("")
        return _Attempts(spec, ctx.settings, session).run()


@dataclass
class _Attempts:
    """The attempts at one script."""

    spec: ConversationSpec
    settings: ScriptSettings
    session: Session
    room: int = 0
    found: list[Violation] = field(default_factory=list)

    def run(self) -> Script:
        whole = self.settings.whole
        self.room = whole.reply_tokens
        asked = request(self.spec, self.settings)
        messages, last, why = asked, None, f"no valid script in {whole.attempts} attempts"
        for number in range(1, whole.attempts + 1):
            reply = self._ask(messages, number)
            script, self.found = self._read(reply, number)
            if script:
                return script
            if reply.finish_reason == "length":
                if self.room > whole.reply_tokens:
                    why = f"the reply was cut at {self.room} tokens even with more room"
                    break
                self.room = round(whole.reply_tokens * whole.more_room)
                continue
            if reply.text == last:
                why = "the model gave the same invalid reply twice"
                break
            last = reply.text
            messages = [*asked, *self._repair(reply)]
        raise InvalidScriptError(self.spec, why, self.found)

    def _ask(self, messages: Messages, number: int) -> Reply:
        temperature = self.settings.whole.temperature
        return self.session.chat(
            messages,
            purpose=f"script attempt {number}",
            seed=seed_for(self.spec.corpus_seed, self.spec.id, "script", "whole", number),
            max_tokens=self.room,
            sampling={} if temperature is None else {"temperature": temperature},
            schema=reply_schema(self.spec),
        )

    def _read(self, reply: Reply, number: int) -> tuple[Script | None, list[Violation]]:
        acts, found = read_acts(reply.text, self.spec)
        report = writing_report(self.session, attempts=number, repairs=number - 1)
        script = Script(conversation_id=self.spec.id, writer="whole", acts=acts, report=report)
        # Rules on the whole say little while single acts are missing.
        found = found or violations(script, self.spec, self.settings)
        return (None, found) if found else (script, [])

    def _repair(self, reply: Reply) -> Messages:
        listed = self.found[: self.settings.whole.listed_violations]
        text = (
            templates()
            .get_template("whole/repair.j2")
            .render(violations=[str(violation) for violation in listed], more=len(self.found) - len(listed))
        )
        return [
            {"role": "assistant", "content": reply.text[:SHOWN_REPLY]},
            {"role": "user", "content": text},
        ]


def request(spec: ConversationSpec, settings: ScriptSettings) -> Messages:
    """The messages that ask for a script; what a user gave stands in them as plain text."""
    system = (
        templates()
        .get_template("whole/system.j2")
        .render(max_backchannel_words=settings.max_backchannel_words, laughter=LAUGHTER)
    )
    user = (
        templates()
        .get_template("whole/user.j2")
        .render(
            type=spec.type,
            domain=plain(spec.domain),
            title=plain(spec.title),
            setting=plain(spec.setting),
            tone=plain(spec.tone, 100),
            speakers=[
                {
                    "id": speaker.id,
                    "name": speaker.name,
                    "style": plain(speaker.style, 100),
                    "persona": plain(speaker.persona),
                    "stance": plain(speaker.stance, 40),
                }
                for speaker in spec.speakers
            ],
            amounts=spec.amounts,
            seconds=round(spec.target_s),
            longest=LONGEST,
        )
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]
