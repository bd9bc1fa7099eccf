"""Who may write into a corpus folder: one run alone, or several that each make a share of it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from pipeline.errors import OutputError
from pipeline.shard import Shard

LOCK = ".lock"
TRIES = 20
"""How often a lock file is opened anew that others remove; a file system without lasting inodes is believed then."""


@contextmanager
def locked(root: Path, shard: Shard | None = None) -> Iterator[None]:
    """Hold the corpus for this run, or this run's share of it; the lock goes with the process, however that ends.

    Raises
    ------
    OutputError
        when another run holds it, or the folder cannot be written.

    """
    with (
        _held(root, LOCK, shared=shard is not None) as whole,
        _held(root, f"{LOCK}-{shard.index}-of-{shard.count}") if shard else nullcontext(),
    ):
        try:
            yield
        finally:
            _leave_nothing(root, whole)


@contextmanager
def _held(root: Path, name: str, shared: bool = False) -> Iterator[IO[str]]:
    for left in reversed(range(TRIES)):
        with _opened(root, name) as lock:
            _hold(lock, root, shared)
            if _stands(lock, root / name) or not left:
                yield lock
                return


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


def _stands(lock: IO[str], path: Path) -> bool:
    """Whether others who open the file meet this lock, which a run that ended may have removed in the meantime."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _leave_nothing(root: Path, whole: IO[str]) -> None:
    """Remove the folder again when nothing came of the run, and no other share is being made."""
    if _is_bare(root) and _alone(whole) and _is_bare(root):
        shutil.rmtree(root, ignore_errors=True)


def _is_bare(root: Path) -> bool:
    return not any(path.is_file() for path in root.rglob("*") if not path.name.startswith(LOCK))


def _alone(whole: IO[str]) -> bool:
    import fcntl

    try:
        fcntl.flock(whole, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
