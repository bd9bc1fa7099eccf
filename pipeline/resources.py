"""Finds the data folders (`prompts`, `voices`, `noise`, `conf`) in a checkout or inside an installed wheel."""

from pathlib import Path

from pipeline.errors import InputError

FOLDERS = ("prompts", "voices", "noise", "conf")


def resource(*parts: str) -> Path:
    """Path of a shipped data file or folder, named from its data folder on: ``resource("voices", "pool.yaml")``.

    Raises
    ------
    InputError
        when the installation does not carry it.

    """
    package = Path(__file__).resolve().parent
    for root in (package.parent, package / "_data"):
        found = root.joinpath(*parts)
        # A checkout is told from site-packages by the folder beside the package that only a checkout has.
        if found.exists() and (root == package / "_data" or (root / "pyproject.toml").exists()):
            return found
    raise InputError(f"data file {'/'.join(parts)!r} is not part of this installation: reinstall the package")
