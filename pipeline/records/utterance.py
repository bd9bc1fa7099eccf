"""One synthesis, as the clock planned it."""

from typing import Literal

from pydantic import Field

from pipeline.records.base import Record
from pipeline.records.script import LAUGHTER, Author
from pipeline.records.span import Span
from pipeline.records.spec import Ident
from pipeline.text import mark_after, words_of


class Word(Record):
    """A written word and where it sounds [samples from the start of the utterance]."""

    text: str
    start: int
    end: int


class Pause(Record):
    """A silence that the synthesis has by itself, of 80 ms and more [samples from the utterance's start]."""

    start: int
    end: int
    clause: bool
    """Whether it lies at a clause boundary, where a hold may lengthen it."""


class Utterance(Record):
    """One synthesis of one speaker: text, phonemes, and every duration that the clock gave.

    The recorded durations let a timeline be replayed exactly on another processor.
    """

    id: Ident
    speaker: Ident
    act_id: Ident
    kind: Literal["speech", "laughter"] = "speech"
    author: Author = "model"
    written: str
    spoken: str = ""
    phonemes: str = ""
    voice: str
    speed: float = Field(gt=0, default=1.0)
    prosody: dict[str, float] = Field(default_factory=dict)
    """Edits made between prosody and decoder, by name; empty: the voice's own."""
    n_samples: int = Field(gt=0)
    token_frames: tuple[int, ...] = ()
    """Predicted duration of each token [frames of 600 samples]."""
    words: tuple[Word, ...] = ()
    speech: Span
    """Planned onset and offset of the speech inside the synthesis [samples]."""
    pauses: tuple[Pause, ...] = ()
    laugh: Span | None = None
    """The bout of laughter inside the synthesis; words, if any, follow it."""
    voiced_from: int = Field(ge=0, default=0)
    """Where the spoken synthesis starts inside the whole: after a laugh, else 0 [samples]."""
    backend: str = ""
    """Sum over model, precision and runtime that clocked it."""

    def mark_before(self, sample: int) -> str:
        """The punctuation, and the blank, that follow the last word heard by `sample` of the utterance."""
        heard = [word for word in self.words if (word.start + word.end) / 2 <= sample]
        return mark_after(self.written.removeprefix(LAUGHTER), sum(len(words_of(word.text)) for word in heard))
