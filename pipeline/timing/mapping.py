"""Floor events from annotated speech: the mapping of Table 23.

The stretches of each speaker are merged over short gaps and gone through by onset. Whoever holds the floor keeps it
until somebody else takes it. A stretch of another speaker is

- a **backchannel** when it is brief (in duration, and in words where they are known) and either falls into the holder's
  speech or into a silence after which the holder is the next to say more than that;
- an **interruption** when it falls into the holder's speech, lasts long enough, and the holder falls silent soon after
  its onset while it goes on: the floor passes;
- a **failed claim** when it falls into the holder's speech and is neither;
- else a turn that follows a **yield**: the floor passes after a gap, or a slight overlap.

A stretch of the holder after a silence of their own ends a **hold**. A failed claim that goes on after the holder has
stopped, too late to be interrupted, does not get the floor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.samples import to_samples
from pipeline.timing.rttm import Stretch


@dataclass(frozen=True)
class FloorRules:
    """The thresholds of the mapping; the defaults are those of Table 23."""

    merge_below_s: float = 0.15
    hold_from_s: float = 0.20
    overlap_from_s: float = 0.10
    """Less overlap does not count as falling into the holder's speech."""
    backchannel_to_s: float = 1.20
    backchannel_to_words: int = 3
    interruption_from_s: float = 1.00
    silent_within_s: float = 2.50
    """The holder stops within this time of an interrupter's onset."""


TABLE_23 = FloorRules()


KINDS = (
    "floor_transfer_offset",
    "yield_gap",
    "hold_pause",
    "interruption_overlap",
    "floor_segment",
    "failed_claim",
    "backchannel",
)
"""The first is that of all transfers; a floor segment is speech up to a transfer or a hold."""


def floor_events(
    stretches: Sequence[Stretch], words: Mapping[str, Sequence[int]] | None = None, rules: FloorRules = TABLE_23
) -> dict[str, list[int]]:
    """How long each event of one recording lasted [samples], by :data:`KINDS`; a gap or offset below 0 is an overlap.

    `words`: the middle of each word [samples] by speaker; None where they are not known.
    """
    merged = merge(stretches, to_samples(rules.merge_below_s))
    brief = [_is_brief(stretch, words, rules) for stretch in merged]
    events: dict[str, list[int]] = {kind: [] for kind in KINDS}
    if not merged:
        return events
    first = brief.index(False) if False in brief else 0
    held = begun = merged[first]
    for n, stretch in enumerate(merged[first + 1 :], first + 1):
        during = min(stretch.end, held.end) - stretch.start >= to_samples(rules.overlap_from_s)
        offset = stretch.start - held.end
        if stretch.speaker == held.speaker:
            if offset >= to_samples(rules.hold_from_s):
                events["hold_pause"].append(offset)
                events["floor_segment"].append(held.end - begun.start)
                begun = stretch
            held = stretch
        elif brief[n] and (during or _goes_on(held.speaker, merged[n + 1 :], brief[n + 1 :])):
            events["backchannel"].append(stretch.length)
        elif during and not _interrupts(stretch, held, rules):
            events["failed_claim"].append(stretch.length)
        else:
            events["floor_transfer_offset"].append(offset)
            events["interruption_overlap" if during else "yield_gap"].append(-offset if during else offset)
            events["floor_segment"].append(held.end - begun.start)
            held = begun = stretch
    return events


def merge(stretches: Sequence[Stretch], below: int) -> list[Stretch]:
    """The stretches of each speaker joined over gaps of less than `below` samples; all in order of their onset."""
    merged: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda s: (s.speaker, s.start, s.end)):
        last = merged[-1] if merged else None
        if last and last.speaker == stretch.speaker and stretch.start - last.end < below:
            merged[-1] = Stretch(last.speaker, last.start, max(last.end, stretch.end))
        else:
            merged.append(stretch)
    return sorted(merged, key=lambda s: (s.start, s.end, s.speaker))


def _is_brief(stretch: Stretch, words: Mapping[str, Sequence[int]] | None, rules: FloorRules) -> bool:
    if stretch.length > to_samples(rules.backchannel_to_s):
        return False
    spoken = sum(stretch.start <= middle < stretch.end for middle in (words or {}).get(stretch.speaker, ()))
    return spoken <= rules.backchannel_to_words


def _goes_on(holder: str, later: Sequence[Stretch], brief: Sequence[bool]) -> bool:
    """Whether the holder is the next to say more than a backchannel, or nobody is."""
    return next((s.speaker == holder for s, short in zip(later, brief, strict=True) if not short), True)


def _interrupts(stretch: Stretch, held: Stretch, rules: FloorRules) -> bool:
    """Whether a stretch that falls into the holder's speech makes the holder stop."""
    lasts = stretch.length >= to_samples(rules.interruption_from_s)
    return lasts and stretch.end > held.end <= stretch.start + to_samples(rules.silent_within_s)
