"""Which slice each positive and hard negative is in (Tables 26 and 30 to 32 of the MultiPartyTurnBench paper).

==================  ========================================  =====================================================
slice               values                                    of
==================  ========================================  =====================================================
speakers            2, 3, 4, 5                                everything
type                interaction types                         everything
snr                 20-25, 25-30, ... dB; no bed              everything
distant             absent, present: distant speech           everything
hold                contested, uncontested                    EOT negatives
clause ending       . ? — , other                             EOT, before the pause or the yield
claim words         1-3, 4-8, 9+                              INT positives, of what the claimant was to say
negative words      1, 2-3, 4+                                INT negatives
negative            backchannel, laughter                     INT negatives
==================  ========================================  =====================================================

A hold is contested when a failed claim of another speaker overlaps its pause.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.evaluation.items import ConversationItems, Item
from pipeline.evaluation.scorer import Task, speakers_of, track_of
from pipeline.output.figures import is_contested
from pipeline.records import Event, Gold, Timeline

Slices = tuple[tuple[str, str], ...]
ENDINGS = ".?—,"
"""Last characters that a clause is sliced by; whatever else it ends with is `other`."""
SNR_STEP_DB = 5
_CLOSING = " \"'”’)"


def items_of(gold: Gold, timeline: Timeline, meta: Mapping[str, Any]) -> dict[Task, ConversationItems]:
    """The items of both tasks in one conversation, with their slices.

    Parameters
    ----------
    gold, timeline
        Of the conversation.
    meta
        Its `meta.json`.

    """
    events = {event.id: event for event in timeline.events}
    whole = conversation_slices(timeline, meta)
    own: dict[Task, Callable[[Event], Slices]] = {
        "eot": lambda event: eot_slices(event, timeline),
        "interruption": lambda event: interruption_slices(event, timeline),
    }
    cluster = cluster_of(timeline)
    return {task: _items(gold, task, cluster, events, whole, slices) for task, slices in own.items()}


def cluster_of(timeline: Timeline) -> str:
    """The counterfactual pair that a conversation is of, or itself."""
    return timeline.pair.id if timeline.pair else timeline.conversation_id


def _items(
    gold: Gold, task: Task, cluster: str, events: Mapping[str, Event], whole: Slices, own: Callable[[Event], Slices]
) -> ConversationItems:
    def item(event_id: str) -> Item:
        # A pause that is no event of its own (`holds=all`) has the slices of its conversation alone.
        more = own(events[event_id]) if event_id in events else ()
        return Item(cluster, event_id, (*whole, *more))

    track = track_of(gold, task)
    speakers = speakers_of(track)
    return ConversationItems(
        {s: tuple(item(anchor.event_id) for anchor in track.positives if anchor.speaker == s) for s in speakers},
        {s: tuple(item(span.event_id) for span in track.negatives if span.speaker == s) for s in speakers},
    )


def conversation_slices(timeline: Timeline, meta: Mapping[str, Any]) -> Slices:
    """The slices of a conversation as a whole."""
    nuisance = meta.get("nuisance", {})
    distant = any(one["kind"] == "distant" for one in nuisance.get("nuisance", ()))
    return (
        ("speakers", str(len(timeline.speakers))),
        ("type", str(meta["spec"]["type"])),
        ("snr", snr_bin(nuisance.get("levels", {}).get("snr_drawn_db"))),
        ("distant", "present" if distant else "absent"),
    )


def snr_bin(snr_db: float | None) -> str:
    """The bin of 5 dB that an SNR lies in.

    >>> snr_bin(24.9), snr_bin(25.0), snr_bin(None)
    ('20-25 dB', '25-30 dB', 'no bed')
    """
    if snr_db is None:
        return "no bed"
    low = math.floor(snr_db / SNR_STEP_DB) * SNR_STEP_DB
    return f"{low}-{low + SNR_STEP_DB} dB"


def eot_slices(event: Event, timeline: Timeline) -> Slices:
    """The slices of a yield or a hold."""
    ending = ("clause ending", clause_ending(event.text))
    if event.kind != "turn_hold":
        return (ending,)
    return (ending, ("hold", "contested" if is_contested(event, timeline) else "uncontested"))


def clause_ending(text: str) -> str:
    """How a clause ends, closing quotes and brackets aside.

    >>> clause_ending('"Why not?"'), clause_ending("and then—"), clause_ending("No way!")
    ('?', '—', 'other')
    """
    last = text.rstrip(_CLOSING)[-1:]
    return last if last and last in ENDINGS else "other"


def interruption_slices(event: Event, timeline: Timeline) -> Slices:
    """The slices of an interruption, a backchannel or a laugh."""
    if event.kind == "interruption":
        written = timeline.utterance(timeline.segment(event.segment_id).utterance_id).written
        return (("claim words", _words(written, ((3, "1-3"), (8, "4-8")), "9+")),)
    return (
        ("negative", event.kind),
        ("negative words", _words(event.text, ((1, "1"), (3, "2-3")), "4+")),
    )


def _words(text: str, bins: tuple[tuple[int, str], ...], more: str) -> str:
    number = len(text.split())
    return next((name for most, name in bins if number <= most), more)
