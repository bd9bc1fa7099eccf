"""Sentences as a voice says them: their plan, their sound, and where speech was measured in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import yaml

from pipeline.records.span import Span
from pipeline.resources import resource
from pipeline.samples import RATE
from pipeline.speech.backend import Clocked, Floats
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import Voice

FIT_BELOW_DB = 35.0
"""Rules are fitted to bounds this far under the loud frames. What is laid is measured more finely, since its fades
end what would linger: fitting as finely would follow breath that no listener takes for speech."""
FIT = "fit"
CHECK = "check"
TURNS = "turns"
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """One utterance of a voice: its plan, its sound, and where speech was measured in the whole of it."""

    clocked: Clocked
    sound: Floats
    bounds: Span

    @property
    def energy(self) -> Floats:
        """Energy curve of the (only) synthesis."""
        return self.clocked.pieces[0].contour.energy


def sentences() -> dict[str, list[str]]:
    """Sentences to fit the rules on, others to check them, and turns to measure the pace."""
    texts: dict[str, list[str]] = yaml.safe_load(resource("voices", "sentences.yaml").read_text(encoding="utf-8"))
    return texts


def sample(voice: Voice, backend: KokoroOnnx, text: str, speed: float) -> Sample:
    """Clock and render one sentence, and measure where it sounds."""
    clocked = backend.clock(text, voice, speed)
    sound = backend.render(clocked)
    return Sample(clocked, sound, measure_bounds(sound, below_db=FIT_BELOW_DB))


def milliseconds(samples: Sequence[int]) -> Values:
    """Samples as milliseconds."""
    return np.asarray(samples, np.float64) / RATE * 1000
