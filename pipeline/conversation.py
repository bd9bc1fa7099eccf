"""One conversation from its script to its folder: stages 2 to 5, each repeated only when it must be.

A stage's fingerprint covers its inputs by their sums, its own settings, the identity of the models it uses, and its
version; so changing the noise settings repeats stages 4 and 5 alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from pipeline import __version__, assemble, augment, orchestrate, render
from pipeline.assemble import Stems, active_intervals
from pipeline.clock import speaking_clock
from pipeline.distant_speech import OtherVoices
from pipeline.executors.base import Notify
from pipeline.invariants.configured import rules_from
from pipeline.invariants.reading import Rules
from pipeline.pairs.fork import shared_until
from pipeline.progress import Note
from pipeline.records import ConversationSpec, Record, Script, Timeline
from pipeline.records.nuisance import NuisanceLog
from pipeline.rooms import hearing
from pipeline.samples import to_seconds
from pipeline.seeds import generator
from pipeline.settings import Settings
from pipeline.sound.bank import NoiseBank
from pipeline.speech.backend import Backend
from pipeline.speech.opening import open_backend
from pipeline.stages import Stage, reaches
from pipeline.stems import read_stems, settle_samples, write_stems
from pipeline.storage.depot import depot_of
from pipeline.validate import validate
from pipeline.workspace import Workspace, fingerprint, write_text

PUBLISHED = ("meta.json", "events.jsonl", "gold.json", "timeline.json", "script.json", "index.html", "mix.flac")


@dataclass(frozen=True)
class Job:
    """What a worker needs to make one conversation whose script is written."""

    spec: ConversationSpec
    settings: Settings
    root: Path
    hold: str | None = None
    """The run's lock of the corpus, where that is in a store."""


class Outcome(Record):
    """What became of a conversation."""

    ident: str
    made: tuple[str, ...] = ()
    """Stages that were run; those that were done already are not among them."""
    audio_s: float = 0.0
    error: str | None = None
    failed_in: Stage | Literal["budget", "event"] | None = None
    """The stage that failed; the budget of the run when it ended before the script was written; or that the script has
    no event for a counterfactual pair."""


def make_conversation(job: Job, notify: Notify) -> Outcome:
    """Run stages 2 to 5, up to the last one asked for, as far as they are not done.

    Raises
    ------
    PipelineError
        for what the user can mend.

    """
    return Making(job, notify).run()


