"""Counterfactual pairs: two conversations that are the same up to a moment and differ in its outcome."""

from typing import Literal, get_args

from pydantic import Field

from pipeline.records.base import Record
from pipeline.records.spec import Ident, Member

PairKind = Literal["claim", "pause", "words"]
"""What has another outcome in either member.

=====  ===================================  ======================================================
kind   member a: the floor stays            member b: the floor goes to another
=====  ===================================  ======================================================
claim  the holder goes on, the claim fails  the same claim takes the floor
pause  the same pause is a hold             is a yield, and the next speaker takes over after it
words  the same words are a backchannel     begin their speaker's turn
=====  ===================================  ======================================================
"""
PAIR_KINDS: tuple[PairKind, ...] = get_args(PairKind)


class Pair(Record):
    """Membership in a counterfactual pair: all sound equals the sibling's before sample `fork`."""

    id: Ident
    member: Member
    fork: int = Field(ge=0)
    """The first sample at which the two may differ."""
    kind: PairKind
    asked: PairKind
    """The kind that was this pair's turn; another than `kind` where the script has no event for it."""
    sibling: Ident
    """The conversation that is the other member."""
    segment_id: Ident
    """What has two outcomes: the claim, the speech before the pause, or the listener's words."""
    event_id: Ident
    """The event that labels the outcome here."""
