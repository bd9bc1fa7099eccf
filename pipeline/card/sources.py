"""What a corpus is made of, told from the records of its conversations: voices, words, noise, and their terms."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from pipeline.card.notice import OTHER, Notice, spdx
from pipeline.errors import InputError
from pipeline.output.manifest import read_meta, read_object
from pipeline.request import NAME as REQUEST
from pipeline.sound.embedded import OWN_ATTRIBUTION

KOKORO = "Voices and voice model: Kokoro-82M v1.0 by hexgrad (Apache-2.0)"
EXPORT = "; ONNX export by thewh1teagle (MIT)"
PHONEMES = Notice(
    text="Text to phonemes: misaki (Apache-2.0) with phonemizer-fork and espeak-ng (GPL-3.0, run, not distributed)."
)
WRITER = Notice(text="Script words: Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), run locally.")
OWN_WORDS = Notice(
    text="Topic bank, shipped scripts, lexicons and templates: written for turnfloor (Apache-2.0).",
    contained="Apache-2.0",
)
OWN_MODEL = Notice(
    text="Script words: a language model of the maker's own, run locally, under its terms.", contained=OTHER
)
USER_WORDS = Notice(text="Script words: given by the maker of this corpus, under terms of their own.", contained=OTHER)


def notices_of(corpus: Path, idents: Iterable[str]) -> tuple[Notice, ...]:
    """The notices of the conversations `idents` of a corpus: voices first, then words, then noise clips.

    Raises
    ------
    InputError
        when a conversation cannot be read.

    """
    voices: set[Notice] = set()
    words: set[Notice] = set()
    clips: set[Notice] = set()
    own_model = _own_model(corpus)
    for ident in idents:
        folder = corpus / "conversations" / ident
        meta = read_meta(folder)
        voices.update(_voices(meta.get("voice_model", "")))
        words.update(_words(folder, own_model))
        clips.update(_clips(meta.get("nuisance", {}).get("nuisance", [])))
    return (*_sorted(voices), PHONEMES, *_sorted(words), *_sorted(clips))


def _sorted(notices: Collection[Notice]) -> list[Notice]:
    return sorted(notices, key=lambda notice: notice.text)


def _voices(identity: str) -> Iterator[Notice]:
    """Whose voices speak, by the identity of the voice model that `meta.json` states."""
    kind, _, rest = identity.partition("/")
    if kind.startswith("speech-endpoint"):
        yield Notice(text=f"Voices: {rest.partition('/')[0]}, under its provider's terms.", contained=OTHER)
    elif kind.startswith("kokoro"):
        yield Notice(text=f"{KOKORO}{EXPORT if kind == 'kokoro-onnx' else ''}.")


def _own_model(corpus: Path) -> bool:
    """Whether the embedded server was given a model of the user's own, by the corpus's request."""
    path = corpus / REQUEST
    try:
        request = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
        llm = request.get("llm") or {}
        return llm.get("kind") == "embedded" and llm.get("model_path") is not None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError):
        raise InputError(f"{path}: not a readable corpus.yaml; finish the corpus by making it again") from None


def _words(folder: Path, own_model: bool) -> Iterator[Notice]:
    """Who wrote the words, by the authors of the script's acts."""
    authors = authors_of(folder)
    if "model" in authors:
        yield OWN_MODEL if own_model else _model(folder / "exchange.jsonl")
    if "user" in authors:
        yield USER_WORDS
    if authors - {"model", "user"}:
        yield OWN_WORDS


def authors_of(folder: Path) -> set[str]:
    """Who wrote the acts of a conversation's script: `model`, `authored`, `lexicon`, `template` or `user`."""
    script = read_object(folder / "script.json", "make this conversation again")
    return {act.get("author", "model") for act in script.get("acts", [])}


def _model(exchange: Path) -> Notice:
    """The language model that the first of the recorded exchanges names."""
    try:
        with exchange.open(encoding="utf-8") as lines:
            first = json.loads(next(lines, "{}"))
    except (OSError, ValueError) as error:
        raise InputError(f"{exchange}: cannot be read ({error}); make this conversation again") from None
    if first.get("endpoint") == "embedded" and first.get("model") == "writer-1.5b":
        return WRITER
    named = first.get("model", "a language model")
    return Notice(text=f"Script words: {named}, under its provider's terms.", contained=OTHER)


def _clips(nuisance: Iterable[dict[str, Any]]) -> Iterator[Notice]:
    """Every noise clip that is not the project's own work."""
    for record in nuisance:
        clip = record.get("clip", {})
        if "licence" not in clip or clip.get("attribution") == OWN_ATTRIBUTION:
            continue
        title = f" {clip['title']!r}" if clip.get("title") else ""
        told = ", ".join(clip[key] for key in ("licence", "attribution", "url") if clip.get(key))
        yield Notice(text=f"Noise clip {clip['id']}{title}: {told}", contained=spdx(clip["licence"]))
