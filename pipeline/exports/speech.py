"""Who speaks when, and what, as other tools ask for it.

Laughter is no speech here: it is neither voice activity nor text; words that follow a laugh are both.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.audit.intervals import intervals
from pipeline.gold import PAUSE_S
from pipeline.label import text_of, words_said
from pipeline.records import Segment, Span, Timeline, Utterance, Word
from pipeline.records.script import LAUGHTER
from pipeline.samples import to_samples


@dataclass(frozen=True)
class Said:
    """A segment with its words; times in samples on the speaker's channel."""

    id: str
    speaker: str
    channel: int
    role: str
    start: int
    end: int
    text: str
    """The written words with their punctuation."""
    words: tuple[Word, ...]


def said(timeline: Timeline) -> list[Said]:
    """Every segment that has words and sounds, in order of time, then of speaker."""
    utterances = {utterance.id: utterance for utterance in timeline.utterances}
    found = [_said(segment, utterances) for segment in timeline.segments if segment.bounds.length]
    return sorted((one for one in found if one.text), key=lambda one: (one.start, one.channel, one.end))


def _said(segment: Segment, utterances: dict[str, Utterance]) -> Said:
    speech = _speech(segment, utterances[segment.utterance_id])
    return Said(
        id=segment.id,
        speaker=segment.speaker,
        channel=segment.channel,
        role=segment.role,
        start=speech.start,
        end=speech.end,
        text=" ".join(text_of(segment, utterances).removeprefix(LAUGHTER).split()),
        words=words_said(segment, utterances[segment.utterance_id]),
    )


def _speech(segment: Segment, utterance: Utterance) -> Span:
    """Its bounds without a laugh before the words."""
    if utterance.laugh is None:
        return segment.bounds
    after = min(max(segment.bounds.start, utterance.laugh.end + segment.origin), segment.bounds.end)
    return Span(start=after, end=segment.bounds.end)


def activity(timeline: Timeline, speaker: str) -> list[Span]:
    """Where a speaker speaks: spans without a pause of 0.2 s, in order, none empty, none touching the next.

    0.2 s is the shortest pause that counts as one in `gold.json` (see :mod:`pipeline.gold`).
    """
    utterances = {utterance.id: utterance for utterance in timeline.utterances}
    spans: list[Span] = []
    for segment in timeline.segments:
        utterance = utterances[segment.utterance_id]
        if segment.speaker == speaker and not (utterance.kind == "laughter" and not words_said(segment, utterance)):
            spans += _without_pauses(_speech(segment, utterance), segment, to_samples(PAUSE_S, timeline.rate))
    return [Span(start=start, end=end) for start, end in intervals((s.start, s.end) for s in spans).tolist()]


def _without_pauses(speech: Span, segment: Segment, shortest: int) -> Iterable[Span]:
    at = speech.start
    for pause in (pause.measured or pause.planned for pause in segment.pauses):
        if pause.length >= shortest and at < pause.start and pause.end < speech.end:
            yield Span(start=at, end=pause.start)
            at = pause.end
    yield Span(start=at, end=speech.end)
