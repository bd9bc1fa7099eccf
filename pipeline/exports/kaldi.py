"""A Kaldi data directory: each channel is a recording and a speaker of its own, each segment an utterance.

Source: the Kaldi manual, "Data preparation". Names begin with the speaker, so that all files sort alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.exports.audio import wav_bytes
from pipeline.exports.job import Job
from pipeline.exports.lines import seconds
from pipeline.exports.speech import said
from pipeline.loader import Conversation

PER_S = 1000
"""Names of utterances hold milliseconds; the number of the segment keeps them apart."""


@dataclass
class _Tables:
    """The lines of each file."""

    lines: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, line: str) -> None:
        self.lines.setdefault(name, []).append(line)


def kaldi(job: Job) -> None:
    """Write `wav.scp`, `reco2dur`, `segments`, `text`, `utt2spk`, `spk2utt`, `spk2gender`, and the WAV files."""
    tables = _Tables()
    for conversation in job.conversations():
        for speaker in conversation.speakers:
            name = f"{conversation.id}-{speaker.id}"
            samples = conversation.channel(speaker.id, job.kind)
            job.bytes(f"wav/{name}.wav", wav_bytes(samples, conversation.rate, job.rate))
            tables.add("wav.scp", f"{name} {job.out / 'wav' / name}.wav")
            tables.add("reco2dur", f"{name} {seconds(conversation.n_samples, conversation.rate)}")
            utterances = list(_utterances(conversation, speaker.id))
            for utterance, extent, text in utterances:
                tables.add("segments", f"{utterance} {name} {extent}")
                tables.add("text", f"{utterance} {text}")
                tables.add("utt2spk", f"{utterance} {name}")
            if utterances:
                tables.add("spk2utt", " ".join([name, *sorted(utterance for utterance, *_ in utterances)]))
                tables.add("spk2gender", f"{name} {speaker.gender.lower()}")
    for file, found in tables.lines.items():
        job.text(file, "".join(f"{line}\n" for line in sorted(found)))


def _utterances(conversation: Conversation, speaker: str) -> Iterator[tuple[str, str, str]]:
    """Name, start and end [s], and text of each segment of a speaker."""
    rate = conversation.rate
    own = [one for one in said(conversation.timeline) if one.speaker == speaker]
    for number, one in enumerate(own):
        at = one.start * PER_S // rate
        name = f"{conversation.id}-{speaker}-{number:04d}-{at:07d}"
        yield name, f"{seconds(one.start, rate)} {seconds(one.end, rate)}", one.text
