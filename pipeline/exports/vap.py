"""The layout that Voice Activity Projection reads: stereo sound, and who is active when.

Source: ErikEkstedt/VoiceActivityProjection, `vap/data/README.md` and the scripts beside it: `vad/ID.json` is a list of
[start, end] for each channel, `audio_vad.csv` pairs it with its sound, and the sliding windows are what it trains on,
with times from their start and activity to the prediction horizon after their end. Paths are absolute.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.exports.audio import wav_bytes
from pipeline.exports.job import Job
from pipeline.exports.speech import activity
from pipeline.loader import Conversation
from pipeline.samples import to_seconds

RATE = 16_000
"""The rate of VAP's encoder [Hz]."""
WINDOW_S, OVERLAP_S, HORIZON_S = 20.0, 5.0, 2.0
"""Length of a window, what it shares with the next one, and how far ahead VAP predicts: the defaults of VAP."""

Vad = list[list[tuple[float, float]]]


def vap(job: Job) -> None:
    """Write ``audio/ID.wav``, ``vad/ID.json``, `audio_vad.csv`, and ``sliding_SPLIT.csv`` with a line a window."""
    pairs, windows = [], dict[str, list[dict[str, Any]]]()
    for conversation in job.conversations():
        audio, vad = (job.out / f"audio/{conversation.id}.wav", job.out / f"vad/{conversation.id}.json")
        both = conversation.channels(job.kind).T
        job.bytes(f"audio/{conversation.id}.wav", wav_bytes(both, conversation.rate, job.rate or RATE))
        active = vad_list(conversation)
        job.text(f"vad/{conversation.id}.json", json.dumps(active) + "\n")
        pairs.append({"audio_path": str(audio), "vad_path": str(vad)})
        rows = windows.setdefault(conversation.spec.split, [])
        for start in starts(conversation.duration_s):
            rows.append(_window(str(audio), active, start, conversation, job.corpus.path.resolve().name))
    job.text("audio_vad.csv", _csv(pairs))
    for split, rows in windows.items():
        if rows:
            job.text(f"sliding_{split}.csv", _csv(rows))


def vad_list(conversation: Conversation) -> Vad:
    """Start and end [s] of each stretch of speech, a list a channel."""
    rate = conversation.rate
    return [
        [(to_seconds(span.start, rate), to_seconds(span.end, rate)) for span in activity(conversation.timeline, one.id)]
        for one in conversation.speakers
    ]


def starts(duration_s: float) -> Iterator[float]:
    """Where each whole window of a conversation starts [s].

    >>> list(starts(50.0))
    [0.0, 15.0, 30.0]
    """
    number = int((duration_s - WINDOW_S) / (WINDOW_S - OVERLAP_S)) + 1 if duration_s >= WINDOW_S else 0
    return (n * (WINDOW_S - OVERLAP_S) for n in range(number))


def _window(audio: str, active: Vad, start: float, conversation: Conversation, corpus: str) -> dict[str, Any]:
    inside = [list(_inside(channel, start, start + WINDOW_S + HORIZON_S)) for channel in active]
    return {
        "audio_path": audio,
        "start": start,
        "end": start + WINDOW_S,
        "vad_list": json.dumps(inside),
        "session": conversation.id,
        "dataset": corpus,
    }


def _inside(spans: Sequence[tuple[float, float]], start: float, end: float) -> Iterator[tuple[float, float]]:
    for begin, stop in spans:
        if begin < end and stop > start:
            yield round(max(begin, start) - start, 6), round(min(stop, end) - start, 6)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()
