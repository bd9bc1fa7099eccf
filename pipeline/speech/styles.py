"""Kokoro's inputs: the styles of a voice, the numbers of phonemes, the alignment of tokens and frames."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pipeline.models import ensure, load
from pipeline.speech.backend import Floats
from pipeline.speech.g2p import symbols
from pipeline.speech.voices import Voice

VOICES = "kokoro-voices"
STYLE = 256
"""Size of a style; its first half goes to the decoder."""


def style(voice: Voice, phonemes: str) -> Floats:
    """Style of `voice` for a synthesis of that many phonemes, shape (1, 256)."""
    return np.asarray(_styles(voice.kokoro)[len(phonemes) - 1][None], np.float32)


@lru_cache(maxsize=32)
def voice_sum(kokoro: str) -> str:
    """SHA-256 of the style table of a voice."""
    return next(file.sha256 for file in load()[VOICES].files if file.name == f"{kokoro}.bin")


def tokens(phonemes: str) -> npt.NDArray[np.int64]:
    """Numbers of the phonemes with a silent token at both ends, shape (1, L + 2)."""
    return np.array([[0, *(symbols()[symbol] for symbol in phonemes), 0]], np.int64)


def alignment(frames: Sequence[int]) -> Floats:
    """Which token each frame belongs to, as ones in a matrix of shape (tokens, frames)."""
    return np.repeat(np.eye(len(frames), dtype=np.float32), frames, axis=1)


@lru_cache(maxsize=32)
def _styles(kokoro: str) -> Floats:
    """Style table of a voice: (510, 256), a row for each number of phonemes."""
    return np.fromfile(ensure(VOICES) / f"{kokoro}.bin", "<f4").astype(np.float32).reshape(-1, STYLE)
