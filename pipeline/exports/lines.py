"""Formats of a line an item, for scoring tools: RTTM with UEM, CTM, STM, SegLST, and Audacity's labels.

Times are seconds with six decimals, which give back the same sample.
"""

import json
from collections.abc import Mapping

from pipeline.exports.job import Job
from pipeline.exports.speech import activity, said
from pipeline.exports.tiers import label
from pipeline.loader import Conversation
from pipeline.records import EVENT_KINDS, Event
from pipeline.samples import to_seconds

RECORDING = "1"
"""The channel of RTTM and UEM: speakers are told apart by name, on one recording, as scorers expect it."""


def seconds(samples: int, rate: int) -> str:
    """Seconds as these formats write them.

    >>> seconds(7200, 24000)
    '0.300000'
    """
    return f"{to_seconds(samples, rate):.6f}"


def rttm_text(conversation: Conversation) -> str:
    """RTTM of ten fields: a SPEAKER line a stretch of speech, in order of time.

    Source: NIST, RT-09 evaluation plan, appendix A.
    """
    rate, timeline = conversation.rate, conversation.timeline
    spans = [(s.start, s.end, one.id) for one in timeline.speakers for s in activity(timeline, one.id)]
    return "".join(
        f"SPEAKER {conversation.id} {RECORDING} {seconds(start, rate)} {seconds(end - start, rate)} <NA> <NA> {speaker}"
        " <NA> <NA>\n"
        for start, end, speaker in sorted(spans)
    )


def uem_text(conversation: Conversation) -> str:
    """UEM: the whole conversation is to be scored."""
    return f"{conversation.id} {RECORDING} {seconds(0, 1)} {seconds(conversation.n_samples, conversation.rate)}\n"


def rttm(job: Job) -> None:
    """Write ``ID.rttm`` and ``ID.uem`` of each conversation."""
    job.each(lambda one: {f"{one.id}.rttm": rttm_text(one), f"{one.id}.uem": uem_text(one)})


def ctm(job: Job) -> None:
    """Write ``ID.ctm`` of each conversation: a line a word; the channel is the speaker."""
    job.each(lambda one: {f"{one.id}.ctm": _ctm_text(one)})


def _ctm_text(conversation: Conversation) -> str:
    rate = conversation.rate
    words = [(w.start, one.speaker, w.end, w.text) for one in said(conversation.timeline) for w in one.words]
    return "".join(
        f"{conversation.id} {speaker} {seconds(start, rate)} {seconds(end - start, rate)} {text} 1.0\n"
        for start, speaker, end, text in sorted(words, key=lambda word: (word[1], word[0]))
        if end > start
    )


def stm(job: Job) -> None:
    """Write ``ID.stm`` of each conversation: a line a segment; channel and speaker are the speaker."""
    job.each(lambda one: {f"{one.id}.stm": _stm_text(one)})


def _stm_text(conversation: Conversation) -> str:
    rate = conversation.rate
    return "".join(
        f"{conversation.id} {one.speaker} {one.speaker} "
        f"{seconds(one.start, rate)} {seconds(one.end, rate)} {one.text}\n"
        for one in said(conversation.timeline)
    )


def seglst(job: Job) -> None:
    """Write ``ID.seglst.json`` of each conversation: meeteval's segments; what each is to the floor is in `role`."""
    job.each(lambda one: {f"{one.id}.seglst.json": _seglst_text(one)})


def _seglst_text(conversation: Conversation) -> str:
    segments = [
        {
            "session_id": conversation.id,
            "speaker": one.speaker,
            "start_time": to_seconds(one.start, conversation.rate),
            "end_time": to_seconds(one.end, conversation.rate),
            "words": one.text,
            "segment_index": one.id,
            "role": one.role,
        }
        for one in said(conversation.timeline)
    ]
    return json.dumps(segments, indent=1, ensure_ascii=False) + "\n"


def audacity(job: Job) -> None:
    """Write ``ID.SPEAKER.txt``, a label track a speaker: each event with its kind and words."""
    job.each(_labels)


def _labels(conversation: Conversation) -> Mapping[str, str]:
    rate = conversation.rate
    lines: dict[str, str] = {speaker.id: "" for speaker in conversation.speakers}
    for event in sorted(conversation.events, key=_place):
        text = f"{event.kind}: {label(event)}" if label(event) else event.kind
        lines[event.speaker] += f"{seconds(event.onset, rate)}\t{seconds(event.offset, rate)}\t{text}\n"
    return {f"{conversation.id}.{speaker}.txt": text for speaker, text in lines.items()}


def _place(event: Event) -> tuple[int, int, int]:
    return event.onset, event.offset, EVENT_KINDS.index(event.kind)
