"""Finds the data folders (`prompts`, `voices`, `noise`, `conf`) in a checkout or inside an installed wheel."""

from pathlib import Path

from pipeline.errors import InputError


def resource(*parts: str) -> Path:
    """Path of a shipped data file or folder, named from its data folder on: ``resource("voices", "pool.yaml")``.

    Raises
    ------
    InputError
        when the installation does not carry it.

    """
    package = Path(__file__).resolve().parent
    # A checkout is told from site-packages by the file beside the package that only a checkout has.
    root = package.parent if (package.parent / "pyproject.toml").exists() else package / "_data"
    found = root.joinpath(*parts)
    if found.exists():
        return found
    raise InputError(f"data file {'/'.join(parts)!r} is not part of this installation: reinstall the package")
