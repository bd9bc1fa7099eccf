"""Events and the ownership track, derived from segments and turns by the design's rules.

The same function labels the planned timeline and the measured one: it reads `Segment.bounds`.
"""

from collections.abc import Mapping, Sequence

from pipeline.records import CutWord, Event, EventKind, Holding, Links, Segment, Span, Turn, Utterance, Word
from pipeline.samples import to_samples
from pipeline.text import words_of

LEAST_HEARD_S = 0.03
"""A word that begins later than this before its speaker is cut off is not heard, and not said: the times of words are
right to about that much, and the sound fades over the last of it."""
WHOLE = 0.95
"""Whoever has heard this share of a word has heard it."""

_ASIDE: dict[str, EventKind] = {
    "claim": "non_floor_taking",
    "backchannel": "backchannel",
    "laughter": "laughter",
}


def events(
    segments: Sequence[Segment], turns: Sequence[Turn], utterances: Mapping[str, Utterance]
) -> tuple[Event, ...]:
    """All labels, ordered and numbered by their planned onset."""
    found = [_aside(s, utterances[s.utterance_id]) for s in segments if s.role != "floor"]
    by_id = {segment.id: segment for segment in segments}
    for turn in turns:
        found += _of_turn(turn, [by_id[ident] for ident in turn.segments], utterances)
    found.sort(key=lambda event: (event.planned.start, event.planned.end, event.kind, event.speaker))
    return tuple(event.model_copy(update={"id": f"e{n}"}) for n, event in enumerate(found, 1))


def _of_turn(turn: Turn, parts: list[Segment], utterances: Mapping[str, Utterance]) -> list[Event]:
    found = []
    if turn.entry == "interruption":
        links = Links(interrupts=turn.interrupts)
        found.append(_event("interruption", parts[0], utterances[parts[0].utterance_id], links))
    for n, part in enumerate(parts):
        utterance, links = utterances[part.utterance_id], Links(resumes=turn.resumes)
        if part.ending == "yield":
            found.append(_event("turn_yield", part, utterance, links))
        elif part.ending == "interrupted":
            found.append(_event("turn_interrupted", part, utterance, links))
        elif part.ending == "hold":
            found.append(_hold(part, parts[n + 1], utterance, links))
    return found


def _event(kind: EventKind, segment: Segment, utterance: Utterance, links: Links) -> Event:
    return Event(
        id="e0",
        kind=kind,
        speaker=segment.speaker,
        onset=segment.bounds.start,
        offset=segment.bounds.end,
        planned=segment.planned,
        segment_id=segment.id,
        turn_id=segment.turn_id,
        text=_text(segment, utterance),
        cut=cut_word(segment, utterance),
        links=links,
    )


def _hold(before: Segment, after: Segment, utterance: Utterance, links: Links) -> Event:
    pause = Span(start=before.planned.end, end=after.planned.start)
    return _event("turn_hold", before, utterance, links).model_copy(
        update={"onset": before.bounds.end, "offset": after.bounds.start, "planned": pause}
    )


def _aside(segment: Segment, utterance: Utterance) -> Event:
    field = "contests" if segment.role == "claim" else "responds_to"
    links = Links.model_validate({field: segment.during})
    return _event(_ASIDE[segment.role], segment, utterance, links)


def text_of(segment: Segment, utterances: Mapping[str, Utterance]) -> str:
    """The written words that are said in a segment, the last one maybe in part, with their punctuation."""
    return _text(segment, utterances[segment.utterance_id])


def words_said(segment: Segment, utterance: Utterance) -> tuple[Word, ...]:
    """The words of :func:`text_of`, each where it sounds [samples on the channel], inside the segment's bounds."""
    found, at = [], segment.bounds.start
    for word in (utterance.words[n] for n in _said(segment, utterance)):
        start = min(max(word.start + segment.origin, at), segment.bounds.end)
        at = max(start, min(word.end + segment.origin, segment.bounds.end))
        found.append(Word(text=word.text, start=start, end=at))
    return tuple(found)


def cut_word(segment: Segment, utterance: Utterance) -> CutWord | None:
    """The word in which a segment is cut off; None where it ends with a word."""
    said = _said(segment, utterance)
    if not said or not _is_cut(segment, utterance):
        return None
    word = utterance.words[said[-1]]
    share = (_heard_until(segment) - word.start) / max(1, word.end - word.start)
    return CutWord(word=word.text, heard=round(max(share, 0.01), 2)) if share < WHOLE else None


def _is_cut(segment: Segment, utterance: Utterance) -> bool:
    """Whether its speaker was cut off, or gave up, inside the utterance."""
    return segment.ending == "interrupted" or (segment.ending is None and segment.source.end < utterance.speech.end)


def _heard_until(segment: Segment) -> int:
    """Where the sound ends inside the utterance [samples]: where it was cut, or where it was silent by then."""
    return min(segment.source.end, segment.bounds.end - segment.origin)


def _said(segment: Segment, utterance: Utterance) -> list[int]:
    """Which words of the utterance are said in a segment, by number."""
    inside = [n for n, w in enumerate(utterance.words) if segment.source.start <= w.start < segment.source.end]
    if not _is_cut(segment, utterance):
        return inside
    last = _heard_until(segment) - to_samples(LEAST_HEARD_S)
    return [n for n in inside if utterance.words[n].start <= last] or inside[:1]


def _text(segment: Segment, utterance: Utterance) -> str:
    said, broken = _said(segment, utterance), cut_word(segment, utterance) is not None
    if not broken and (not utterance.words or len(said) == len(utterance.words)):
        return utterance.written
    return _written_range(utterance, said, broken) if said else ""


def _written_range(utterance: Utterance, said: list[int], broken: bool) -> str:
    """The stretch of the written text that holds the words `said`, as it is punctuated there.

    No mark follows a word that is broken off.
    """
    text, begin, at = utterance.written, 0, 0
    for n, word in enumerate(utterance.words[: said[-1] + 1]):
        found = text.find(word.text, at)
        if found < 0:
            return " ".join(utterance.words[i].text for i in said)
        at = found + len(word.text)
        if n == said[0]:
            begin = found
    following = "" if broken else text[at : at + 1]
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
