"""PocketSphinx as an aligner: hidden Markov models of phones, with the US English model that its package ships.

Its frames are 10 ms apart. The sound is aligned several times, shifted by parts of a frame, and the median of each
boundary taken, which is finer than a frame and steadier than one alignment.
"""

import importlib.util
from collections.abc import Sequence
from typing import Any

import librosa
import numpy as np

from pipeline.errors import ConfigError
from pipeline.records import Span
from pipeline.samples import RATE
from pipeline.seeds import generator
from pipeline.speech.backend import Floats

HEARS = 16_000
"""Samples a second that the model hears."""
FRAME = 160
"""Samples between its frames."""
SHIFTS = (0, 40, 80, 120)
"""Samples by which the sound is delayed, for one alignment each."""
EDGE = 4_000
"""Near-silence laid on both sides, so that the model hears some before the first word [samples]."""
WIDE = {"beam": 1e-120, "pbeam": 1e-120, "wbeam": 1e-120, "maxhmmpf": -1}
"""Beams of its search: what is pruned cannot be found, and the words are few."""
HISS = 3e-5
"""Level of noise everywhere (-90 dBFS): digital silence has no logarithm."""


class Sphinx:
    """Forced alignment by PocketSphinx (extra `align`)."""

    name = "pocketsphinx"

    def __init__(self) -> None:
        if importlib.util.find_spec("pocketsphinx") is None:
            raise ConfigError("package pocketsphinx is missing: pip install 'turnfloor[align]'")
        from pocketsphinx import Decoder

        self._decoder: Any = Decoder(samprate=HEARS, lm=None, loglevel="FATAL", bestpath=False, cmn="batch", **WIDE)

    def knows(self, word: str) -> bool:
        """Whether its dictionary has the word."""
        return self._decoder.lookup_word(_entry(word)) is not None

    def align(self, sound: Floats, words: Sequence[str]) -> list[Span] | None:
        """Where each word sounds [samples at 24 kHz]; None where no alignment is found."""
        heard = librosa.resample(sound, orig_sr=RATE, target_sr=HEARS)
        found = [self._aligned(heard, words, shift) for shift in SHIFTS]
        edges = np.array([one for one in found if one is not None])
        if not len(edges):
            return None
        return [Span(start=int(a), end=int(b)) for a, b in np.round(np.median(edges, axis=0))]

    def _aligned(self, heard: Floats, words: Sequence[str], shift: int) -> list[tuple[float, float]] | None:
        """Start and end of each word [samples at 24 kHz] for one delay."""
        padded = np.pad(heard, (EDGE + shift, EDGE))
        noise = generator(0, "boundaries", "hiss").standard_normal(len(padded)) * HISS
        pcm = np.clip(np.round((padded + noise) * 32767), -32768, 32767).astype(np.int16).tobytes()
        # Its front end remembers the sound before; the same sound shall be heard the same.
        self._decoder.reinit_feat()
        self._decoder.set_align_text(" ".join(map(_entry, words)))
        self._decoder.start_utt()
        self._decoder.process_raw(pcm, full_utt=True)
        self._decoder.end_utt()
        if self._decoder.hyp() is None:
            return None
        spans = [(s.start_frame, s.end_frame + 1) for s in self._decoder.seg() if s.word[0] not in "<[("]
        if len(spans) != len(words):
            return None
        scale = RATE / HEARS
        return [((a * FRAME - EDGE - shift) * scale, (b * FRAME - EDGE - shift) * scale) for a, b in spans]


def _entry(word: str) -> str:
    """A word as the dictionary spells it."""
    return word.lower().replace("’", "'")
