"""What a corpus says of itself once its conversations stand: manifest, statistics, readme, page."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.output.figures import Figures, figures, pooled, snr_of
from pipeline.output.files import dump_json, dump_lines
from pipeline.output.manifest import MANIFEST, conversation_folders, manifest_line, read_meta
from pipeline.output.page import corpus_page, templates
from pipeline.records import ConversationSpec, Script, Timeline
from pipeline.workspace import write_text


@dataclass(frozen=True)
class About:
    """What the readme of a corpus tells beside its figures."""

    request: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for, by name, such as ``{"n": 5, "type": "argumentative"}``."""
    command: str = "python -m pipeline --config-dir . --config-name corpus"
    """Run in the corpus folder, it makes the same corpus again from `corpus.yaml`."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions and model sums, by name."""
    notices: Sequence[str] = ()
    """Licence and attribution lines of voices, models and noise."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Why conversations are missing, by id."""
    unwritten: Sequence[ConversationSpec] = ()
    """Those among them for which no valid script was had; the others fell to a later stage, or to the budget."""


@dataclass(frozen=True)
class _Conversation:
    line: dict[str, Any]
    figures: Figures


def finish_corpus(corpus: Path, about: About, only: Collection[str] | None = None) -> dict[str, Any]:
    """Write manifest, statistics, readme and page of the conversations that stand in `corpus`.

    Parameters
    ----------
    corpus
        The folder that holds `conversations`.
    about
        What else the readme tells.
    only
        Ids of the conversations that belong to the request; None: all that are there. What is not finished, or
        failed this time and stands from an earlier run, is left out.

    Returns
    -------
    dict
        What `stats.json` holds: figures of all, and by type, number of speakers and split, by the definitions
        of :mod:`pipeline.output.figures`.

    Raises
    ------
    InputError
        when a conversation cannot be read.
    OutputError
        when the folder cannot be written.

    """
    found = [_read(folder, corpus) for folder in _finished(corpus, only) if folder.name not in about.failed]
    stats = statistics(found, about)
    lines = [conversation.line for conversation in found]
    write_text(corpus / MANIFEST, dump_lines(lines))
    write_text(corpus / "stats.json", dump_json(stats))
    write_text(corpus / "README.md", _readme(corpus.resolve().name, lines, stats, about))
    write_text(corpus / "index.html", corpus_page(corpus.resolve().name, lines, stats))
    return stats


def statistics(found: Sequence[_Conversation], about: About) -> dict[str, Any]:
    """Figures of all conversations and of each group, ready for JSON."""
    found = [*found, *map(_unwritten, about.unwritten)]
    return {
        "schema_version": 1,
        "all": _summary(found),
        "failed": dict(sorted(about.failed.items())),
        "by_type": _by(found, lambda line: str(line["type"])),
        "by_speakers": _by(found, lambda line: str(line["n_speakers"])),
        "by_split": _by(found, lambda line: str(line["split"])),
    }


def _finished(corpus: Path, only: Collection[str] | None) -> list[Path]:
    if not (corpus / "conversations").exists():
        return []
    folders = conversation_folders(corpus)
    return [f for f in folders if (only is None or f.name in only) and (f / "meta.json").exists()]


def _read(folder: Path, corpus: Path) -> _Conversation:
    timeline = Timeline.read(folder / "timeline.json")
    script = Script.read(folder / "script.json")
    snr_db = snr_of(read_meta(folder)["nuisance"])
    return _Conversation(manifest_line(folder, corpus), figures(timeline, script, snr_db))


def _unwritten(spec: ConversationSpec) -> _Conversation:
    """What a conversation counts for of which there is no script."""
    group = {"type": spec.type, "n_speakers": len(spec.speakers), "split": spec.split}
    return _Conversation(group, Figures(script=Counter(failed=1)))


def _by(found: Sequence[_Conversation], key: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    names = sorted({key(conversation.line) for conversation in found})
    return {name: _summary([c for c in found if key(c.line) == name]) for name in names}


def _summary(found: Sequence[_Conversation]) -> dict[str, Any]:
    return pooled(conversation.figures for conversation in found).summary()


def _readme(name: str, lines: Sequence[Mapping[str, Any]], stats: Mapping[str, Any], about: About) -> str:
    template = templates().get_template("readme.md.j2")
    return template.render(name=name, lines=lines, stats=stats, about=about, example=lines[0] if lines else None)