@dataclass
class Making:
    """A conversation while it is being made, stage by stage."""

    job: Job
    notify: Notify
    made: list[str] = field(default_factory=list)
    sibling: "Making | None" = field(default=None, repr=False)
    """The other member of a counterfactual pair, which is to have been through the stages before."""
    _held: dict[str, Any] = field(default_factory=dict)
    """What a stage of this run has in memory, so that the next one need not read it again."""

    @cached_property
    def work(self) -> Workspace:
        """Its folders."""
        return Workspace(self.job.root, self.job.spec.id)

    @cached_property
    def backend(self) -> Backend:
        """What speaks."""
        return open_backend(self.job.settings.tts)

    @cached_property
    def script(self) -> Script:
        """What is to be said."""
        return Script.read(self.work.path("script.json"))

    def run(self) -> Outcome:
        """Make it up to the last stage asked for."""
        for step in (self.plan, self.speak, self.mix, self.publish):
            step()
        return self.outcome()

    def plan(self) -> None:
        """Stage 2."""
        self._stage("orchestrate", ("timeline.json",), self._orchestrate_parts, self._orchestrate)

    def speak(self) -> None:
        """Stage 3."""
        self._stage("render", ("stems.flac", "rendered.json"), self._render_parts, self._render)

    def mix(self) -> None:
        """Stage 4."""
        self._stage("augment", ("nuisance.json",), self._augment_parts, self._augment)

    def publish(self) -> None:
        """Stage 5."""
        self._stage("assemble", self._published(), self._assemble_parts, self._assemble)

    def outcome(self) -> Outcome:
        """What became of it."""
        return Outcome(ident=self.job.spec.id, made=tuple(self.made), audio_s=to_seconds(self._length()))

    def _length(self) -> int:
        """Samples of the conversation, as far as it has been made."""
        if reaches(self.job.settings.until, "render"):
            return self._rendered().n_samples
        return Timeline.read(self.work.path("timeline.json")).n_samples

    def _stage(
        self, name: Stage, files: Sequence[str], parts: Callable[[], dict[str, Any]], make: Callable[[], None]
    ) -> None:
        if not reaches(self.job.settings.until, name):
            return
        known = fingerprint(stage=name, **parts())
        if self.work.is_done(name, known) or (self._brings_sound() and self.work.is_done(name, known)):
            return
        self.notify(Note(self.job.spec.id, name))
        make()
        self.work.mark_done(name, known, files)
        self.made.append(name)

    def _brings_sound(self) -> bool:
        """Have the sound here that a stage may read, where the corpus is in a store; False when that was done already.

        It stays there as long as all that was asked for is made.
        """
        depot = depot_of(self.job.settings)
        if depot is None or self._held.setdefault("brought", False):
            return False
        self._held["brought"] = True
        depot.bring([one.job.spec.id for one in (self, self.sibling) if one], sound=True)
        return True

    @cached_property
    def _rules(self) -> Rules:
        return rules_from(self.job.settings.model_dump(mode="json", include={"script", "timing"}))

    # Stage 2 -----------------------------------------------------------------------------------------

    def _orchestrate_parts(self) -> dict[str, Any]:
        return {
            "version": orchestrate.VERSION,
            "spec": spec_sum(self.job.spec),
            "script": self.work.sum_of("script.json"),
            "timing": self.job.settings.timing,
            "voice": self.backend.identity(),
            **({"lengths": lengths} if (lengths := self.job.settings.tts.endings.lengths) else {}),
            **({"pace": pace} if (pace := self.job.settings.tts.variation.pace) else {}),
            "paces": self.job.settings.tts.pace,
        }

    def _orchestrate(self) -> None:
        spec, timing, tts = self.job.spec, self.job.settings.timing, self.job.settings.tts
        clock = speaking_clock(spec, self.backend, timing, tts.endings.lengths, tts.variation, tts.pace)
        timeline = orchestrate.orchestrate(spec, self.script, clock, timing)
        validate(timeline, self._rules)
        write_text(self.work.path("timeline.json"), timeline.to_json())

    # Stage 3 -----------------------------------------------------------------------------------------

    def _render_parts(self) -> dict[str, Any]:
        tts = self.job.settings.tts
        shaping = {"tones": tts.endings.tones, "level": tts.variation.level, "lift": tts.lombard.lift}
        by_timeline = shaping["tones"] or shaping["lift"]
        return {
            "version": render.VERSION,
            "timeline": self.work.sum_of("timeline.json"),
            "tts": tts.model_dump(
                mode="json", exclude={"endings", "endpoint", "variation", "lombard", "pace", "pools"}
            ),
            "voice": self.backend.identity(),
            **{name: value for name, value in shaping.items() if value},
            **({"first": first.work.sum_of("timeline.json")} if by_timeline and (first := self._first()) else {}),
        }

    def _render(self) -> None:
        timeline = Timeline.read(self.work.path("timeline.json"))
        first = self._first()
        rendered = render.render(
            self.job.spec,
            timeline,
            self.backend,
            self.job.settings.tts,
            Timeline.read(first.work.path("timeline.json")) if first else None,
        )
        validate(rendered.timeline, self._rules)
        stems = settle_samples(rendered.stems)
        write_stems(self.work.path("stems.flac"), stems)
        write_text(self.work.path("rendered.json"), rendered.timeline.to_json())
        self._held.update(stems=stems, timeline=rendered.timeline)

    def _first(self) -> "Making | None":
        """Member a, of a pair's member b."""
        pair = self.job.spec.pair
        return self.sibling if pair is not None and pair.member == "b" else None

    def _stems(self) -> Any:
        if "stems" not in self._held:
            self._held["stems"] = read_stems(self.work.path("stems.flac"))
        return self._held["stems"]

    def _rendered(self) -> Timeline:
        if "timeline" not in self._held:
            self._held["timeline"] = Timeline.read(self.work.path("rendered.json"))
        timeline: Timeline = self._held["timeline"]
        return timeline

    # Stage 4 -----------------------------------------------------------------------------------------

    def _augment_parts(self) -> dict[str, Any]:
        return {
            "version": augment.VERSION,
            "stems": self.work.sum_of("stems.flac"),
            "timeline": self.work.sum_of("rendered.json"),
            "noise": self.job.settings.noise.model_dump(mode="json", exclude={"musan"}),
            "bank": self.bank.identity(),
            "scene": self.job.spec.scene,
            "voice": self.backend.identity(),
            **({"pools": pools} if (pools := self.job.settings.tts.pools) else {}),
            **self._hearing(),
        }

    def _hearing(self) -> dict[str, Any]:
        """What rooms add to the fingerprint, the conversation's and those of distant speech; nothing without any."""
        room, distant = self.job.settings.room, self.job.settings.noise.distant.probability > 0.0
        asked = {} if room.off else {"room": room.model_dump(mode="json")}
        return {**asked, **({"hearing": hearing.identity()} if asked or distant else {})}

    @cached_property
    def bank(self) -> NoiseBank:
        """Where the noise is from."""
        others = OtherVoices(self.backend, self.job.spec)
        return augment.open_bank(self.job.settings.noise, others)

    def _augment(self) -> None:
        spec = self.job.spec
        made = augment.augment(
            self._stems(),
            active_intervals(self._rendered()),
            spec.scene,
            self.job.settings.noise,
            self.bank,
            partial(generator, spec.corpus_seed, spec.entity, "augment"),
            level_until=shared_until(self._rendered()),
            room=self.job.settings.room,
        )
        write_text(self.work.path("nuisance.json"), made.log.to_json())
        self._held["noisy"] = made.noisy, made.mix

    def _log(self) -> NuisanceLog:
        return NuisanceLog.read(self.work.path("nuisance.json"))

    def _sound(self) -> Stems:
        """Clean and noisy channels."""
        if "noisy" not in self._held:
            log = self._log()
            self._held["noisy"] = augment.remixed(self._stems(), log.nuisance, self.bank, log.taps, log.room)
        return Stems(self._stems(), *self._held["noisy"])

    # Stage 5 -----------------------------------------------------------------------------------------

    def _published(self) -> tuple[str, ...]:
        names = (f"conversations/{self.job.spec.id}/{name}" for name in (*PUBLISHED, "exchange.jsonl"))
        return (*names, *self._channels("clean"), *self._channels("noisy"))

    def _channels(self, kind: Literal["clean", "noisy"]) -> tuple[str, ...]:
        return tuple(f"conversations/{self.job.spec.id}/{kind}/{one.id}.flac" for one in self.job.spec.speakers)

    def _assemble_parts(self) -> dict[str, Any]:
        names = ("script.json", "exchange.jsonl", "stems.flac", "rendered.json", "nuisance.json")
        return {
            "version": assemble.VERSION,
            "inputs": {name: self.work.sum_of(name) for name in names},
            **({"sibling": [self.sibling.work.sum_of(name) for name in names[2:]]} if self.sibling else {}),
            "output": self.job.settings.output,
            "spec": self.job.spec,
            "meta": self._meta(),
        }

    def _assemble(self) -> None:
        exchange = self.work.path("exchange.jsonl")
        levels = assemble.assemble(
            self.work.published,
            self.job.spec,
            self.script,
            self._rendered(),
            self._sound(),
            self.job.settings.output,
            nuisance=self._log().model_dump(mode="json", exclude_none=True),
            exchange=exchange.read_text(encoding="utf-8"),
            meta=self._meta(),
            sibling=self.sibling._sound() if self.sibling else None,
            clean_stands=self._clean_stands,
        )
        if not self._clean_stands(levels):
            self.work.mark_done("clean", self._clean_sum(levels), self._channels("clean"))

    def _clean_stands(self, levels: assemble.Levels) -> bool:
        """Whether the clean channels are here already: other noise leaves them so, unless it moves the gain."""
        here = all((self.job.root / name).is_file() for name in self._channels("clean"))
        return here and self.work.is_done("clean", self._clean_sum(levels))

    def _clean_sum(self, levels: assemble.Levels) -> str:
        return fingerprint(
            stage="clean",
            version=assemble.VERSION,
            stems=self.work.sum_of("stems.flac"),
            channels=self._channels("clean"),
            bits=self.job.settings.output.bits,
            gain_db=levels.gain_db,
        )

    def _meta(self) -> dict[str, Any]:
        return {
            "generator": {"name": "turnfloor", "version": __version__},
            "seed": self.job.spec.corpus_seed,
            "stages": {
                "orchestrate": orchestrate.VERSION,
                "render": render.VERSION,
                "augment": augment.VERSION,
                "assemble": assemble.VERSION,
            },
            "voice_model": self.backend.identity(),
        }


def spec_sum(spec: ConversationSpec) -> str:
    """Sum over what the stages before noise depend on: everything but the acoustic scene."""
    left_out = {"scene"} if spec.pair else {"scene", "pair"}
    return fingerprint(spec=spec.model_dump(mode="json", exclude=left_out))
