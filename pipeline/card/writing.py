"""Writes the data card of a finished corpus: `README.md` for people, `croissant.json` for catalogues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pipeline.card import croissant, statement
from pipeline.card.facts import Facts, read_facts
from pipeline.card.front_matter import front_matter
from pipeline.card.licences import licences
from pipeline.card.notice import Notice
from pipeline.card.sources import notices_of
from pipeline.errors import InputError
from pipeline.output.files import dump_json
from pipeline.output.manifest import read_manifest, read_meta, read_object
from pipeline.output.page import templates
from pipeline.request import NAME as REQUEST
from pipeline.request import SAME
from pipeline.workspace import write_text


@dataclass(frozen=True)
class Origin:
    """What a corpus was made from."""

    request: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for, by name, such as ``{"n": 5, "type": "argumentative"}``."""
    command: str = "python -m pipeline --config-dir . --config-name corpus"
    """Run in the corpus folder, it makes the same corpus again from `corpus.yaml`."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions and model sums, by name."""


def write_card(corpus: Path, lines: Sequence[Mapping[str, Any]], stats: Mapping[str, Any], origin: Origin) -> None:
    """Write readme and metadata; the corpus's other files are to stand.

    Parameters
    ----------
    corpus
        Its folder; `card.yaml` there says what only its publisher knows.
    lines, stats
        What the manifest and `stats.json` hold.
    origin
        What it was made from.

    Raises
    ------
    InputError
        when a conversation or `card.yaml` cannot be read.
    OutputError
        when the folder cannot be written.

    """
    name, facts = corpus.resolve().name, read_facts(corpus)
    notices = notices_of(corpus, [line["id"] for line in lines])
    terms = licences(notices, facts)
    readme = front_matter(name, stats, terms, facts) + _readme(name, lines, stats, origin, notices, facts)
    write_text(corpus / "README.md", readme)
    metadata = croissant.croissant(corpus, name, stats, lines, terms, facts)
    write_text(corpus / croissant.NAME, dump_json(metadata))


def write_again(corpus: Path) -> None:
    """Write the card of a finished corpus anew, from its records alone.

    Raises
    ------
    InputError
        when `corpus` is no finished corpus, or something in it cannot be read.
    OutputError
        when the folder cannot be written.

    """
    lines = read_manifest(corpus)
    stats = read_object(corpus / "stats.json", "finish the corpus by making it again")
    write_card(corpus, lines, stats, origin_of(corpus, lines))


def origin_of(corpus: Path, lines: Sequence[Mapping[str, Any]]) -> Origin:
    """What a finished corpus was made from, by its `corpus.yaml` and the `meta.json` of its conversations."""
    metas = [read_meta(corpus / "conversations" / line["id"]) for line in lines]
    versions = sorted({meta["generator"]["version"] for meta in metas if "generator" in meta})
    voices = sorted({meta["voice_model"] for meta in metas if "voice_model" in meta})
    software = {"turnfloor": ", ".join(versions), "voice": ", ".join(voices)}
    return Origin(request=_request(corpus), software={key: value for key, value in software.items() if value})


def _request(corpus: Path) -> dict[str, Any]:
    path = corpus / REQUEST
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        return asked(found, found["script"]["writer"], found["noise"]["kind"])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
        raise InputError(f"{path}: not a readable corpus.yaml; finish the corpus by making it again") from None


def asked(settings: Mapping[str, Any], writer: str, noise: str) -> dict[str, Any]:
    """What a card says was asked for."""
    given = {key: settings.get(key) for key in ("n", *SAME)}
    return {**{key: value for key, value in given.items() if value is not None}, "script": writer, "noise": noise}


def _readme(
    name: str,
    lines: Sequence[Mapping[str, Any]],
    stats: Mapping[str, Any],
    origin: Origin,
    notices: Sequence[Notice],
    facts: Facts,
) -> str:
    known = {"name": facts.title or name, "facts": facts, "notices": notices, "limits": statement.limits(lines)}
    template = templates().get_template("readme.md.j2")
    return template.render(lines=lines, stats=stats, about=origin, said=statement, **known)
