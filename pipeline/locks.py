"""Who may write into a corpus folder: one run alone, or several that each make a share of it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from pipeline.errors import OutputError
from pipeline.shard import Shard

LOCK = ".lock"


@contextmanager
def locked(root: Path, shard: Shard | None = None) -> Iterator[None]:
    """Hold the corpus for this run, or this run's share of it; the lock goes with the process, however that ends.

    Raises
    ------
    OutputError
        when another run holds it, or the folder cannot be written.

    """
    with _opened(root, LOCK) as whole:
        _hold(whole, root, shared=shard is not None)
        with _opened(root, f"{LOCK}-{shard.index}-of-{shard.count}") if shard else nullcontext(None) as share:
            if share:
                _hold(share, root)
            try:
                yield
            finally:
                _leave_nothing(root)


def _opened(root: Path, name: str) -> IO[str]:
    try:
        root.mkdir(parents=True, exist_ok=True)
        return (root / name).open("a+")  # NFS locks for several only what is open for reading
    except OSError as error:
        raise OutputError(
            f"out={root}: cannot be written ({error.strerror}); choose another folder with out="
        ) from None


def _hold(lock: IO[str], root: Path, shared: bool = False) -> None:
    import fcntl

    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(
            f"out={root}: another run is writing this corpus; wait for it, or choose another folder with out="
        ) from None
    except OSError as error:
        raise OutputError(
            f"out={root}: cannot be locked ({error.strerror}); choose a file system with locks for out=, or for "
            "TURNFLOOR_CACHE where out= is a URL"
        ) from None


def _leave_nothing(root: Path) -> None:
    """Remove the folder again when nothing came of the run."""
    if not any(path.is_file() for path in root.rglob("*") if not path.name.startswith(LOCK)):
        shutil.rmtree(root, ignore_errors=True)
