"""The writer for capable models: one reply holds the whole script, and is mended until it is valid."""

import json
import re
from dataclasses import dataclass, field

from pipeline.llm.exchange import Reply
from pipeline.llm.session import Messages
from pipeline.records import ConversationSpec, Script
from pipeline.records.script import LAUGHTER
from pipeline.seeds import seed_for
from pipeline.text import encodable
from pipeline.writers.base import Context, InvalidScriptError, writing_report
from pipeline.writers.case import Violation
from pipeline.writers.lengths import LONGEST
from pipeline.writers.prompting import templates
from pipeline.writers.reply import Proposal, read_reply, reply_schema
from pipeline.writers.rules import violations
from pipeline.writers.settings import ScriptSettings, WholeSettings
from pipeline.writers.speakable import plain
from pipeline.writers.speaking import main_speaker

SHOWN_REPLY = 40_000
"""Characters of a bad reply that are sent back with its faults."""
_PLACE = re.compile(r"acts\.(\d+)\.")
"""How the path of a violation in a single act begins."""


class WholeWriter:
    """Asks for the script, lists what is wrong with it, and asks again: for all of it, at last for the bad acts."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """The first valid script among the attempts allowed."""
        ctx.model("whole").begin("")
        return _Attempts(spec, ctx).run()


@dataclass
class _Attempts:
    """The attempts at one script."""

    spec: ConversationSpec
    ctx: Context
    room: int = 0
    number: int = 0
    """Replies asked for."""
    proposed: Proposal = field(default_factory=Proposal)
    found: list[Violation] = field(default_factory=list)

    @property
    def settings(self) -> WholeSettings:
        return self.ctx.settings.whole

    def run(self) -> Script:
        asked = request(self.spec, self.ctx.settings)
        why = self._ask_for_all(asked)
        if why:
            self._ask_for_the_bad(asked)
        if self.found:
            raise InvalidScriptError(self.spec, why, self.found)
        return self._script()

    def _ask_for_all(self, asked: Messages) -> str:
        """Ask for whole scripts until one is valid; why that ended otherwise."""
        self.room, messages, last = self.settings.reply_tokens, asked, None
        while self.number < self.settings.attempts:
            reply = self._ask(messages, f"script attempt {self.number + 1}")
            self._take(read_reply(reply.text, self.spec))
            if not self.found:
                return ""
            if reply.finish_reason == "length":
                if self.room > self.settings.reply_tokens:
                    return f"the reply was cut at {self.room} tokens even with more room"
                self.room = round(self.settings.reply_tokens * self.settings.more_room)
                continue
            if reply.text == last:
                return "the model gave the same invalid reply twice"
            last = reply.text
            messages = [*asked, *self._repair("whole/repair.j2", reply.text)]
        return f"no valid script in {self.settings.attempts} attempts"

    def _ask_for_the_bad(self, asked: Messages) -> None:
        """Ask for the bad acts alone, while each thing that is wrong lies in a single act."""
        for turn in range(self.settings.act_rounds):
            places = self._bad_places()
            if not places:
                return
            whole = json.dumps({"acts": self.proposed.raw}, ensure_ascii=False)
            bad = [json.dumps(self.proposed.raw[place], ensure_ascii=False) for place in places]
            messages = [*asked, *self._repair("whole/acts.j2", whole, bad=bad)]
            reply = self._ask(messages, f"acts round {turn + 1}")
            self._take(self.proposed.patched(places, read_reply(reply.text, self.spec), self.spec))

    def _bad_places(self) -> list[int]:
        """Where the acts at fault stand; empty when something is wrong with the script as a whole."""
        places = [_PLACE.match(breach.path) for breach in self.found]
        return sorted({int(place[1]) for place in places if place}) if all(places) else []

    def _ask(self, messages: Messages, purpose: str) -> Reply:
        self.number += 1
        temperature = self.settings.temperature
        return self.ctx.model("whole").chat(
            messages,
            purpose=" ".join((*self.ctx.draw, purpose)),
            seed=seed_for(self.spec.corpus_seed, self.spec.id, "script", "whole", *self.ctx.draw, self.number),
            max_tokens=self.room,
            sampling={} if temperature is None else {"temperature": temperature},
            schema=reply_schema(self.spec),
        )

    def _take(self, proposed: Proposal) -> None:
        self.proposed = proposed
        # Rules on the whole say little while single acts are missing.
        self.found = proposed.faults or violations(self._script(), self.spec, self.ctx.settings)

    def _script(self) -> Script:
        report = writing_report(self.ctx, attempts=self.number, repairs=self.number - 1)
        return Script(conversation_id=self.spec.id, writer="whole", acts=self.proposed.acts, report=report)

    def _repair(self, template: str, said: str, **values: object) -> Messages:
        listed = self.found[: self.settings.listed_violations]
        text = (
            templates()
            .get_template(template)
            .render(violations=[str(violation) for violation in listed], more=len(self.found) - len(listed), **values)
        )
        return [
            {"role": "assistant", "content": encodable(said)[:SHOWN_REPLY]},
            {"role": "user", "content": encodable(text)},
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
            relation=plain(spec.relation, 60),
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
            main=main_speaker(spec),
            amounts=spec.amounts,
            seconds=round(spec.target_s),
            longest=LONGEST,
        )
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]
