"""Specs, scripts and policies for tests of the simulation."""

from dataclasses import dataclass, field, replace

import yaml
from pace_clock import pace_clock

from pipeline.orchestrate import simulate
from pipeline.records import Amounts, ClaimAct, ConversationSpec, Dithers, Script, Speaker, TurnAct, VocalisationAct
from pipeline.resources import resource
from pipeline.simulation.performance import Hold
from pipeline.simulation.policy import Attempt, QuotaPolicy
from pipeline.simulation.quotas import Quotas
from pipeline.timing import TimingSettings

LONG = (
    "Well I think the early train is fine, because the late one is always packed, and nobody wants to stand for "
    "two hours, so we might as well set off early and have breakfast there."
)
NAMES = ("Ann", "Ben", "Cara", "Dev", "Elsie")


def paper_timing(**changes) -> TimingSettings:
    data = yaml.safe_load(resource("conf", "timing", "paper.yaml").read_text())
    return TimingSettings.model_validate({**data, **changes})


def a_spec(n_speakers: int = 3, seed: int = 1, type: str = "argumentative", **changes) -> ConversationSpec:
    speakers = tuple(
        Speaker(id=f"s{i + 1}", name=NAMES[i], voice=f"v{i:02d}", gender="F", channel=i) for i in range(n_speakers)
    )
    data = {
        "id": f"c{seed:04d}",
        "index": seed,
        "corpus_seed": seed,
        "type": type,
        "split": "dev",
        "domain": "travel itinerary planning",
        "tone": "casual and friendly",
        "topic": "travel_itinerary_planning/argumentative",
        "title": "the early train",
        "setting": "Friends plan a trip.",
        "target_s": 60,
        "speakers": speakers,
        "scene": "quiet office",
        "amounts": Amounts(floor_turns=10, floor_claims=4, backchannels=3, laughs=1, words=200),
        "dithers": Dithers(claims_won=0.5, holds=0.5, contested=0.5),
    }
    return ConversationSpec.model_validate({**data, **changes})


def turn(ident: str, speaker: str, text: str = LONG, **fields) -> TurnAct:
    return TurnAct(id=ident, speaker=speaker, text=text, **fields)


def claim(ident: str, speaker: str, during: str, landing: str, text: str = "But the price is awful.") -> ClaimAct:
    return ClaimAct(id=ident, speaker=speaker, during=during, landing=landing, text=text)


def sound(ident: str, speaker: str, during: str, landing: str, text: str = "Mm-hmm.", kind: str = "backchannel"):
    return VocalisationAct(id=ident, speaker=speaker, during=during, landing=landing, text=text, kind=kind)


def a_script(*acts) -> Script:
    return Script(conversation_id="c0001", writer="file", acts=acts)


@dataclass(frozen=True)
class Told(QuotaPolicy):
    """The usual policy, told what to do about single acts."""

    attempts: dict[str, Attempt | None] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    stubborn: bool = False

    def attempt(self, act):
        return self.attempts.get(act.id, super().attempt(act))

    def holds(self, act, utterance):
        if act.id not in self.pauses:
            return ()
        return (Hold(next(p for p in utterance.pauses if p.clause), round(self.pauses[act.id] * 24000)),)

    def yields(self, to):
        return not self.stubborn and super().yields(to)


def presses(strength: float = 1.0, overlap_s: float = 0.6, reaction_s: float = 0.1) -> Attempt:
    return Attempt(True, round(reaction_s * 24000), round(overlap_s * 24000), strength)


def gives_up(reaction_s: float = 0.1, into_hold: bool = False) -> Attempt:
    return Attempt(False, round(reaction_s * 24000), 0, 0.0, into_hold)


def talk(script: Script, n_speakers: int = 3, stubborn: tuple[str, ...] = (), timing=None, seed=1, **told):
    """Simulate `script` with every speaker told the same; returns the room."""
    spec = a_spec(n_speakers, seed)
    timing = timing or paper_timing(resume_probability=0.0)
    from pipeline.orchestrate import drawer

    policy = Told(timing, Quotas(), drawer(spec), **told)
    policies = {s.id: replace(policy, stubborn=s.id in stubborn) for s in spec.speakers}
    return simulate(spec, script, pace_clock, timing, policies)
