"""Detectors that are files in TurnBench's layout: predictions, or probabilities whose threshold is chosen here."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pipeline.errors import ConfigError, InputError
from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.decisions import Curve, Decisions, Fixed
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.listening import Heard
from pipeline.evaluation.predictions import PredictionFile, decisions_of
from pipeline.evaluation.probabilities import TASK_OF, ProbabilityFile, probabilities_of
from pipeline.evaluation.scorecard import Splits
from pipeline.evaluation.scorer import TASKS, Task

Named = tuple[str, Path]
"""Name of a detector, and a file of what it says; several files of one name belong together."""


def named(text: str) -> Named:
    """NAME=FILE as both; the file's own name where there is no NAME.

    >>> named("vap=out/p.json")
    ('vap', PosixPath('out/p.json'))
    >>> named("out/p.json")[0]
    'p'
    """
    name, found, path = text.partition("=")
    return (name, Path(path)) if found else (Path(text).stem, Path(text))


def read_predictions(files: Iterable[Named], conversations: Sequence[Conversation], splits: Splits) -> Heard:
    """What files of predictions say of `conversations`: of both splits, or of test alone; what is decided needs no dev.

    Raises
    ------
    InputError
        where a file cannot be read, names a conversation that the corpus lacks, or all of one name lack one it has.

    """
    by_id = {one.id: one for one in conversations}
    heard: Heard = {}
    for name, path in files:
        entries = PredictionFile.read(path).by_conversation(str(path))
        for ident, entry in entries.items():
            one = _known(by_id, ident, path)
            times = decisions_of(entry, one.keys, one.gold.duration_s, str(path))
            found: dict[Task, Mapping[str, Decisions]] = {
                task: {speaker: Fixed(own[task]) for speaker, own in times.items()} for task in TASKS
            }
            _add(heard.setdefault(name, {}), ident, found, path)
    for name, by_conversation in heard.items():
        has_dev = any(one.id in by_conversation for one in splits.dev)
        _check_complete(name, by_conversation, [*(splits.dev if has_dev else ()), *splits.test])
    return heard


def read_probabilities(files: Iterable[Named], conversations: Sequence[Conversation], splits: Splits) -> Heard:
    """What files of probabilities say of `conversations`, of both splits at least; a file is of one task.

    Raises
    ------
    InputError
        as :func:`read_predictions`.

    """
    by_id = {one.id: one for one in conversations}
    heard: Heard = {}
    for name, path in files:
        file = ProbabilityFile.read(path)
        for ident, entry in file.by_conversation(str(path)).items():
            one = _known(by_id, ident, path)
            values = probabilities_of(entry, file.frame_rate_hz, one.keys, one.gold.duration_s, str(path))
            curves = {speaker: Curve(np.array(own), file.frame_rate_hz) for speaker, own in values.items()}
            _add(heard.setdefault(name, {}), ident, {TASK_OF[file.task]: curves}, path)
    for name, by_conversation in heard.items():
        _check_complete(name, by_conversation, [*splits.dev, *splits.test])
    return heard


def together(*parts: Heard) -> Heard:
    """All of `parts`; ConfigError where a name comes twice."""
    heard: Heard = {}
    for part in parts:
        for name, found in part.items():
            if name in heard:
                raise ConfigError(f"detector {name!r} comes twice; give the file another name: NAME=FILE")
            heard[name] = found
    return heard


def _known(by_id: Mapping[str, Conversation], ident: str, path: Path) -> Conversation:
    if ident not in by_id:
        raise InputError(f"{path}: conversation {ident!r} is not in the corpus; it has {', '.join(list(by_id)[:3])}, …")
    return by_id[ident]


def _add(found: dict[str, Detections], ident: str, more: Detections, path: Path) -> None:
    before = found.get(ident, {})
    if set(before) & set(more):
        raise InputError(f"{path}: conversation {ident!r} stands in another file of the same name, too; keep one")
    found[ident] = {**before, **more}


def _check_complete(name: str, found: Mapping[str, Detections], asked: Iterable[Conversation]) -> None:
    tasks = {task for detections in found.values() for task in detections}
    for one in asked:
        lacking = tasks - set(found.get(one.id, {}))
        if lacking:
            raise InputError(f"detector {name!r}: no {sorted(lacking)[0]} for conversation {one.id!r}; add it")
