"""Stage 2: a script and a clock become a timeline: who holds the floor when, to the sample.

A SimPy simulation decides. Participants are processes with a policy each; the floor is a resource that one of
them holds and that a claim takes by preemption. The clock plans every synthesis, so that the simulation knows
where words, pauses and ends fall; the sound itself is made in stage 3.
"""

from collections.abc import Callable, Mapping

from pipeline import label
from pipeline.records import (
    ClaimAct,
    ConversationSpec,
    InnerPause,
    Script,
    Segment,
    Span,
    Timeline,
    Turn,
    TurnAct,
    Utterance,
    VocalisationAct,
)
from pipeline.records.spec import Speaker
from pipeline.samples import to_samples
from pipeline.seeds import generator
from pipeline.simulation.ledger import Ledger, OpenTurn, Sound
from pipeline.simulation.participant import Participant
from pipeline.simulation.policy import Policy, QuotaPolicy, policies_for
from pipeline.simulation.quotas import Draw, assign
from pipeline.simulation.room import Room
from pipeline.timing import TimingSettings

VERSION = 2
"""Part of this stage's fingerprint; raised when its output changes."""

Clock = Callable[[TurnAct | ClaimAct | VocalisationAct, Speaker], Utterance]
"""Plans the synthesis of an act's words in its speaker's voice, without making the sound."""


def orchestrate(
    spec: ConversationSpec,
    script: Script,
    clock: Clock,
    timing: TimingSettings,
    policies: Mapping[str, Policy] | None = None,
) -> Timeline:
    """Let the participants of `spec` talk through `script`; `policies` replaces those of single speakers."""
    return _timeline(spec, simulate(spec, script, clock, timing, policies).ledger, timing)


def simulate(
    spec: ConversationSpec,
    script: Script,
    clock: Clock,
    timing: TimingSettings,
    policies: Mapping[str, Policy] | None = None,
) -> Room:
    """Run the simulation and return the room with its floor and its ledger, as they are in the end."""
    draw = drawer(spec)

    def clock_act(act: TurnAct | ClaimAct | VocalisationAct) -> Utterance:
        return clock(act, spec.speaker(act.speaker))

    utterances = {act.id: clock_act(act) for act in script.acts}
    usual = QuotaPolicy(timing, assign(spec, script, utterances, timing, draw), draw)
    room = Room(script, utterances, clock_act, timing)
    for ident, policy in policies_for(script, usual, dict(policies or {})).items():
        room.participants[ident] = Participant(room, ident, policy)
    first = script.turns[0]
    room.env.process(room.participants[first.speaker].open(first))
    room.env.run()
    return room


def drawer(spec: ConversationSpec) -> Draw:
    """Generators of this conversation's stage 2, one a purpose."""
    return lambda *names: generator(spec.corpus_seed, spec.entity, "orchestrate", *names)


def _timeline(spec: ConversationSpec, ledger: Ledger, timing: TimingSettings) -> Timeline:
    segments = _segments(spec, ledger.sounds, timing)
    turns = tuple(_turn(turn, segments) for turn in ledger.turns)
    used = {sound.utterance.id: sound.utterance for sound in ledger.sounds}
    n_samples = max(s.planned.start + s.lay.end - s.source.start for s in segments) + to_samples(timing.tail_s)
    return Timeline(
        conversation_id=spec.id,
        n_samples=n_samples,
        speakers=spec.speakers,
        utterances=tuple(used[ident] for ident in sorted(used)),
        segments=segments,
        turns=turns,
        events=label.events(segments, turns, used),
        ownership=label.ownership(segments, turns, n_samples),
        adjustments=tuple(ledger.adjustments),
    )


def _segments(spec: ConversationSpec, sounds: list[Sound], timing: TimingSettings) -> tuple[Segment, ...]:
    ordered = sorted(sounds, key=lambda s: (s.planned.start, s.planned.end, s.speaker))
    made = []
    for n, sound in enumerate(ordered, 1):
        made.append(
            Segment(
                id=f"g{n}",
                utterance_id=sound.utterance.id,
                speaker=sound.speaker,
                channel=spec.speaker(sound.speaker).channel,
                role=sound.role,
                source=sound.source,
                lay=_lay(sound, [s for s in ordered if s.speaker == sound.speaker], timing),
                planned=sound.planned,
                ending=sound.ending,
                turn_id=sound.turn_id,
                during=sound.during,
                pauses=_inner_pauses(sound),
            )
        )
    return tuple(made)


def _lay(sound: Sound, own: list[Sound], timing: TimingSettings) -> Span:
    """The range to lay: a guard on either side, at most half the silence to this speaker's other sounds.

    A range that ends inside the utterance because its speaker was cut off or gave up ends there exactly.
    """
    guard = to_samples(timing.guard_s)
    before = max((s.planned.end for s in own if s.planned.end <= sound.planned.start and s is not sound), default=0)
    after = min((s.planned.start for s in own if s.planned.start >= sound.planned.end and s is not sound), default=None)
    lead = min(guard, (sound.planned.start - before) // 2, sound.source.start)
    room = guard if after is None else (after - sound.planned.end) // 2
    tail = 0 if _is_cut(sound) else min(guard, room, sound.utterance.n_samples - sound.source.end)
    return Span(start=sound.source.start - lead, end=sound.source.end + tail)


def _is_cut(sound: Sound) -> bool:
    return sound.ending == "interrupted" or (sound.ending is None and sound.source.end < sound.utterance.speech.end)


def _inner_pauses(sound: Sound) -> tuple[InnerPause, ...]:
    shift = sound.planned.start - sound.source.start
    inside = [p for p in sound.utterance.pauses if sound.source.start < p.start and p.end < sound.source.end]
    return tuple(InnerPause(planned=Span(start=p.start + shift, end=p.end + shift)) for p in inside)


def _turn(turn: OpenTurn, segments: tuple[Segment, ...]) -> Turn:
    return Turn.model_validate(
        {
            "id": turn.id,
            "speaker": turn.speaker,
            "segments": [s.id for s in segments if s.turn_id == turn.id],
            "entry": turn.entry,
            "interrupts": turn.interrupts,
            "resumes": turn.resumes,
            "addressee": turn.act.addressee if turn.act else None,
            "addressing": turn.act.addressing if turn.act else "none",
        }
    )
