"""Fetch and unpack MUSAN: ``python -m pipeline.sound.musan [--out DIR] [--mirror URL]``."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bar

from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.models.__main__ import plain_progress
from pipeline.models.report import Progress
from pipeline.sound.musan.catalogue import Archive, default_folder, known
from pipeline.sound.musan.fetch import bring

_ABOUT = """Fetches MUSAN, a collection of noise, music and speech that backgrounds can be taken from, and unpacks it.

24 GB on the way, 13 GB after. A download that was stopped goes on; the sum is checked. noise=musan then uses it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status: 0 there, 2 not to be had, 130 interrupted."""
    parser = command_parser("pipeline.sound.musan", _ABOUT, "python -m pipeline.sound.musan --out /data/musan")
    parser.add_argument("--out", type=Path, help="the folder to make (default: musan in the cache)")
    parser.add_argument("--mirror", action="append", default=[], metavar="URL", help="a mirror to ask first")
    parser.add_argument("--keep", action="store_true", help="keep the archive beside the folder")
    given = parser.parse_args(arguments)
    folder = given.out or default_folder()
    try:
        with _shown() as progress:
            fresh = bring(folder, _with_mirrors(known().archive, given.mirror), progress, keep=given.keep)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("stopped; the same command goes on where this one was", file=sys.stderr)
        return 130
    named = f" noise.musan={folder}" if given.out else ""
    print(f"{folder}: {'unpacked' if fresh else 'there already'}; use it with noise=musan{named}")
    return 0


@contextmanager
def _shown() -> Iterator[Progress]:
    """A bar on a terminal, a line for each hundredth elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield plain_progress(step=0.01)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(done: int, total: int, doing: str) -> None:
            if doing not in tasks:
                tasks[doing] = bar.add_task(doing, total=total)
            bar.update(tasks[doing], completed=done)

        yield progress


def _with_mirrors(archive: Archive, first: Sequence[str]) -> Archive:
    for url in first:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"mirror {url!r}: give an address that begins with http:// or https://")
    return archive.model_copy(update={"mirrors": (*first, *archive.mirrors)})


if __name__ == "__main__":
    sys.exit(ended(main))
