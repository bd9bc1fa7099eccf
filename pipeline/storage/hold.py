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
from contextlib import contextmanager
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
def held(store: Store, root: Path, shard: Shard | None) -> Iterator[None]:
    """Hold the corpus in `store`, or a share of it, for a run that holds its scratch folder `root` already.

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
        store.remove([key])
        raise OutputError(
            f"out={store.url}: another run is writing this corpus (its lock is {rivals[0]}); wait for it, or choose "
            f"another place with out=; a run that was killed elsewhere is let go {DEAD_S / 60:g} minutes later"
        )
    ended, lost = threading.Event(), threading.Event()
    renewing = threading.Thread(target=_renew, args=(store, key, ended, lost), daemon=True)
    renewing.start()
    try:
        yield
    except KeyboardInterrupt:
        if not lost.is_set():
            raise
        raise OutputError(
            f"out={store.url}: another run took this corpus over, since nothing was heard of this one for "
            f"{DEAD_S / 60:g} minutes; what was made is kept: run the same command again when that one has ended"
        ) from None
    finally:
        ended.set()
        renewing.join()
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
