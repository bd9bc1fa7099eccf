"""Who may write a corpus in a store: one run alone, or several that each make a share of it.

Each run writes a lock file of its own and then looks for others. A store that shows what was written to whoever looks
after that (S3 and GCS do) lets at least one of two see the other, so both never go on; both may stop.
"""

import json
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import OutputError, StorageError
from pipeline.shard import Shard
from pipeline.storage.store import Store
from pipeline.workspace import write_text

LOCKS = ".locks"
OWNER = ".lock-owner"
RENEWED_S = 60.0
"""How often a run says that it is there."""
DEAD_S = 600.0
"""A run that has not said so for this long, by the store's clock, is gone."""


@contextmanager
def held(store: Store, root: Path, shard: Shard | None) -> Iterator[str]:
    """Hold the corpus in `store`, or a share of it, for a run that holds its scratch folder `root` already.

    Yields
    ------
    key
        of the lock in the store, by which `check` knows whether it is held still.

    Raises
    ------
    OutputError
        when another run holds it, or took it over because this one had been silent for too long.

    """
    owner = _owner(root)
    key = f"{LOCKS}/{_name(shard)}.{owner}"
    _write(store, key)
    rivals = list(_rivals(store, key, owner, shard))
    if rivals:
        _let_go(store, key)
        raise OutputError(
            f"out={store.url}: another run is writing this corpus (its lock is {rivals[0]}); wait for it, or choose "
            f"another place with out=; a run that was killed elsewhere is let go {DEAD_S / 60:g} minutes later"
        )
    ended, lost = threading.Event(), threading.Event()
    renewing = threading.Thread(target=_renew, args=(store, key, ended, lost), daemon=True)
    renewing.start()
    try:
        yield key
    except KeyboardInterrupt:
        if not lost.is_set():
            raise
        raise _taken_over(store) from None
    finally:
        ended.set()
        renewing.join()
        _let_go(store, key)


def check(store: Store, key: str | None) -> None:
    """Raise OutputError when another run took over what this one held by the lock at `key`; None: it holds nothing.

    A run is interrupted as well once it knows, but some that are started in the background cannot be.
    """
    if key is not None and store.read(key) is None:
        raise _taken_over(store)


def _taken_over(store: Store) -> OutputError:
    return OutputError(
        f"out={store.url}: another run took this corpus over, since nothing was heard of this one for "
        f"{DEAD_S / 60:g} minutes; what was made is kept: run the same command again when that one has ended"
    )


def _let_go(store: Store, key: str) -> None:
    """Remove the lock; where that fails, it is dead in ten minutes, and what the run itself has to say is said."""
    with suppress(StorageError):
        store.remove([key])


def _owner(root: Path) -> str:
    """Name of the scratch folder, by which a later run there knows the locks of a killed one."""
    path = root / OWNER
    if not path.is_file():
        write_text(path, uuid.uuid4().hex)
    return path.read_text(encoding="utf-8")


def _name(shard: Shard | None) -> str:
    return f"{shard.index}-of-{shard.count}" if shard else "whole"


def _rivals(store: Store, key: str, owner: str, shard: Shard | None) -> Iterator[str]:
    """Locks of runs that are alive and exclude this one; those of dead ones are removed."""
    for other in store.listing(LOCKS):
        name, _, whose = other.rpartition("/")[2].partition(".")
        if other == key or (shard and name not in ("whole", _name(shard))):
            continue
        age = None if whose == owner else store.age(other, now=key)
        if age is not None and age < DEAD_S:
            yield other
        else:
            store.remove([other])


def _write(store: Store, key: str) -> None:
    store.write(key, json.dumps({"renewed": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}).encode())


def _renew(store: Store, key: str, ended: threading.Event, lost: threading.Event) -> None:
    while not ended.wait(RENEWED_S):
        try:
            if store.read(key) is None:
                lost.set()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return
            _write(store, key)
        except StorageError:
            continue  # the next renewal may go through; what the run itself cannot write, it says
