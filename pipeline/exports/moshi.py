"""The layout that fine-tuning of Moshi reads: stereo sound and, beside it, the words of the left channel.

Source: the README of kyutai-labs/moshi-finetune, "Prepare dataset". Left is Moshi: the agent where there is one, else
the first speaker. The alignments are in order of time and hold no word without length, as its loader expects.
"""

import json

from pipeline.exports.audio import wav_bytes
from pipeline.exports.job import Job
from pipeline.exports.speech import said
from pipeline.loader import Conversation
from pipeline.output.files import dump_lines
from pipeline.records import Speaker
from pipeline.samples import to_seconds

MAIN = "SPEAKER_MAIN"
RATE = 24_000
"""The rate of Moshi's codec [Hz]."""


def moshi(job: Job) -> None:
    """Write ``SPLIT.jsonl``, and ``data_stereo/ID.wav`` with ``ID.json`` of each conversation."""
    listed: dict[str, list[dict[str, object]]] = {}
    for conversation in job.conversations():
        left, right = sides(conversation)
        name = f"data_stereo/{conversation.id}"
        both = conversation.channels(job.kind)[[left.channel, right.channel]]
        job.bytes(f"{name}.wav", wav_bytes(both.T, conversation.rate, job.rate or RATE))
        job.text(f"{name}.json", json.dumps({"alignments": alignments(conversation, left.id)}, ensure_ascii=False))
        line = {"path": f"{name}.wav", "duration": conversation.duration_s}
        listed.setdefault(conversation.spec.split, []).append(line)
    for split, lines in listed.items():
        job.text(f"{split}.jsonl", dump_lines(lines))


def sides(conversation: Conversation) -> tuple[Speaker, Speaker]:
    """Who is on the left and who on the right: an agent left, else as they are numbered."""
    first, second = sorted(conversation.speakers, key=lambda speaker: speaker.role != "agent")
    return first, second


def alignments(conversation: Conversation, speaker: str) -> list[tuple[str, tuple[float, float], str]]:
    """The words of a speaker with start and end [s], in order of time."""
    rate = conversation.rate
    words = [word for one in said(conversation.timeline) if one.speaker == speaker for word in one.words]
    return [
        (word.text, (to_seconds(word.start, rate), to_seconds(word.end, rate)), MAIN)
        for word in sorted(words, key=lambda word: word.start)
        if word.end > word.start
    ]
