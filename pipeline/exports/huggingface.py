"""A Hugging Face dataset: parquet with a row a conversation, in the columns of TurnBench.

Source: SesameAILabs/turnbench, `eval/data.py`: `conversation_id`, and for speaker K ``speaker_K_audio`` and three
annotators' tracks, ``speaker_K_annotation_a`` to ``_c``, of (start_s, end_s, label, text). There is one log here, so
that the three tracks are the same. Conversations of more than two speakers have further columns of the same names; who
is not there has no sound and no annotation. Each speaker has an audio column, since the `Audio` feature makes one
channel of several.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.card import statement
from pipeline.card.facts import read_facts
from pipeline.card.front_matter import creators, dumped, metadata
from pipeline.card.licences import licences
from pipeline.card.sources import authors_of, notices_of
from pipeline.exports.job import Job
from pipeline.exports.speech import Said, said
from pipeline.loader import Conversation, Corpus, Kind
from pipeline.records import Timeline
from pipeline.samples import to_seconds

if TYPE_CHECKING:
    import pyarrow

SHARD_BYTES = 500_000_000
"""A file is closed when the sound in it has reached this [bytes]."""
ANNOTATORS = "abc"
LABELS = {
    "floor": "Normal Turn",
    "interruption": "Floor-taking Competitive Interruption",
    "claim": "Non-floor Taking Competitive Interruption",
    "backchannel": "Acknowledgement Backchannel",
    "laughter": "Laughter",
}
"""What TurnBench's annotators call each kind of segment (`LABEL_MAP` in its `turnbench/gold.py`)."""


def huggingface(job: Job) -> None:
    """Write ``SPLIT/NNNNN.parquet`` and the dataset's card."""
    most = max(len(job.corpus[ident].spec.speakers) for ident in job.corpus.ids if ident not in job.left_out)
    files: dict[str, _Files] = {}
    try:
        for conversation in job.conversations():
            split = conversation.spec.split
            if split not in files:
                files[split] = _Files(job.folder / split, schema(most, conversation.rate))
            files[split].add(row(conversation, job.kind, most))
    finally:
        for one in files.values():
            one.close()
    job.text("README.md", card(job.corpus, sorted(files), len(job.exported)))


class _Files:
    """The parquet files of one split, one of them open; each conversation is a row group of its own."""

    def __init__(self, folder: Path, fields: "pyarrow.Schema") -> None:
        folder.mkdir(parents=True)
        self.folder, self.fields = folder, fields
        self.number = self.size = 0
        self.writer: Any = None

    def add(self, found: dict[str, Any]) -> None:
        import pyarrow
        from pyarrow import parquet

        if self.writer is None or self.size >= SHARD_BYTES:
            self.close()
            path = self.folder / f"{self.number:05d}.parquet"
            self.writer, self.size, self.number = parquet.ParquetWriter(path, self.fields), 0, self.number + 1
        self.writer.write_table(pyarrow.Table.from_pylist([found], schema=self.fields))
        self.size += sum(len(value["bytes"]) for name, value in found.items() if name.endswith("_audio") and value)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


def row(conversation: Conversation, kind: Kind, most: int) -> dict[str, Any]:
    """What the dataset says of a conversation; `most`: for how many speakers there are columns."""
    spec = conversation.spec
    found: dict[str, Any] = {
        "conversation_id": conversation.id,
        "conversation_type": spec.type,
        "title": spec.title,
        "duration_s": conversation.duration_s,
        "n_speakers": len(conversation.speakers),
        "events": list(_events(conversation)),
        "gold": conversation.gold.to_json(indent=None).rstrip(),
    }
    segments = said(conversation.timeline)
    for number in range(1, most + 1):
        speaker = conversation.speakers[number - 1] if number <= len(conversation.speakers) else None
        path = conversation.path(speaker.id, kind) if speaker else None
        name = f"speaker_{number}"
        found[f"{name}_id"] = speaker.id if speaker else None
        found[f"{name}_actor_id"] = speaker.voice if speaker else None
        found[f"{name}_actor_gender"] = {"F": "Female", "M": "Male"}[speaker.gender] if speaker else None
        found[f"{name}_audio"] = (
            {"bytes": path.read_bytes(), "path": f"{conversation.id}-{speaker.id}.flac"} if speaker and path else None
        )
        own = list(annotations(conversation, segments, speaker.id)) if speaker else []
        found.update({f"{name}_annotation_{annotator}": own for annotator in ANNOTATORS})
    return found


