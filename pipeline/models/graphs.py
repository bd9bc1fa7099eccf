"""The graphs into which Kokoro falls apart: prosody (when and how), and decoder (the sound).

Only four tensors cross from one to the other, so that the audio of both in a row equals that of the whole to
the last bit. Two of the four follow from the others: the alignment repeats each token by its duration, and the
decoder's style is the first half of the voice's. A third graph, melody, is prosody with durations given, by which
a recorded timeline is replayed where another processor would predict other durations.
All are made once from the int8 file and kept in the cache. Prosody and melody stay int8, which moves F0 by five cents
on the median and takes less than half the time; the decoder, where eight bits are heard as noise, is made float32 or
left int8.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.models.place import cache_dir, locked, make_folder
from pipeline.models.store import ensure, model_sum
from pipeline.models.sums import sha256_of
from pipeline.process import process_name

CONVERTER = 2
"""Version of what this module makes: raise it with any change to the graphs. It is part of fingerprints."""

Precision = Literal["float32", "int8"]
"""Of the decoder."""
MODEL = "kokoro-int8"
FRAME = 600
"""Samples at 24 kHz that one unit of duration stands for."""

CROSSING = ("alignment", "f0", "energy", "decoder_style")
"""Tensors that cross from the prosody graph to the decoder graph."""

PARTS = ("prosody", "melody", "decoder")


@dataclass(frozen=True)
class Graphs:
    """Paths of the graphs and the fingerprint of how they came to be."""

    folder: Path
    fingerprint: str

    def path(self, part: str) -> Path:
        """Return the file of one of :data:`PARTS`."""
        return self.folder / f"{part}.onnx"


def fingerprint(precision: Precision) -> str:
    """Name what the graphs are made from and by: model sum, converter version, precision."""
    return f"{model_sum(MODEL)[:16]}-c{CONVERTER}-{precision}"


def graphs(precision: Precision = "float32") -> Graphs:
    """Return the graphs of one precision from the cache, made first where they are missing or damaged.

    Raises
    ------
    ModelError
        when the model file cannot be had.

    """
    name = fingerprint(precision)
    made = Graphs(cache_dir() / "graphs" / name, name)
    if not _whole(made):
        with locked(made.folder.with_name(f".{name}.lock")):
            if not _whole(made):
                _make(precision, made)
    return made


def _make(precision: Precision, made: Graphs) -> None:
    from pipeline.models.convert import parts  # only the making needs the onnx package
    from pipeline.models.subgraph import save

    make_folder(made.folder)
    sums = {}
    for part, model in parts(ensure(MODEL), precision).items():
        path = made.path(part)
        temporary = path.with_name(f".{path.name}.{process_name()}")
        save(model, str(temporary))
        temporary.replace(path)
        sums[part] = [path.stat().st_size, sha256_of(path)]
    note = made.folder / f".made.{process_name()}"
    note.write_text(json.dumps(sums, indent=1), encoding="utf-8")
    note.replace(made.folder / "made.json")


def _whole(made: Graphs) -> bool:
    """Whether all parts lie there as they were made (told by their sizes)."""
    try:
        sums = json.loads((made.folder / "made.json").read_text(encoding="utf-8"))
        return all(made.path(part).stat().st_size == sums[part][0] for part in PARTS)
    except (OSError, ValueError, KeyError):
        return False
