"""What stage 1 left in a corpus folder: the specs and scripts of its conversations, and the topics they are about."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.compose import composed, settings_from
from pipeline.errors import InputError
from pipeline.llm.exchange import read_exchanges
from pipeline.output.manifest import read_meta
from pipeline.records import ConversationSpec, Script
from pipeline.request import NAME
from pipeline.run import planned
from pipeline.settings import Settings
from pipeline.workspace import Workspace
from pipeline.writers.speakable import plain
from pipeline.writers.topics import Bank, Topic, load_bank

_FILE = "script.json"


@dataclass(frozen=True)
class Written:
    """One conversation as far as its words go."""

    spec: ConversationSpec
    script: Script


def read_written(corpus: Path) -> list[Written]:
    """All conversations of a corpus folder that have a script, by index.

    A finished conversation states its spec. Where a run ended with its scripts, the specs are planned again from
    the folder's `corpus.yaml`, which takes the topic bank that they were written with: with another the plan has other
    topics, which shows where the model was asked about one that is not planned.

    Raises
    ------
    InputError, ConfigError
        in one line, when the folder holds no script or something in it cannot be read.

    """
    places = {ident: Workspace(corpus, ident) for ident in _idents(corpus)}
    if not places:
        raise InputError(f"{corpus}: no scripts there; give the folder that OUT named")
    specs = {ident: _stated_spec(place) for ident, place in places.items() if _is_published(place)}
    if len(specs) < len(places):
        settings = read_settings(corpus)
        # More than were asked for, where scripts served no counterfactual pair and others took their place.
        asked = settings.model_copy(update={"n": max(settings.n, len(places))})
        specs = {spec.id: spec for spec in planned(asked)} | specs
    found = [_written(place, specs) for place in places.values()]
    return sorted(found, key=lambda one: one.spec.index)


def read_settings(corpus: Path) -> Settings:
    """The settings that the folder's `corpus.yaml` records; InputError when there is none."""
    if not (corpus / NAME).is_file():
        raise InputError(f"{corpus}: no {NAME} there, which the run writes once all scripts are written; let it end")
    return settings_from(composed([], corpus, Path(NAME).stem))


def read_topics_of(corpus: Path) -> Mapping[str, Topic]:
    """The topics that the conversations may be about, by key: the shipped bank, and the user's own where one is set."""
    own = read_settings(corpus).script.topics if (corpus / NAME).is_file() else None
    return _by_key(load_bank()) | (_by_key(load_bank(own)) if own else {})


def _by_key(bank: Bank) -> dict[str, Topic]:
    keys = bank.keys()
    return {key: bank.topic(key) for key in keys}


def _idents(corpus: Path) -> list[str]:
    """Ids of the conversations with a script, finished or not; of a counterfactual pair the one that both come from."""
    found = {path.parent.name for part in ("conversations", "work") for path in corpus.glob(f"{part}/[!.]*/{_FILE}")}
    return sorted(ident for ident in found if ident.removesuffix(".a").removesuffix(".b") not in found - {ident})


def _is_published(place: Workspace) -> bool:
    return (place.published / "meta.json").is_file()


def _stated_spec(place: Workspace) -> ConversationSpec:
    stated: Any = read_meta(place.published).get("spec")
    path = place.published / "meta.json"
    if not isinstance(stated, dict):
        raise InputError(f"{path}: states no spec; make this conversation again")
    return ConversationSpec.from_json(json.dumps(stated), f"{path}: spec")


def _written(place: Workspace, specs: Mapping[str, ConversationSpec]) -> Written:
    published = _is_published(place)
    path = (place.published if published else place.work) / _FILE
    if place.ident not in specs:
        raise InputError(f"{path}: {NAME} plans no conversation of this name; remove its folder, or mend {NAME}")
    spec = specs[place.ident]
    if not published and not _was_asked(spec, place.path("exchange.jsonl")):
        raise InputError(
            f"{path}: was written about something else than {NAME} plans now ({spec.title}); measure it with the "
            "topic bank that it was written with, or write it again"
        )
    return Written(spec, Script.read(path))


def _was_asked(spec: ConversationSpec, path: Path) -> bool:
    """Whether the model was told this title; True where no model was asked."""
    prompts = [exchange.prompt for exchange in read_exchanges(path)] if path.is_file() else []
    title = _letters(plain(spec.title, 100))
    return not prompts or any(title in _letters(prompt) for prompt in prompts)


def _letters(text: str) -> str:
    """Plain letters and digits alone: what a prompt keeps of a text, however it is quoted."""
    return re.sub(r"\\u[0-9a-f]{4}|[^a-z0-9]", "", text.lower())
