"""WebDataset: tar shards in which each conversation is a run of members with one key.

The key ends at the first dot of a name for WebDataset, so that dots of an id become underscores; the id stands in
`KEY.json`. WebDataset gives what follows the key in small letters. Members have no owner and no time, so that a second
export has the same bytes.
"""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import InputError
from pipeline.exports.audio import mono
from pipeline.exports.job import Job
from pipeline.loader import Conversation
from pipeline.output.files import dump_json
from pipeline.output.flac import flac_bytes

SHARD_BYTES = 500_000_000
"""A shard is closed when it has reached this [bytes]."""


def shards(job: Job) -> None:
    """Write ``SPLIT-NNNNNN.tar``: `json` (what it is), `timeline.json`, `gold.json`, a FLAC a speaker, and the mix."""
    keys: dict[str, str] = {}
    for conversation in job.conversations():
        key = conversation.id.replace(".", "_")
        if key in keys:
            raise InputError(f"{conversation.id}: has the key of {keys[key]}, {key}; export them apart with --only")
        keys[key] = conversation.id
        with tarfile.open(_shard(job, conversation.spec.split), "a", format=tarfile.USTAR_FORMAT) as tar:
            for name, data in members(conversation, job):
                entry = tarfile.TarInfo(f"{key}.{name}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))


def _shard(job: Job, split: str) -> Path:
    """The last shard of a split, or the next one where that is full."""
    found = sorted(job.folder.glob(f"{split}-*.tar"))
    if found and found[-1].stat().st_size < SHARD_BYTES:
        return found[-1]
    return job.folder / f"{split}-{len(found):06d}.tar"


def members(conversation: Conversation, job: Job) -> Iterator[tuple[str, bytes]]:
    """What a sample holds: name after the key, and content."""
    about = {
        "id": conversation.id,
        "rate": conversation.rate,
        "duration_s": conversation.duration_s,
        "channels": job.kind,
        "spec": conversation.spec.model_dump(mode="json", exclude_none=True),
    }
    yield "json", dump_json(about).encode()
    for name in ("timeline.json", "gold.json"):
        yield name, (conversation.folder / name).read_bytes()
    for speaker in conversation.speakers:
        yield f"{speaker.id}.flac", conversation.path(speaker.id, job.kind).read_bytes()
    noisy = job.kind == "noisy"
    yield "mix.flac", conversation.mix_path.read_bytes() if noisy else _clean_mix(conversation)


def _clean_mix(conversation: Conversation) -> bytes:
    return flac_bytes(mono(conversation, "clean"), conversation.rate)
