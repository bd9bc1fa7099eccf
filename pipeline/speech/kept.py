"""A clocked utterance as arrays for the cache, so that a text need not be read again to time it again."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from pipeline.records.span import Span
from pipeline.records.utterance import Pause, Word
from pipeline.speech.backend import Clocked, Contour, Piece
from pipeline.speech.voices import Voice

Arrays = Mapping[str, npt.NDArray[np.generic]]


class _Kept(BaseModel):
    """All of a clocked utterance but its voice and the curves of its pieces."""

    speed: float
    written: str
    spoken: str
    speech: Span
    words: tuple[Word, ...]
    pauses: tuple[Pause, ...]
    edits: dict[str, float]
    pieces: tuple[tuple[str, int, int], ...]
    """Phonemes, start and stop of each."""


def to_arrays(clocked: Clocked) -> dict[str, npt.NDArray[np.generic]]:
    """`clocked` as arrays: its text and times as one of bytes, and three for each piece."""
    kept = _Kept(
        speed=clocked.speed,
        written=clocked.written,
        spoken=clocked.spoken,
        speech=clocked.speech,
        words=clocked.words,
        pauses=clocked.pauses,
        edits=clocked.edits,
        pieces=tuple((piece.phonemes, piece.start, piece.stop) for piece in clocked.pieces),
    )
    arrays: dict[str, npt.NDArray[np.generic]] = {"kept": np.frombuffer(kept.model_dump_json().encode(), np.uint8)}
    for number, piece in enumerate(clocked.pieces):
        arrays[f"frames{number}"] = np.asarray(piece.contour.frames, np.int32)
        arrays[f"f0{number}"], arrays[f"energy{number}"] = piece.contour.f0, piece.contour.energy
    return arrays


def from_arrays(arrays: Arrays, voice: Voice) -> Clocked:
    """Give back what :func:`to_arrays` took, said by `voice`."""
    kept = _Kept.model_validate_json(arrays["kept"].tobytes())

    def contour(number: int) -> Contour:
        f0, energy = (np.asarray(arrays[f"{name}{number}"], np.float32) for name in ("f0", "energy"))
        return Contour(tuple(arrays[f"frames{number}"].tolist()), f0, energy)

    return Clocked(
        voice=voice,
        speed=kept.speed,
        written=kept.written,
        spoken=kept.spoken,
        pieces=tuple(
            Piece(phonemes, contour(number), start, stop) for number, (phonemes, start, stop) in enumerate(kept.pieces)
        ),
        speech=kept.speech,
        words=kept.words,
        pauses=kept.pauses,
        edits=kept.edits,
    )
