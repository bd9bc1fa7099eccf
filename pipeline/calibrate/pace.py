"""How fast a voice speaks, and the speed at which it speaks naturally."""

from collections.abc import Callable, Sequence

from pipeline.samples import RATE
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import Voice
from pipeline.text import words_of

PACE = (175.0, 220.0)
"""Words a minute, pauses included, between which a voice speaks at its own speed."""


def pace_of(voice: Voice, backend: KokoroOnnx, texts: Sequence[str], speed: float) -> float:
    """Words a minute of whole turns from onset to offset, by the clock alone."""
    turns = [backend.clock(text, voice, speed) for text in texts]
    words = sum(len(words_of(clocked.written)) for clocked in turns)
    return words / (sum(clocked.speech.length for clocked in turns) / RATE / 60)


def natural_speed(pace: float, pace_at: Callable[[float], float]) -> float:
    """Speed at which the pace comes into the natural range, in steps of 0.05; 1 where it lies there."""
    speed = 1.0
    step = 0.05 if pace < PACE[0] else -0.05
    while not PACE[0] <= pace <= PACE[1] and 0.6 < speed < 1.6:
        speed = round(speed + step, 2)
        pace = pace_at(speed)
    return speed
