"""What a speech backend is: it clocks a text, renders what it clocked, and says what it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pipeline.models.report import Progress
from pipeline.records.span import Span
from pipeline.records.utterance import Pause, Utterance, Word
from pipeline.samples import RATE
from pipeline.speech import voices as voice_pool
from pipeline.speech.voices import Split, Voice

Floats = npt.NDArray[np.float32]

PIECE_MARK = "\n"
"""Stands in phonemes where one synthesis ends and the next begins."""


@dataclass(frozen=True, eq=False)
class Contour:
    """Prosody of one synthesis of L phonemes and T frames of 600 samples."""

    frames: tuple[int, ...]
    """Duration of each token [frames], with the silent tokens at both ends: L + 2 values that add up to T."""
    f0: Floats
    """Fundamental frequency [Hz], 2 T values of 300 samples each."""
    energy: Floats
    """The network's own measure of energy, 2 T values."""


@dataclass(frozen=True, eq=False)
class Piece:
    """One synthesis, and which samples of its sound are used."""

    phonemes: str
    contour: Contour
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Clocked:
    """An utterance that is timed and not yet sound. Times in samples at 24 kHz from its start."""

    voice: Voice
    speed: float
    written: str
    spoken: str
    pieces: tuple[Piece, ...]
    """One, or several where the text is longer than a synthesis can be."""
    speech: Span
    """Planned onset and offset of the speech."""
    words: tuple[Word, ...] = ()
    pauses: tuple[Pause, ...] = ()
    edits: dict[str, float] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Length of the sound [samples]."""
        return sum(piece.stop - piece.start for piece in self.pieces)

    @property
    def phonemes(self) -> str:
        """Phonemes of all pieces, with a line break between pieces."""
        return PIECE_MARK.join(piece.phonemes for piece in self.pieces)

    @property
    def token_frames(self) -> tuple[int, ...]:
        """Durations of the tokens of all pieces [frames of 600 samples]."""
        return tuple(frames for piece in self.pieces for frames in piece.contour.frames)

    @property
    def seconds(self) -> float:
        """Length of the sound [s]."""
        return self.n_samples / RATE


class PoolVoices:
    """A backend that speaks with the shipped voices."""

    shapes = True
    pools: Mapping[Split, Sequence[str]] | None = None
    """The voices of each split by name, where they are other than the shipped ones."""

    def voice(self, name: str) -> Voice:
        """The voice of the pool with that id, or with that name of Kokoro's; ConfigError when there is none."""
        return voice_pool.voice(name)

    def voices(self, split: Split) -> list[Voice]:
        """The voices of one split, in the order of the pool."""
        return voice_pool.split(split, self.pools)


class Backend(Protocol):
    """A voice engine. It must be picklable: whatever it loads, it loads when first used in a process."""

    shapes: bool
    """Whether F0 and energy can be shaped between clock and sound; where not, edits of them are left out."""

    def voice(self, name: str) -> Voice:
        """The voice with that id; ConfigError when it has none such."""
        ...

    def voices(self, split: Split) -> list[Voice]:
        """The voices of one split, in a fixed order."""
        ...

    def ready(self, progress: Progress | None = None) -> None:
        """Fetch and try what it needs, so that what is missing is told before anything is written.

        Raises
        ------
        ModelError, EndpointError
            when it cannot speak.

        """
        ...

    def clock(
        self, written: str, voice: Voice, speed: float | None = None, edits: Mapping[str, float] | None = None
    ) -> Clocked:
        """Time `written` as `voice` would say it; `speed` is by default the voice's own.

        `edits` shape the prosody on purpose (see :data:`pipeline.speech.prosody.EDITS`); those that were made stand
        in what is returned.

        Raises
        ------
        ScriptError
            when nothing in the text can be said.

        """
        ...

    def replay(self, utterance: Utterance, voice: Voice) -> Clocked:
        """Return what :meth:`clock` gave, from its record, with exactly the recorded durations."""
        ...

    def render(self, clocked: Clocked) -> Floats:
        """Sound of `clocked`: mono float32 at 24 kHz, exactly `clocked.n_samples` long, not levelled."""
        ...

    def syllable(self, phonemes: str, voice: Voice) -> tuple[Contour, Floats]:
        """Prosody and sound of bare `phonemes` at speed 1, for what is made from the voice's own sounds."""
        ...

    def identity(self) -> str:
        """Name all that decides the times and the sound (model sum, precision, runtime, versions), for fingerprints."""
        ...
