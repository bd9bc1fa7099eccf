"""Stage 2 of a pair: one script becomes two timelines that part at one decision."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline import label
from pipeline.errors import NoEventError
from pipeline.invariants.reading import Rules
from pipeline.orchestrate import Clock, drawer, orchestrate
from pipeline.pairs.members import MEMBERS
from pipeline.pairs.outcome import Parting, parting
from pipeline.pairs.proposals import Material, Proposal, proposals
from pipeline.records import Act, ConversationSpec, Pair, PairKind, Script, Speaker, Timeline, Utterance
from pipeline.simulation.policy import QuotaPolicy
from pipeline.simulation.quotas import assign
from pipeline.timing import TimingSettings
from pipeline.validate import DEFAULT

VERSION = 1
"""Part of the fingerprint of a pair's stage 2; raised when its output changes."""


@dataclass(frozen=True)
class Member:
    """One member as it is performed."""

    script: Script
    """The one that was written, with what the other outcome asks for."""
    timeline: Timeline


def orchestrate_pair(
    specs: tuple[ConversationSpec, ConversationSpec],
    script: Script,
    clock: Clock,
    timing: TimingSettings,
    kinds: Sequence[PairKind],
    rules: Rules = DEFAULT,
) -> tuple[Member, Member]:
    """Simulate both members of a pair.

    Parameters
    ----------
    specs
        Of both members (:func:`pipeline.pairs.members.members_of`).
    script
        One for both.
    clock
        Plans the synthesis of an act's words.
    timing
        Of stage 2.
    kinds
        The kind asked for, and those to be taken in its place where the script has no event for it.
    rules
        The invariants that both members keep.

    Returns
    -------
    tuple
        Members a and b, equally long; the timelines name the pair, each other, the fork and the event in question.

    Raises
    ------
    NoEventError
        when no event of the script can have both outcomes.

    """
    material = _material(specs[0], script, clock, timing)
    for proposal in (p for kind in kinds for p in proposals(kind, material)):
        a, b = (
            orchestrate(spec, part, _shared(material), timing, dict.fromkeys(_speakers(spec), policy))
            for spec, part, policy in zip(specs, proposal.scripts, proposal.policies, strict=True)
        )
        found = parting(proposal, a, b, rules)
        if found is not None:
            return _linked(specs, proposal, found, (a, b), kinds[0])
    raise NoEventError(
        f"pair {specs[0].entity}: no moment of its script can be a pair of kind {' or '.join(kinds)}; "
        "ask for pairs.kind=all, for longer conversations, or for another seed"
    )


def _speakers(spec: ConversationSpec) -> list[str]:
    return [speaker.id for speaker in spec.speakers]


def _material(spec: ConversationSpec, script: Script, clock: Clock, timing: TimingSettings) -> Material:
    said = _Said(spec, clock)
    utterances = {act.id: said(act) for act in script.acts}
    draw = drawer(spec)
    usual = QuotaPolicy(timing, assign(spec, script, utterances, timing, draw), draw)
    return Material(script, utterances, usual, said)


class _Said:
    """The clock, asked once for the same words of the same speaker in the same place."""

    def __init__(self, spec: ConversationSpec, clock: Clock) -> None:
        self._spec, self._clock = spec, clock
        self._known: dict[tuple[str, str, str], Utterance] = {}

    def __call__(self, act: Act) -> Utterance:
        key = (act.id, act.speaker, act.text)
        if key not in self._known:
            self._known[key] = self._clock(act, self._spec.speaker(act.speaker))
        return self._known[key]


def _shared(material: Material) -> Clock:
    """One synthesis for both members, whatever its words are in either."""

    def clock(act: Act, _speaker: Speaker) -> Utterance:
        return material.clock(act)

    return clock


def _linked(
    specs: tuple[ConversationSpec, ConversationSpec],
    proposal: Proposal,
    found: Parting,
    timelines: tuple[Timeline, Timeline],
    asked: PairKind,
) -> tuple[Member, Member]:
    n_samples = max(timeline.n_samples for timeline in timelines)
    siblings: Mapping[str, str] = {specs[0].id: specs[1].id, specs[1].id: specs[0].id}

    def members() -> Iterator[Member]:
        outcomes = (found.a, found.b)
        for name, spec, script, timeline, outcome in zip(
            MEMBERS, specs, proposal.scripts, timelines, outcomes, strict=True
        ):
            pair = Pair(
                id=spec.entity,
                member=name,
                fork=found.fork,
                kind=proposal.kind,
                asked=asked,
                sibling=siblings[spec.id],
                segment_id=outcome.segment.id,
                event_id=outcome.event.id,
            )
            yield Member(script.model_copy(update={"conversation_id": spec.id}), _as_long(timeline, n_samples, pair))

    a, b = members()
    return a, b


def _as_long(timeline: Timeline, n_samples: int, pair: Pair) -> Timeline:
    """The timeline with silence up to `n_samples`, as a member of `pair`."""
    ownership = label.ownership(timeline.segments, timeline.turns, n_samples)
    return timeline.model_copy(update={"n_samples": n_samples, "ownership": ownership, "pair": pair})
