"""Who and what a timeline speaks of: ids, references, participants."""

from collections import Counter
from collections.abc import Iterator

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, when
from pipeline.records import Links, Timeline


def ids_unique(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No two records of a kind share an id."""
    kinds: dict[str, list[str]] = {
        "speaker": [item.id for item in timeline.speakers],
        "utterance": [item.id for item in timeline.utterances],
        "segment": [item.id for item in timeline.segments],
        "turn": [item.id for item in timeline.turns],
        "event": [item.id for item in timeline.events],
    }
    for kind, ids in kinds.items():
        for ident, count in Counter(ids).items():
            if count > 1:
                yield FloorError("ids-unique", f"{kind} {ident} occurs {count} times; give each its own id")


def links_resolve(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every reference leads to a record of the right kind."""
    ids = {
        "utterance": {item.id for item in timeline.utterances},
        "segment": {item.id for item in timeline.segments},
        "turn": {item.id for item in timeline.turns},
        "event": {item.id for item in timeline.events},
    }
    for owner, kind, ident in _references(timeline):
        if ident is not None and ident not in ids[kind]:
            yield FloorError("links-resolve", f"{owner} refers to {kind} {ident}, which is not in the timeline")


def _references(timeline: Timeline) -> Iterator[tuple[str, str, str | None]]:
    for segment in timeline.segments:
        yield f"segment {segment.id}", "utterance", segment.utterance_id
        yield f"segment {segment.id}", "turn", segment.turn_id
        yield f"segment {segment.id} (during)", "turn", segment.during
    for turn in timeline.turns:
        yield from ((f"turn {turn.id}", "segment", ident) for ident in turn.segments)
        yield f"turn {turn.id} (interrupts)", "turn", turn.interrupts
        yield f"turn {turn.id} (resumes)", "turn", turn.resumes
    for event in timeline.events:
        yield f"event {event.id}", "segment", event.segment_id
        yield f"event {event.id}", "turn", event.turn_id
        for name in Links.model_fields:
            yield f"event {event.id} ({name})", "turn", getattr(event.links, name)
    if timeline.pair is not None:
        yield f"pair {timeline.pair.id}", "segment", timeline.pair.segment_id
        yield f"pair {timeline.pair.id}", "event", timeline.pair.event_id


def resumed_turn(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """A turn resumes an earlier one of its own speaker."""
    for number, turn in enumerate(timeline.turns):
        if turn.resumes is None:
            continue
        if not any(t.id == turn.resumes and t.speaker == turn.speaker for t in timeline.turns[:number]):
            yield FloorError(
                "links-resolve", f"turn {turn.id} resumes {turn.resumes}, which is no earlier turn of {turn.speaker}"
            )


def known_speaker(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Every speaker is a participant, and sounds on that participant's channel, with an utterance of their own."""
    channels = {speaker.id: speaker.channel for speaker in timeline.speakers}
    for what, speaker in _spoken_by(timeline):
        if speaker not in channels:
            yield FloorError("known-speaker", f"{what} is {speaker}'s, who takes no part")
    for segment in timeline.segments:
        channel = channels.get(segment.speaker, segment.channel)
        if segment.channel != channel:
            yield FloorError(
                "known-speaker",
                f"segment {segment.id} is on channel {segment.channel}; {segment.speaker} is recorded on {channel}",
            )
        if timeline.utterance(segment.utterance_id).speaker != segment.speaker:
            yield FloorError(
                "known-speaker",
                f"segment {segment.id} of {segment.speaker} is cut from utterance {segment.utterance_id} of another",
            )


def _spoken_by(timeline: Timeline) -> Iterator[tuple[str, str]]:
    yield from ((f"utterance {item.id}", item.speaker) for item in timeline.utterances)
    yield from ((f"segment {item.id}", item.speaker) for item in timeline.segments)
    yield from ((f"turn {item.id}", item.speaker) for item in timeline.turns)
    yield from ((f"event {item.id}", item.speaker) for item in timeline.events)
    yield from ((f"the floor at {when(timeline, h.start)}", h.holder) for h in timeline.ownership if h.holder)