def annotations(conversation: Conversation, segments: list[Said], speaker: str) -> Iterator[dict[str, Any]]:
    """The segments of a speaker as an annotator labels them, and the laughs, in order of time."""
    taking = {turn.segments[0] for turn in conversation.timeline.turns if turn.entry == "interruption"}
    rows = [
        (one.start, one.end, LABELS["interruption" if one.id in taking else one.role], one.text)
        for one in segments
        if one.speaker == speaker and one.role != "laughter"
    ]
    rows += [(start, end, LABELS["laughter"], text) for start, end, text in _laughs(conversation.timeline, speaker)]
    for start, end, label, text in sorted(rows):
        times = {"start_s": to_seconds(start, conversation.rate), "end_s": to_seconds(end, conversation.rate)}
        yield {**times, "label": label, "text": text}


def _laughs(timeline: Timeline, speaker: str) -> Iterator[tuple[int, int, str]]:
    for event in timeline.events:
        if (event.kind, event.speaker) == ("laughter", speaker) and event.offset > event.onset:
            yield event.onset, event.offset, event.text


def _events(conversation: Conversation) -> Iterator[dict[str, Any]]:
    numbers = {speaker.id: number for number, speaker in enumerate(conversation.speakers, 1)}
    for event in conversation.events:
        yield {
            "id": event.id,
            "kind": event.kind,
            "speaker": numbers[event.speaker],
            "onset_s": to_seconds(event.onset, conversation.rate),
            "offset_s": to_seconds(event.offset, conversation.rate),
            "text": event.text,
        }


def schema(most: int, rate: int) -> "pyarrow.Schema":
    """The columns for `most` speakers, with what the `datasets` library needs to know of the audio."""
    import pyarrow as pa

    text, real, whole = pa.string(), pa.float64(), pa.int64()
    audio = pa.struct([("bytes", pa.binary()), ("path", text)])
    track = pa.list_(pa.struct([("start_s", real), ("end_s", real), ("label", text), ("text", text)]))
    event = {"id": text, "kind": text, "speaker": whole, "onset_s": real, "offset_s": real, "text": text}
    fields: list[tuple[str, Any]] = [
        ("conversation_id", text),
        ("conversation_type", text),
        ("title", text),
        ("duration_s", real),
        ("n_speakers", whole),
        ("events", pa.list_(pa.struct(list(event.items())))),
        ("gold", text),
    ]
    for number in range(1, most + 1):
        name = f"speaker_{number}"
        fields += [(f"{name}_{what}", text) for what in ("id", "actor_id", "actor_gender")]
        fields += [(f"{name}_audio", audio)]
        fields += [(f"{name}_annotation_{annotator}", track) for annotator in ANNOTATORS]
    features = {name: _feature(kind, rate if name.endswith("_audio") else None) for name, kind in fields}
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


def _feature(kind: "pyarrow.DataType", rate: int | None) -> Any:
    """A column as the `datasets` library describes it; `rate`: of an audio column."""
    import pyarrow as pa

    if rate:
        return {"sampling_rate": rate, "_type": "Audio"}
    if pa.types.is_list(kind):
        return [_feature(kind.value_type, None)]
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type, None) for field in kind}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}


def card(corpus: Corpus, splits: list[str], rows: int) -> str:
    """The dataset's card: what the corpus says of itself, and where its rows are."""
    notices, facts = notices_of(corpus.path, corpus.ids), read_facts(corpus.path)
    title = facts.title or corpus.path.resolve().name
    files = [{"split": split, "path": f"{split}/*.parquet"} for split in splits]
    front = metadata(
        title,
        licences(notices, facts),
        rows,
        creators=creators(author for one in corpus for author in authors_of(one.folder)),
        configs=[{"config_name": "default", "data_files": files}],
    )
    told = "\n".join(f"- {notice.text}" for notice in notices)
    return (
        f"{dumped(front)}\n# {title}\n\n**{statement.SYNTHETIC}**\n\nConversations with an exact log of the floor, "
        "made by turnfloor. A row is a conversation; each speaker has an audio column.\n\n"
        f"## Licences and attribution\n\n{told}\n"
    )
