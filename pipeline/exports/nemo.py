"""NeMo's manifests: one for recognition, a line a segment, and one for diarisation, a line a conversation.

Source: the NeMo manual, "ASR datasets" and "Speaker diarization datasets". Paths are absolute. NeMo tells recordings
apart by the name of their file, which is why each channel and each mix is written under a name of its own.
"""

from collections.abc import Iterator
from typing import Any

from pipeline.exports.audio import mono, wav_bytes
from pipeline.exports.job import Job
from pipeline.exports.lines import rttm_text, uem_text
from pipeline.exports.speech import said
from pipeline.loader import Conversation
from pipeline.output.files import dump_lines
from pipeline.samples import to_seconds


def nemo(job: Job) -> None:
    """Write `asr.json`, `diarization.json`, and what they name: WAV of channels and mixes, RTTM and UEM."""
    segments: list[dict[str, Any]] = []
    recordings: list[dict[str, Any]] = []
    for conversation in job.conversations():
        _write_audio(job, conversation)
        job.text(f"rttm/{conversation.id}.rttm", rttm_text(conversation))
        job.text(f"uem/{conversation.id}.uem", uem_text(conversation))
        segments += _segments(job, conversation)
        recordings.append(_recording(job, conversation))
    job.text("asr.json", dump_lines(segments))
    job.text("diarization.json", dump_lines(recordings))


def _write_audio(job: Job, conversation: Conversation) -> None:
    for speaker in conversation.speakers:
        samples = conversation.channel(speaker.id, job.kind)
        job.bytes(f"channels/{conversation.id}-{speaker.id}.wav", wav_bytes(samples, conversation.rate, job.rate))
    mix = wav_bytes(mono(conversation, job.kind), conversation.rate, job.rate)
    job.bytes(f"mixes/{conversation.id}.wav", mix)


def _segments(job: Job, conversation: Conversation) -> Iterator[dict[str, Any]]:
    rate = conversation.rate
    for one in said(conversation.timeline):
        yield {
            "audio_filepath": str(job.out / "channels" / f"{conversation.id}-{one.speaker}.wav"),
            "offset": to_seconds(one.start, rate),
            "duration": to_seconds(one.end - one.start, rate),
            "text": one.text,
            "speaker": f"{conversation.id}-{one.speaker}",
            "role": one.role,
        }


def _recording(job: Job, conversation: Conversation) -> dict[str, Any]:
    return {
        "audio_filepath": str(job.out / "mixes" / f"{conversation.id}.wav"),
        "offset": 0,
        "duration": conversation.duration_s,
        "label": "infer",
        "text": "-",
        "num_speakers": len(conversation.speakers),
        "rttm_filepath": str(job.out / "rttm" / f"{conversation.id}.rttm"),
        "uem_filepath": str(job.out / "uem" / f"{conversation.id}.uem"),
    }
