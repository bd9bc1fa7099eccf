"""Licences and attributions of all that a corpus is made of."""

import json
from collections.abc import Iterable
from pathlib import Path

from pipeline.settings import Settings
from pipeline.sound.embedded import OWN_ATTRIBUTION
from pipeline.workspace import Workspace

VOICES = "Voices and voice model: Kokoro-82M v1.0 by hexgrad (Apache-2.0); ONNX export by thewh1teagle (MIT)."
PHONEMES = "Text to phonemes: misaki (Apache-2.0) with phonemizer-fork and espeak-ng (GPL-3.0, run, not distributed)."
TOPICS = "Topic bank, lexicons and templates: written for turnfloor (Apache-2.0)."
WRITER = "Script words: Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), run locally."


def notices(root: Path, idents: Iterable[str], settings: Settings) -> list[str]:
    """The notices of the conversations `idents`, those of the noise clips that they use among them."""
    lines = [VOICES, PHONEMES]
    if settings.script.needs_model:
        embedded = settings.llm.kind == "embedded" and settings.llm.model == "writer-1.5b"
        lines.append(WRITER if embedded else f"Script words: {settings.llm.model}, under its provider's terms.")
    return [*lines, TOPICS, *sorted({line for ident in idents for line in _clips(Workspace(root, ident))})]


def _clips(work: Workspace) -> Iterable[str]:
    path = work.path("nuisance.json")
    if not path.exists():
        return
    for record in json.loads(path.read_text(encoding="utf-8"))["nuisance"]:
        clip = record["clip"]
        if clip.get("attribution") != OWN_ATTRIBUTION:
            title = f" {clip['title']!r}" if clip.get("title") else ""
            told = ", ".join(clip[key] for key in ("licence", "attribution", "url") if clip.get(key))
            yield f"Noise clip {clip['id']}{title}: {told}"
