"""Lhotse: recordings of one channel a speaker, supervisions with word alignments, and cuts over all channels.

Source: the Lhotse manual, "Representing a corpus". The sound stays in the corpus, named by its absolute path.
"""

from typing import Any

from pipeline.exports.job import Job
from pipeline.exports.speech import Said, said
from pipeline.loader import Conversation, Kind
from pipeline.output.files import dump_lines
from pipeline.samples import to_seconds


def lhotse(job: Job) -> None:
    """Write `recordings.jsonl`, `supervisions.jsonl`, and ``cuts-SPLIT.jsonl`` with a MultiCut a conversation."""
    recordings, supervisions = [], []
    cuts: dict[str, list[dict[str, Any]]] = {}
    for conversation in job.conversations():
        found = cut(conversation, job.kind)
        recordings.append(found["recording"])
        supervisions += found["supervisions"]
        cuts.setdefault(conversation.spec.split, []).append(found)
    job.text("recordings.jsonl", dump_lines(recordings))
    job.text("supervisions.jsonl", dump_lines(supervisions))
    for split, some in cuts.items():
        job.text(f"cuts-{split}.jsonl", dump_lines(some))


def recording(conversation: Conversation, kind: Kind) -> dict[str, Any]:
    """All channels of a conversation as one recording, each from its own file."""
    speakers = conversation.speakers
    return {
        "id": conversation.id,
        "sources": [
            {"type": "file", "channels": [n], "source": str(conversation.path(speaker.id, kind).absolute())}
            for n, speaker in enumerate(speakers)
        ],
        "sampling_rate": conversation.rate,
        "num_samples": conversation.n_samples,
        "duration": conversation.n_samples / conversation.rate,
        "channel_ids": list(range(len(speakers))),
    }


def _supervision(one: Said, conversation: Conversation) -> dict[str, Any]:
    rate = conversation.rate
    numbers = {speaker.id: number for number, speaker in enumerate(conversation.speakers)}
    speaker = conversation.speakers[numbers[one.speaker]]
    words = [
        (word.text, to_seconds(word.start, rate), to_seconds(word.end - word.start, rate))
        for word in one.words
        if word.end > word.start
    ]
    return {
        "id": f"{conversation.id}-{one.id}",
        "recording_id": conversation.id,
        "start": to_seconds(one.start, rate),
        "duration": to_seconds(one.end - one.start, rate),
        "channel": [numbers[one.speaker]],
        "text": one.text,
        "language": "English",
        "speaker": f"{conversation.id}-{one.speaker}",
        "gender": speaker.gender,
        "custom": {"role": one.role},
        **({"alignment": {"word": words}} if words else {}),
    }


def cut(conversation: Conversation, kind: Kind) -> dict[str, Any]:
    """A cut over all channels of a conversation; the events of the log stand in `custom` [s]."""
    spec, rate, found = conversation.spec, conversation.rate, recording(conversation, kind)
    events = [
        {
            "kind": event.kind,
            "speaker": f"{conversation.id}-{event.speaker}",
            "onset": to_seconds(event.onset, rate),
            "offset": to_seconds(event.offset, rate),
        }
        for event in conversation.events
    ]
    return {
        "id": conversation.id,
        "start": 0,
        "duration": found["duration"],
        "channel": found["channel_ids"],
        "supervisions": [_supervision(one, conversation) for one in said(conversation.timeline)],
        "recording": found,
        "custom": {"split": spec.split, "type": spec.type, "events": events},
        "type": "MultiCut",
    }
