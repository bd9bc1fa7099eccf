"""Both conversations of a pair from one script to their folders, stage by stage, in one worker.

They share every synthesis before the fork, which is made once. Stage 5 looks at both: they get the same gain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pipeline import orchestrate
from pipeline.clock import speaking_clock
from pipeline.conversation import Job, Making, Outcome
from pipeline.executors.base import Notify
from pipeline.invariants.configured import rules_from
from pipeline.invariants.reading import Rules
from pipeline.pairs import orchestrate as pairs
from pipeline.pairs.members import members_of
from pipeline.records import PairKind, Script
from pipeline.speech.opening import open_backend
from pipeline.validate import validate
from pipeline.workspace import Workspace, write_text

FILES = ("timeline.json", "script.json", "exchange.jsonl")


def make_pair(job: Job, notify: Notify) -> tuple[Outcome, ...]:
    """Run stages 2 to 5 of both members of the pair whose script is that of `job`, as far as they are not done.

    Raises
    ------
    NoEventError
        when no event of the script can have both outcomes.
    PipelineError
        for what the user can mend.

    """
    origin = _Origin(job)
    a, b = (_Member(replace(job, spec=spec), notify, origin=origin) for spec in members_of(job.spec))
    a.sibling, b.sibling = b, a
    for step in ("plan", "speak", "mix", "publish"):
        for member in (a, b):
            getattr(member, step)()
    return a.outcome(), b.outcome()


@dataclass
class _Origin:
    """What both members come from: one script, and the simulation of both."""

    job: Job

    @cached_property
    def work(self) -> Workspace:
        """Where the script is."""
        return Workspace(self.job.root, self.job.spec.id)

    @property
    def kinds(self) -> Sequence[PairKind]:
        """The kinds that the pair may be of, the one whose turn it is first."""
        spec = self.job.spec
        return self.job.settings.pairs.kinds_for(spec.corpus_seed, spec.index)

    @cached_property
    def rules(self) -> Rules:
        """The invariants that both members keep."""
        return rules_from(self.job.settings.model_dump(mode="json", include={"script", "timing"}))

    @cached_property
    def members(self) -> dict[str, pairs.Member]:
        """Both as they are performed, by the names of their conversations."""
        settings, specs = self.job.settings, members_of(self.job.spec)
        backend = open_backend(settings.tts)
        tts = settings.tts
        clock = speaking_clock(specs[0], backend, settings.timing, tts.endings.lengths, tts.variation, tts.pace)
        script = Script.read(self.work.path("script.json"))
        made = pairs.orchestrate_pair(specs, script, clock, settings.timing, self.kinds, self.rules)
        return {spec.id: member for spec, member in zip(specs, made, strict=True)}


@dataclass
class _Member(Making):
    """One member while it is being made."""

    origin: _Origin = field(kw_only=True)

    def plan(self) -> None:
        """Stage 2: the script, too, is this member's own."""
        self._stage("orchestrate", FILES, self._orchestrate_parts, self._orchestrate)

    def _orchestrate_parts(self) -> dict[str, Any]:
        return {
            **super()._orchestrate_parts(),
            "version": [orchestrate.VERSION, pairs.VERSION],
            "script": self.origin.work.sum_of("script.json"),
            "exchange": self.origin.work.sum_of("exchange.jsonl"),
            "kinds": list(self.origin.kinds),
        }

    def _orchestrate(self) -> None:
        made = self.origin.members[self.job.spec.id]
        validate(made.timeline, self._rules)
        write_text(self.work.path("timeline.json"), made.timeline.to_json())
        write_text(self.work.path("script.json"), made.script.to_json())
        exchange = self.origin.work.path("exchange.jsonl").read_text(encoding="utf-8")
        write_text(self.work.path("exchange.jsonl"), exchange)
