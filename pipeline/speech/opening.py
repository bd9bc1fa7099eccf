"""Opens the configured speech backend."""

from functools import lru_cache

from pipeline.errors import ConfigError
from pipeline.speech.backend import Backend
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import TtsSettings


@lru_cache(maxsize=2)
def open_backend(settings: TtsSettings) -> Backend:
    """The backend of `settings`, once a process.

    Raises
    ------
    ConfigError
        when the extra that it needs is not installed.

    """
    if settings.backend == "onnx":
        return KokoroOnnx(settings.precision, ArrayCache())
    try:
        from pipeline.speech.kokoro_torch import KokoroTorch
    except ImportError:
        raise ConfigError(
            "tts.backend=kokoro: the official package is missing; pip install 'turnfloor[kokoro]'"
        ) from None
    return KokoroTorch(cache=ArrayCache())
