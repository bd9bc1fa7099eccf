"""The statistics of a corpus: its conversations read, counted, pooled by group, and compared with their targets."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.output.comparison import Comparison, compared, counted, deviating
from pipeline.output.figures import Figures, figures, pooled
from pipeline.output.manifest import conversation_folders, read_meta
from pipeline.output.targets import Cell, Targets, published
from pipeline.output.transitions import Transitions, transitions
from pipeline.records import ConversationSpec, Script, Timeline
from pipeline.workspace import Workspace


@dataclass(frozen=True)
class Counted:
    """One conversation: the groups it is in, and what was counted."""

    id: str
    type: str
    n_speakers: int
    split: str
    figures: Figures
    changes: Transitions = field(default_factory=Transitions)
    timeline: Path | None = None
    """Its file; None where no timeline was made."""

    @property
    def cell(self) -> Cell:
        """Type and number of speakers."""
        return self.type, self.n_speakers


def finished(corpus: Path, only: Collection[str] | None = None) -> list[Path]:
    """The folders of finished conversations, by id; `only`: those with these ids."""
    if not (corpus / "conversations").exists():
        return []
    folders = conversation_folders(corpus)
    return [f for f in folders if (only is None or f.name in only) and (f / "meta.json").exists()]


def count_finished(folder: Path) -> Counted:
    """Count one finished conversation; InputError when it cannot be read."""
    place = folder / "timeline.json"
    meta, timeline, script = read_meta(folder), Timeline.read(place), Script.read(folder / "script.json")
    spec = meta.get("spec")
    if not isinstance(spec, dict) or not {"type", "speakers", "split"} <= spec.keys():
        raise InputError(f"{folder / 'meta.json'}: states no spec; make this conversation again")
    return Counted(
        id=folder.name,
        type=str(spec["type"]),
        n_speakers=len(spec["speakers"]),
        split=str(spec["split"]),
        figures=figures(timeline, script, meta.get("nuisance")),
        changes=transitions(timeline, str(spec["type"])),
        timeline=place,
    )


def count_planned(corpus: Path, specs: Sequence[ConversationSpec], name: str = "timeline.json") -> list[Counted]:
    """Count the conversations of which there is a timeline among the artefacts of the stages.

    Parameters
    ----------
    corpus, specs
        The corpus folder and what its conversations shall be.
    name
        The artefact: `timeline.json` as planned, `rendered.json` as measured on the sound.

    """
    return [_planned(Workspace(corpus, spec.id), spec, name) for spec in specs if (_work(corpus, spec) / name).exists()]


def _work(corpus: Path, spec: ConversationSpec) -> Path:
    return Workspace(corpus, spec.id).work


def _planned(work: Workspace, spec: ConversationSpec, name: str) -> Counted:
    timeline, script = Timeline.read(work.path(name)), Script.read(work.path("script.json"))
    return Counted(
        id=spec.id,
        type=spec.type,
        n_speakers=len(spec.speakers),
        split=spec.split,
        figures=figures(timeline, script),
        changes=transitions(timeline, spec.type),
        timeline=work.path(name),
    )


def count_unwritten(spec: ConversationSpec) -> Counted:
    """What a conversation counts for of which there is no script."""
    return Counted(spec.id, spec.type, len(spec.speakers), spec.split, Figures(script=Counter(failed=1)))


def statistics(found: Sequence[Counted], failed: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Figures of all conversations and of each group, ready for JSON; `failed`: why conversations miss, by id."""
    return {
        "schema_version": 1,
        "all": _summary(found),
        "failed": dict(sorted((failed or {}).items())),
        "by_type": _by(found, lambda one: one.type),
        "by_speakers": _by(found, lambda one: str(one.n_speakers)),
        "by_split": _by(found, lambda one: one.split),
    }


def against_targets(stats: Mapping[str, Any], found: Sequence[Counted]) -> list[Comparison]:
    """The figures of a corpus beside those that were published."""
    return compared(stats, cells_of(found), published())


def with_comparisons(
    stats: Mapping[str, Any], comparisons: Sequence[Comparison], corpus: Path, targets: Targets | None = None
) -> dict[str, Any]:
    """What `stats.json` holds: the figures, and each beside its target; `targets` None: the published ones."""
    targets = targets or published()
    return {
        **stats,
        "targets": {
            "source": targets.source,
            "least_expected_events": targets.least_expected,
            "other_settings": deviating(corpus),
            "verdicts": counted(comparisons),
        },
        "comparisons": [comparison.summary() for comparison in comparisons],
    }


def cells_of(found: Sequence[Counted]) -> frozenset[Cell]:
    """Type and number of speakers of the conversations that have a timeline."""
    return frozenset(one.cell for one in found if one.timeline)


def _by(found: Sequence[Counted], key: Callable[[Counted], str]) -> dict[str, Any]:
    names = sorted({key(one) for one in found})
    return {name: _summary([one for one in found if key(one) == name]) for name in names}


def _summary(found: Sequence[Counted]) -> dict[str, Any]:
    return pooled(one.figures for one in found).summary()
