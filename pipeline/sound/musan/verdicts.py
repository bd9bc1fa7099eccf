"""Which recordings can be beds: long enough, not silent, nobody speaks. Verdicts are kept in the cache."""

import hashlib
from pathlib import Path

import numpy as np

from pipeline.models.place import cache_dir
from pipeline.records import Record
from pipeline.samples import to_samples
from pipeline.sound.musan.recordings import read
from pipeline.sound.vad import SHARE, speech_share, vad_identity
from pipeline.workspace import sha256_of, write_text

FOLDER = "bed-verdicts"


class Verdict(Record):
    """What was heard in a recording."""

    id: str
    seconds: float
    silent: bool
    speech_share: float
    """Part of it in which the detector hears speech."""

    def usable(self, shortest_s: float) -> bool:
        """Whether it can be a bed."""
        return self.seconds >= shortest_s and not self.silent and self.speech_share < SHARE


def verdict_on(path: Path) -> Verdict:
    """The verdict on a recording; heard once, then taken from the cache by the sum of its bytes.

    Raises
    ------
    InputError
        when it is no sound.

    """
    known = f"{sha256_of(path)} {vad_identity()}"
    kept = cache_dir() / FOLDER / f"{hashlib.sha256(known.encode()).hexdigest()[:24]}.json"
    if kept.is_file():
        return Verdict.read(kept)
    verdict = _heard(path)
    write_text(kept, verdict.to_json())
    return verdict


def _heard(path: Path) -> Verdict:
    samples, rate = read(path)
    share = speech_share(samples, rate) if len(samples) >= to_samples(0.1, rate) else 0.0
    return Verdict(id=path.stem, seconds=len(samples) / rate, silent=not np.any(samples), speech_share=share)
