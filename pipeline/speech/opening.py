"""Opens the configured speech backend."""

from pipeline.errors import ConfigError
from pipeline.speech.backend import Backend
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import TtsSettings

_OPEN: dict[str, Backend] = {}
"""The backend that this process has opened, by what decides it."""


def open_backend(settings: TtsSettings) -> Backend:
    """The backend of `settings`, once a process.

    Raises
    ------
    ConfigError
        when the extra that it needs is not installed.

    """
    name = settings.model_dump_json(include={"backend", "precision", "endpoint", "pools"})
    if name not in _OPEN:
        _OPEN.clear()
        _OPEN[name] = _opened(settings)
    return _OPEN[name]


def _opened(settings: TtsSettings) -> Backend:
    if settings.endpoint is not None:
        from pipeline.speech.endpoint.backend import SpeechEndpoint

        return SpeechEndpoint(settings.endpoint)
    if settings.backend == "onnx":
        onnx = KokoroOnnx(settings.precision, ArrayCache())
        onnx.pools = settings.pools
        return onnx
    try:
        from pipeline.speech.kokoro_torch import KokoroTorch
    except ImportError as error:
        raise ConfigError(
            f"tts=kokoro: the package {error.name} is missing; pip install 'turnfloor[kokoro]', or use tts=onnx"
        ) from None
    torch = KokoroTorch(cache=ArrayCache())
    torch.pools = settings.pools
    return torch
