"""Kokoro as ONNX graphs: the prosody graph is the clock, the decoder graph is the voice."""

import os
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import onnxruntime

from pipeline.models import ensure
from pipeline.models.graphs import MODEL, Precision, fingerprint, graphs
from pipeline.models.report import Progress
from pipeline.models.session import open_session
from pipeline.speech.backend import Contour, Floats
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro import Kokoro
from pipeline.speech.styles import STYLE, VOICES, alignment, style, tokens
from pipeline.speech.voices import Voice


class KokoroOnnx(Kokoro):
    """The embedded backend: one thread, no torch, the same bytes run to run.

    Parameters
    ----------
    precision
        Of the decoder: ``"float32"`` (dequantised weights) or ``"int8"`` (as published).
    cache
        Where clocked prosody and rendered sound are kept; None: nowhere.

    """

    def __init__(self, precision: Precision = "float32", cache: ArrayCache | None = None) -> None:
        super().__init__(cache)
        self.precision: Precision = precision

    def ready(self, progress: Progress | None = None) -> None:
        """Fetch the model and its voices, and make the two graphs."""
        for name in (MODEL, VOICES):
            ensure(name, progress)
        graphs(self.precision)

    def engine(self) -> str:
        """Name model, converter, precision and runtime."""
        return f"kokoro-onnx/{fingerprint(self.precision)}/onnxruntime-{onnxruntime.__version__}"

    def predict(self, phonemes: str, voice: Voice, speed: float) -> Contour:
        """Prosody of one synthesis, as the network predicts it."""
        feed = {"tokens": tokens(phonemes), "style": style(voice, phonemes), "speed": np.array([speed], np.float32)}
        frames, f0, energy = self._session("prosody").run(None, feed)
        return Contour(tuple(frames.ravel().tolist()), f0.ravel(), energy.ravel())

    def melody(self, phonemes: str, voice: Voice, frames: Sequence[int]) -> Contour:
        """Prosody of one synthesis for durations that are given."""
        feed = {"tokens": tokens(phonemes), "style": style(voice, phonemes), "alignment": alignment(frames)}
        f0, energy = self._session("melody").run(None, feed)
        return Contour(tuple(frames), f0.ravel(), energy.ravel())

    def decode(self, phonemes: str, voice: Voice, contour: Contour) -> Floats:
        """Sound of one synthesis, 600 samples a frame."""
        feed = {
            "tokens": tokens(phonemes),
            "alignment": alignment(contour.frames),
            "f0": contour.f0.reshape(1, 1, -1),
            "energy": contour.energy.reshape(1, 1, -1),
            "decoder_style": style(voice, phonemes)[:, : STYLE // 2],
        }
        return np.asarray(self._session("decoder").run(None, feed)[0].ravel(), np.float32)

    def _session(self, part: str) -> onnxruntime.InferenceSession:
        return _session(self.precision, part, os.getpid())


@lru_cache(maxsize=8)
def _session(precision: Precision, part: str, process: int) -> onnxruntime.InferenceSession:
    """Load one graph, once a process (a session does not survive a fork)."""
    # int8 that is exact on every processor
    return open_session(graphs(precision).path(part), {"session.x64quantprecision": "1"})
