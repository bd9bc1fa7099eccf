"""Which claims succeed and which turns hold: counts fixed a conversation, so that a corpus meets its rates.

The expected counts are rounded with low-discrepancy dithers (`ConversationSpec.dithers`), so that the counts
of many conversations add up to the rates while each depends on itself alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pipeline.by_speakers import value_for
from pipeline.records import ClaimAct, ConversationSpec, Pause, Script, TurnAct, Utterance
from pipeline.records.script import Follows
from pipeline.samples import to_samples
from pipeline.seeds import rounded
from pipeline.timing import TimingSettings

WAYS: tuple[Follows, ...] = ("latched", "after_pause", "long_pause")
"""How a turn may follow the one before, the soonest first."""
Draw = Callable[..., np.random.Generator]
"""Generator of this conversation's stage 2 for a purpose, named by words."""


@dataclass(frozen=True)
class Quotas:
    """What the conversation's policies keep to; ids of acts."""

    won: frozenset[str] = frozenset()
    holds: Mapping[str, Pause] = field(default_factory=dict)
    """Turn to the pause of its utterance that is lengthened."""
    contesting: frozenset[str] = frozenset()
    """Failed claims that are set into the hold of their turn."""
    ranks: Mapping[Follows, tuple[float, float]] = field(default_factory=dict)
    """The probabilities between which the gaps of each way of following lie, where one distribution serves all."""


def assign(
    spec: ConversationSpec, script: Script, utterances: Mapping[str, Utterance], timing: TimingSettings, draw: Draw
) -> Quotas:
    """Fix the quotas of one conversation before it is simulated."""
    claims = [act for act in script.acts if isinstance(act, ClaimAct)]
    won = _winners(spec, claims, utterances, timing, draw)
    segments = len(script.turns) + len(won)
    wanted = rounded(value_for(timing.hold_rate, len(spec.speakers)) * segments, spec.dithers.holds)
    cut = {claim.during for claim in claims if claim.id in won}
    open_turns = [turn for turn in script.turns if turn.id not in cut]
    eligible = {turn.id: pauses for turn in open_turns if (pauses := hold_places(utterances[turn.id], timing))}
    contested = _contesters(claims, eligible, rounded(timing.contested_share * wanted, spec.dithers.contested), draw)
    chosen = _hold_turns(eligible, [claim.during for claim in contested], claims, wanted, draw)
    return Quotas(
        won=frozenset(won),
        holds={turn: _pick(eligible[turn], draw("hold place", turn)) for turn in chosen},
        contesting=frozenset(claim.id for claim in contested if claim.during in chosen),
        ranks=gap_ranks(script.turns),
    )


def gap_ranks(turns: Sequence[TurnAct]) -> dict[Follows, tuple[float, float]]:
    """Which part of one distribution of gaps each way of following stands for, by its share of the hand-overs.

    The latched turns get the shortest gaps, those after a long pause the longest, whatever their shares: so the gaps
    of the whole script are those of the distribution. A way that no turn follows in is left out.
    """
    ways = [after.follows for before, after in pairwise(turns) if after.speaker != before.speaker]
    edges = np.cumsum([0, *(ways.count(way) for way in WAYS)]) / max(1, len(ways))
    return {way: (float(a), float(b)) for way, (a, b) in zip(WAYS, pairwise(edges), strict=True) if a < b}


def hold_places(utterance: Utterance, timing: TimingSettings) -> list[Pause]:
    """Pauses at clause boundaries that may become a hold: the turn long enough, so both parts.

    Where turns hold after questions alone, only such pauses.
    """
    speech = utterance.speech
    if speech.length < to_samples(timing.hold_min_segment_s):
        return []
    part = to_samples(timing.hold_min_part_s)
    return [
        pause
        for pause in utterance.pauses
        if pause.clause
        and pause.start - speech.start >= part
        and speech.end - pause.end >= part
        and (timing.hold_after == "clause" or "?" in utterance.mark_before(pause.start))
    ]


def _winners(
    spec: ConversationSpec,
    claims: Sequence[ClaimAct],
    utterances: Mapping[str, Utterance],
    timing: TimingSettings,
    draw: Draw,
) -> set[str]:
    """As many claims as the rate says, one a turn at most, the last of its turn, where the overlap has room."""
    room = to_samples(timing.interruption_overlap.high + timing.least_claim_s)
    last = {claim.during: claim for claim in claims}
    able = [claim.id for claim in last.values() if utterances[claim.during].speech.length > room]
    count = rounded(timing.claim_success_rate[spec.type] * len(claims), spec.dithers.claims_won)
    order = draw("winners").permutation(len(able))
    return {able[i] for i in order[:count]}


def _contesters(
    claims: Sequence[ClaimAct], eligible: Mapping[str, list[Pause]], count: int, draw: Draw
) -> list[ClaimAct]:
    fitting = {claim.during: claim for claim in claims if claim.during in eligible}
    order = draw("contested").permutation(len(fitting))
    return [list(fitting.values())[i] for i in order[:count]]


def _hold_turns(
    eligible: Mapping[str, list[Pause]], contested: list[str], claims: Sequence[ClaimAct], count: int, draw: Draw
) -> list[str]:
    """Turns that hold: the contested ones first, then turns that nobody claims, then the rest."""
    claimed = {claim.during for claim in claims}
    others = [turn for turn in eligible if turn not in contested]
    shuffled = [others[i] for i in draw("holds").permutation(len(others))]
    return [*contested, *sorted(shuffled, key=lambda turn: turn in claimed)][:count]


def _pick(pauses: list[Pause], rng: np.random.Generator) -> Pause:
    return pauses[int(rng.integers(len(pauses)))]
