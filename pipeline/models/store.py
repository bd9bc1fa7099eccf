"""The store: a verified copy of each model in the cache, fetched when it is missing."""

import hashlib
import shutil
from pathlib import Path

from pipeline.errors import ModelError
from pipeline.models.catalogue import Model, ModelFile
from pipeline.models.catalogue import load as load
from pipeline.models.place import MODELS_VARIABLE, cache_dir, locked, make_folder
from pipeline.models.report import Progress, Report, SourceError
from pipeline.models.sources import fetch
from pipeline.models.sums import Ledger, check

MARGIN = 1.2
"""Room wanted on the disk, as a multiple of the model's size."""


def ensure(name: str, progress: Progress | None = None) -> Path:
    """Return the verified path of a model in the cache: a file, or a folder for a model of several files.

    What is missing is fetched from the first source that delivers. Two processes do not fetch twice.

    Raises
    ------
    ConfigError
        when the catalogue has no such model.
    ModelError
        when no source delivers, a file has the wrong sum, or the disk is too small.

    """
    model = load()[name]
    home = _home(model)
    report = Report(model.bytes, name, progress)
    if _missing(name, model, home, report):
        with locked(cache_dir() / "models" / f".{name}.lock"):
            missing = _missing(name, model, home, report)
            if missing:
                _fetch(name, model, missing, home, report)
    return home if model.folder else home / model.files[0].name


def model_sum(name: str) -> str:
    """The sum that stands for a model in fingerprints: of its file, or over the sums of its files.

    >>> model_sum("kokoro-int8")[:8]
    '6e742170'
    """
    sums = [file.sha256 for file in load()[name].files]
    return sums[0] if len(sums) == 1 else hashlib.sha256("\n".join(sums).encode()).hexdigest()


def is_there(name: str) -> bool:
    """Whether all files of the model are in the cache; their sums are not taken."""
    model = load()[name]
    return all((_home(model) / file.name).is_file() for file in model.files)


def _home(model: Model) -> Path:
    models = cache_dir() / "models"
    return models / model.folder if model.folder else models


def _ledger(name: str) -> Ledger:
    return Ledger(cache_dir() / "models" / f"{name}.verified.json")


def _missing(name: str, model: Model, home: Path, report: Report) -> tuple[ModelFile, ...]:
    """Files that are not in the cache; those that are there but not yet verified are verified."""
    ledger = _ledger(name)
    missing = []
    for file in model.files:
        path = home / file.name
        if not path.is_file():
            missing.append(file)
        elif not ledger.knows(path, file):
            check(path, file, f"delete it and run python -m pipeline.models {name}", lambda n: report(n, "verifying"))
            ledger.add(path, file)
    return tuple(missing)


def _fetch(name: str, model: Model, missing: tuple[ModelFile, ...], home: Path, report: Report) -> None:
    staging = cache_dir() / "models" / f".{name}.part"
    for folder in (staging, home):
        make_folder(folder)
    _want_room(name, missing, staging)
    _first_that_delivers(name, model, missing, staging, report)
    ledger = _ledger(name)
    for file in missing:
        _take_over(name, staging / file.name, file, home, ledger)
    shutil.rmtree(staging, ignore_errors=True)


def _first_that_delivers(
    name: str, model: Model, missing: tuple[ModelFile, ...], staging: Path, report: Report
) -> None:
    reasons = []
    for source in model.sources:
        report.before = model.bytes - sum(file.bytes for file in missing)
        try:
            fetch(source, model, missing, staging, report)
        except SourceError as reason:
            reasons.append(f"{source.kind}: {reason}")
        except OSError as error:
            raise ModelError(f"model {name} cannot be stored in {staging}: {error.strerror or error}") from error
        else:
            return
    files = ", ".join(file.name for file in missing[:2]) + (", ..." if len(missing) > 2 else "")
    raise ModelError(
        f"model {name} could not be fetched ({'; '.join(reasons)}): connect to a network, "
        f"or put {files} into a folder and name it with {MODELS_VARIABLE}"
    )


def _take_over(name: str, path: Path, file: ModelFile, home: Path, ledger: Ledger) -> None:
    try:
        check(path, file, f"what arrived was discarded; run python -m pipeline.models {name} again")
    except ModelError:
        path.unlink()
        raise
    target = home / file.name
    path.replace(target)
    ledger.add(target, file)


def _want_room(name: str, missing: tuple[ModelFile, ...], folder: Path) -> None:
    need = round(MARGIN * sum(file.bytes for file in missing)) - _size_of(folder)
    free = shutil.disk_usage(folder).free
    if free < need:
        raise ModelError(
            f"model {name} needs {need / 1e6:.0f} MB in {folder}, {free / 1e6:.0f} MB are free: "
            "make room, or name another cache folder with TURNFLOOR_CACHE"
        )


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
