"""Model files from the user's own folder, for machines without a network."""

import shutil
from pathlib import Path

from pipeline.models.catalogue import Model, ModelFile
from pipeline.models.place import MODELS_VARIABLE, own_models
from pipeline.models.report import Report, SourceError
from pipeline.models.sums import check


def fetch(model: Model, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Copy the `missing` files from the folder, or from the model's own folder within it.

    Raises
    ------
    SourceError
        when no folder is named or a file is not in it.
    ModelError
        when a file there is not the one of the catalogue.

    """
    folder = own_models()
    if folder is None:
        raise SourceError(f"{MODELS_VARIABLE} is not set")
    for file in missing:
        found = _find(folder, model.folder, file.name)
        check(found, file, f"replace the file, or unset {MODELS_VARIABLE}")
        shutil.copyfile(found, staging / file.name)
        report.finish(file.bytes)


def _find(folder: Path, inner: str | None, name: str) -> Path:
    for place in (folder, folder / inner if inner else folder):
        if (place / name).is_file():
            return place / name
    raise SourceError(f"{folder} ({MODELS_VARIABLE}) has no {name}")
