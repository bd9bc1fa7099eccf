"""Lhotse Shar: the cuts of :mod:`pipeline.exports.lhotse_manifests` with their sound, in shards to stream.

One FLAC file holds all channels of a conversation; FLAC has eight at most, and so has a conversation.
"""

import gzip
from pathlib import Path
from typing import Any

from pipeline.exports.job import Job
from pipeline.exports.lhotse_manifests import cut
from pipeline.output.files import write_bytes

SHARD_CUTS = 100
"""Conversations in a shard."""


def shar(job: Job) -> None:
    """Write ``SPLIT/cuts.NNNNNN.jsonl.gz`` and ``SPLIT/recording.NNNNNN.tar`` with FLAC of all channels."""
    from lhotse.cut import MultiCut
    from lhotse.shar import SharWriter

    writers: dict[str, Any] = {}
    try:
        for conversation in job.conversations():
            split = conversation.spec.split
            if split not in writers:
                (job.folder / split).mkdir(parents=True)
                writer = SharWriter(str(job.folder / split), fields={"recording": "flac"}, shard_size=SHARD_CUTS)
                writers[split] = writer.__enter__()
            writers[split].write(MultiCut.from_dict(cut(conversation, job.kind)))
    finally:
        for writer in writers.values():
            writer.close()
    for path in sorted(job.folder.glob("*/cuts.*.jsonl.gz")):
        _without_time(path)


def _without_time(path: Path) -> None:
    """Pack a file anew without the time of day, which gzip states in its header."""
    write_bytes(path, gzip.compress(gzip.decompress(path.read_bytes()), mtime=0))
