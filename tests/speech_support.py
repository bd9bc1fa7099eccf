"""A speech endpoint that really speaks: HTTP on loopback, the project's own voice behind it."""

import io
import struct
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import soundfile
import soxr
from script_support import Answer

from pipeline.samples import RATE
from pipeline.speech.backend import Clocked, Floats
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import voice

_ONE_AT_A_TIME = threading.Lock()
"""The phonemizer may not be called from several threads."""
_KOKORO = KokoroOnnx(cache=ArrayCache())


def spoken(body: dict[str, Any]) -> Clocked:
    """What the server's voice says to a request, as its own clock has it."""
    with _ONE_AT_A_TIME:
        return _KOKORO.clock(body["input"], voice(body["voice"]), body.get("speed", 1.0))


def sound(body: dict[str, Any]) -> Floats:
    """The same as sound."""
    clocked = spoken(body)
    with _ONE_AT_A_TIME:
        return _KOKORO.render(clocked)


def speaks(rate: int = RATE, channels: int = 1) -> Callable[[dict[str, Any]], Answer]:
    """A server that answers in the format asked for, at `rate`."""

    def answer(body: dict[str, Any]) -> Answer:
        samples = soxr.resample(sound(body), RATE, rate) if rate != RATE else sound(body)
        return encoded(samples, rate, body["response_format"], channels)

    return answer


def encoded(samples: Floats, rate: int = RATE, form: str = "wav", channels: int = 1) -> Answer:
    """Samples as a server sends them."""
    samples = np.clip(samples, -1, 1)
    if form == "pcm":
        return Answer((samples * 32767).astype("<i2").tobytes(), headers={"Content-Type": "audio/pcm"})
    out = io.BytesIO()
    soundfile.write(out, np.stack([samples] * channels, 1), rate, format=form, subtype="PCM_16")
    return Answer(out.getvalue(), headers={"Content-Type": f"audio/{form}"})


def streamed(samples: Floats, rate: int = RATE) -> Answer:
    """WAV whose header was written before its length was known, as streaming servers send it."""
    unknown = 0xFFFFFFFF
    head = b"RIFF" + struct.pack("<I", unknown) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16)
    body = head + b"data" + struct.pack("<I", unknown) + (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
    return Answer(body, headers={"Content-Type": "audio/wav"})
