"""Events and the ownership track, derived from segments and turns by the design's rules.

The same function labels the planned timeline and the measured one: it reads `Segment.bounds`.
"""

from collections.abc import Mapping, Sequence

from pipeline.records import Event, EventKind, Holding, Links, Segment, Span, Turn, Utterance
from pipeline.text import words_of

_ASIDE: dict[str, EventKind] = {
    "claim": "non_floor_taking",
    "backchannel": "backchannel",
    "laughter": "laughter",
}


def events(
    segments: Sequence[Segment], turns: Sequence[Turn], utterances: Mapping[str, Utterance]
) -> tuple[Event, ...]:
    """All labels, ordered and numbered by their planned onset."""
    found = [_aside(s, utterances) for s in segments if s.role != "floor"]
    by_id = {segment.id: segment for segment in segments}
    for turn in turns:
        found += _of_turn(turn, [by_id[ident] for ident in turn.segments], utterances)
    found.sort(key=lambda event: (event.planned.start, event.planned.end, event.kind, event.speaker))
    return tuple(event.model_copy(update={"id": f"e{n}"}) for n, event in enumerate(found, 1))


def _of_turn(turn: Turn, parts: list[Segment], utterances: Mapping[str, Utterance]) -> list[Event]:
    found = []
    if turn.entry == "interruption":
        links = Links(interrupts=turn.interrupts)
        found.append(_event("interruption", parts[0], text_of(parts[0], utterances), links))
    for n, part in enumerate(parts):
        text, links = text_of(part, utterances), Links(resumes=turn.resumes)
        if part.ending == "yield":
            found.append(_event("turn_yield", part, text, links))
        elif part.ending == "interrupted":
            found.append(_event("turn_interrupted", part, text, links))
        elif part.ending == "hold":
            found.append(_hold(part, parts[n + 1], text, links))
    return found


def _event(kind: EventKind, segment: Segment, text: str, links: Links) -> Event:
    return Event(
        id="e0",
        kind=kind,
        speaker=segment.speaker,
        onset=segment.bounds.start,
        offset=segment.bounds.end,
        planned=segment.planned,
        segment_id=segment.id,
        turn_id=segment.turn_id,
        text=text,
        links=links,
    )


def _hold(before: Segment, after: Segment, text: str, links: Links) -> Event:
    pause = Span(start=before.planned.end, end=after.planned.start)
    return _event("turn_hold", before, text, links).model_copy(
        update={"onset": before.bounds.end, "offset": after.bounds.start, "planned": pause}
    )


def _aside(segment: Segment, utterances: Mapping[str, Utterance]) -> Event:
    field = "contests" if segment.role == "claim" else "responds_to"
    links = Links.model_validate({field: segment.during})
    return _event(_ASIDE[segment.role], segment, text_of(segment, utterances), links)


def text_of(segment: Segment, utterances: Mapping[str, Utterance]) -> str:
    """The written words that are spoken in a segment, the last one maybe in part, with their punctuation."""
    utterance = utterances[segment.utterance_id]
    inside = [n for n, w in enumerate(utterance.words) if segment.source.start <= w.start < segment.source.end]
    if not utterance.words or len(inside) == len(utterance.words):
        return utterance.written
    return _written_range(utterance, inside) if inside else ""


def _written_range(utterance: Utterance, inside: list[int]) -> str:
    """The stretch of the written text that holds the words `inside`, as it is punctuated there."""
    text, begin, at = utterance.written, 0, 0
    for n, word in enumerate(utterance.words[: inside[-1] + 1]):
        found = text.find(word.text, at)
        if found < 0:
            return " ".join(utterance.words[i].text for i in inside)
        at = found + len(word.text)
        if n == inside[0]:
            begin = found
    following = text[at : at + 1]
    return text[begin:at] + (following if following and not words_of(following) and following.strip() else "")


def ownership(segments: Sequence[Segment], turns: Sequence[Turn], n_samples: int) -> tuple[Holding, ...]:
    """Who holds the floor, over the whole conversation.

    It passes at the cut-off for an interruption, and at the new onset otherwise, though the former holder may
    still sound; nobody holds it before the first turn, in a gap, and after the last offset.
    """
    by_id = {segment.id: segment for segment in segments}
    spans = [(t, by_id[t.segments[0]].bounds.start, by_id[t.segments[-1]].bounds.end) for t in turns]
    track, at = [], 0
    for n, (turn, onset, offset) in enumerate(spans):
        start = spans[n - 1][2] if turn.entry == "interruption" else onset
        following = spans[n + 1] if n + 1 < len(spans) else None
        end = min(offset, following[1]) if following and following[0].entry == "handover" else offset
        if start > at:
            track.append(Holding(holder=None, start=at, end=start))
        track.append(Holding(holder=turn.speaker, start=start, end=end))
        at = end
    return (*track, Holding(holder=None, start=at, end=n_samples)) if at < n_samples else tuple(track)
