"""Which moments annotators are asked about: logged events, and moments at which the log has none."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pipeline.gold import PAUSE_S
from pipeline.records import Event, Record, Span, Timeline
from pipeline.records.spec import Ident
from pipeline.samples import to_samples
from pipeline.seeds import generator, seed_for

from .categories import ASKED, Category

BEFORE_S, AFTER_S = 8.0, 5.0
"""Heard before and after the moment, as far as the conversation goes [s]."""
JITTER_S = 0.3
"""How far the moment shown may lie from the logged one, uniform [s]: the boundary is for annotators to find."""
ALONE_S = 1.5
"""No event begins, ends or is anchored so near to a moment of which the log has none [s]."""
LETTERS = "ABCDEFGH"


class Candidate(Record):
    """A moment, and what the log says of it: this is the key, which no annotator sees."""

    id: Ident
    """Says nothing of what it is."""
    conversation: Ident
    n_speakers: int
    event: Ident | None = None
    """None: the log has no event there."""
    label: Category
    speaker: Ident
    letters: dict[str, Ident]
    """What speakers are called in the form."""
    clip: Span
    """[samples of the conversation]"""
    shown: int
    """The moment that the form points at [sample of the conversation]."""
    anchor: int
    """The moment by the log: an offset for yields, the start of the pause for holds, else an onset [sample]."""
    holder: Ident | None = None
    """Who has the floor after it by the log; None: nobody."""


def drawn(timelines: Sequence[Timeline], per_kind: int, none_there: int, seed: int) -> list[Candidate]:
    """Candidates of all conversations.

    Parameters
    ----------
    timelines
        Of the conversations.
    per_kind
        Events of each kind, as evenly over numbers of speakers as there are; 0: all.
    none_there
        Moments without an event.
    seed
        Draws them.

    """
    by_id = {timeline.conversation_id: timeline for timeline in timelines}
    found = [one for kind in ASKED for one in _of_kind(timelines, kind, per_kind, seed)]
    events = [_candidate(by_id[conversation], event, seed) for conversation, event in found]
    return [*events, *_foils(timelines, none_there, seed)]


def _of_kind(timelines: Sequence[Timeline], kind: str, most: int, seed: int) -> list[tuple[str, Event]]:
    """Events of one kind, drawn in turn from the conversations of each number of speakers."""
    groups: dict[int, list[tuple[str, Event]]] = {}
    for timeline in timelines:
        some = groups.setdefault(len(timeline.speakers), [])
        some += [(timeline.conversation_id, event) for event in timeline.events if event.kind == kind]
    piles = [
        [group[n] for n in generator(seed, "annotation", kind, number).permutation(len(group))]
        for number, group in sorted(groups.items())
    ]
    dealt = [pile[n] for n in range(max(map(len, piles), default=0)) for pile in piles if n < len(pile)]
    return dealt[:most] if most else dealt


def _candidate(timeline: Timeline, event: Event, seed: int) -> Candidate:
    label: Category = event.kind  # type: ignore[assignment]  # ASKED has no other
    return _shown(timeline, event.id, label, event.speaker, anchor_of(event), _holder_after(timeline, event), seed)


def anchor_of(event: Event) -> int:
    """The sample that an event is about."""
    return event.offset if event.kind == "turn_yield" else event.onset


def _holder_after(timeline: Timeline, event: Event) -> str | None:
    """Who has the floor after an event: after a yield whoever comes next."""
    if event.kind in ("turn_hold", "interruption"):
        return event.speaker
    if event.kind == "turn_yield":
        later = (one.holder for one in timeline.ownership if one.start >= event.offset and one.holder)
        latched = (one.holder for one in timeline.ownership if one.start < event.offset < one.end)
        now = next(latched, None)
        return now if now not in (None, event.speaker) else next(later, None)
    return next((one.holder for one in timeline.ownership if one.start <= event.onset < one.end), None)


def _shown(
    timeline: Timeline, event: str | None, label: Category, speaker: str, anchor: int, holder: str | None, seed: int
) -> Candidate:
    names = (timeline.conversation_id, event or f"sample {anchor}")
    rng = generator(seed, "annotation", *names)
    ids = [one.id for one in timeline.speakers]
    order = rng.permutation(len(ids))
    jitter = to_samples(float(rng.uniform(-JITTER_S, JITTER_S)), timeline.rate)
    shown = int(np.clip(anchor + jitter, 0, timeline.n_samples))
    before, after = to_samples(BEFORE_S, timeline.rate), to_samples(AFTER_S, timeline.rate)
    return Candidate(
        id=f"q{seed_for(seed, 'annotation', 'id', *names) % 16**12:012x}",
        conversation=timeline.conversation_id,
        n_speakers=len(ids),
        event=event,
        label=label,
        speaker=speaker,
        letters={LETTERS[n]: ids[k] for n, k in enumerate(order)},
        clip=Span(start=max(0, shown - before), end=min(timeline.n_samples, shown + after)),
        shown=shown,
        anchor=anchor,
        holder=holder,
    )


def _foils(timelines: Sequence[Timeline], count: int, seed: int) -> Iterator[Candidate]:
    """Moments inside somebody's speech that no event is near."""
    places = [(timeline, speaker, sample) for timeline in timelines for speaker, sample in _uneventful(timeline, seed)]
    for n in generator(seed, "annotation", "none").permutation(len(places))[:count]:
        timeline, speaker, sample = places[n]
        holder = next((one.holder for one in timeline.ownership if one.start <= sample < one.end), None)
        yield _shown(timeline, None, "none_of_these", speaker, sample, holder, seed)


def _uneventful(timeline: Timeline, seed: int) -> Iterator[tuple[str, int]]:
    """At most one moment of each segment that is far from all events."""
    alone = to_samples(ALONE_S, timeline.rate)
    taken = np.array(
        [sample for event in timeline.events for sample in (event.onset, event.offset)] + list(_pauses(timeline))
    )
    for segment in timeline.segments:
        bounds = segment.bounds
        if segment.role == "floor" and bounds.length > 2 * alone:
            rng = generator(seed, "annotation", "none", timeline.conversation_id, segment.id)
            sample = int(rng.integers(bounds.start + alone, bounds.end - alone))
            if not len(taken) or int(np.abs(taken - sample).min()) >= alone:
                yield segment.speaker, sample


def _pauses(timeline: Timeline) -> Iterator[int]:
    """Where pauses inside segments begin and end that a listener may take for holds."""
    for segment in timeline.segments:
        for pause in segment.pauses:
            bounds = pause.measured or pause.planned
            if bounds.length >= to_samples(PAUSE_S, timeline.rate):
                yield from (bounds.start, bounds.end)


def by_id(candidates: Sequence[Candidate]) -> Mapping[str, Candidate]:
    """Candidates by their ids."""
    return {one.id: one for one in candidates}
