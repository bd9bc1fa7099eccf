"""Settings of the voice: which backend speaks, from which model."""

from typing import Literal

from pydantic import Field

from pipeline.records.base import Record


class TtsSettings(Record):
    """Of the clock in stage 2 and of stage 3, which share one backend."""

    backend: Literal["onnx", "kokoro"] = "onnx"
    """`onnx`: the two graphs, without torch; `kokoro`: the official package (an extra)."""
    precision: Literal["float32", "int8"] = "float32"
    """Of the two graphs' weights and activations."""
    fade_s: float = Field(ge=0, default=0.008)
    """Fade where a speaker is cut off: short enough to sound cut, long enough not to click."""
