"""The two graphs into which Kokoro falls apart: prosody (when and how), and decoder (the sound).

Only four tensors cross from one to the other, so that the audio of both in a row equals that of the whole to
the last bit. Both are made once from the int8 file, as float32 or left int8, and kept in the cache.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.models.place import cache_dir, locked, make_folder
from pipeline.models.store import ensure, model_sum
from pipeline.models.sums import sha256_of

CONVERTER = 1
"""Version of what this module makes: raise it with any change to the graphs. It is part of fingerprints."""

Precision = Literal["float32", "int8"]
MODEL = "kokoro-int8"
FRAME = 600
"""Samples at 24 kHz that one unit of duration stands for."""

CROSSING = ("alignment", "f0", "energy", "decoder_style")
"""Tensors that cross from the prosody graph to the decoder graph."""


@dataclass(frozen=True)
class Graphs:
    """Paths of both graphs and the fingerprint of how they came to be."""

    prosody: Path
    decoder: Path
    fingerprint: str


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
    folder = cache_dir() / "graphs" / name
    made = Graphs(folder / "prosody.onnx", folder / "decoder.onnx", name)
    if not _whole(folder, made):
        with locked(folder.with_name(f".{name}.lock")):
            if not _whole(folder, made):
                _make(precision, folder, made)
    return made


def _make(precision: Precision, folder: Path, made: Graphs) -> None:
    from pipeline.models.convert import split, whole  # only the making needs the onnx package
    from pipeline.models.subgraph import save

    make_folder(folder)
    for model, path in zip(split(whole(ensure(MODEL), precision)), (made.prosody, made.decoder), strict=True):
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        save(model, str(temporary))
        temporary.replace(path)
    sums = {path.name: [path.stat().st_size, sha256_of(path)] for path in (made.prosody, made.decoder)}
    note = folder / f".made.{os.getpid()}"
    note.write_text(json.dumps(sums, indent=1), encoding="utf-8")
    note.replace(folder / "made.json")


def _whole(folder: Path, made: Graphs) -> bool:
    """Whether both graphs lie there as they were made (told by their sizes)."""
    try:
        sums = json.loads((folder / "made.json").read_text(encoding="utf-8"))
        return all(path.stat().st_size == sums[path.name][0] for path in (made.prosody, made.decoder))
    except (OSError, ValueError, KeyError):
        return False
