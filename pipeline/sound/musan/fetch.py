"""Brings MUSAN here: room checked, archive fetched and continued, its sum checked, unpacked whole or not at all."""

import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import DownloadError, OutputError
from pipeline.models.download import download
from pipeline.models.place import locked
from pipeline.models.sums import md5_of
from pipeline.sound.musan.catalogue import Archive
from pipeline.sound.musan.scan import NEEDED

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being done."""
MARGIN = 1.02
"""Room wanted, as a multiple of what is still to come: file systems need some for themselves."""


def is_there(folder: Path) -> bool:
    """Whether `folder` holds an unpacked MUSAN; it appears under its name only when it is whole."""
    return all((folder / part).exists() for part in NEEDED)


def bring(folder: Path, archive: Archive, progress: Progress, *, keep: bool = False) -> bool:
    """Fetch and unpack MUSAN as `folder`; returns False when it was there already.

    What an earlier run fetched is continued, what it half unpacked is removed. The archive is removed at the
    end unless `keep` says otherwise.

    Raises
    ------
    DownloadError
        when no mirror delivers the archive with the right sum.
    OutputError
        when the disk is too small or cannot be written, or something else stands at `folder`.

    """
    folder = folder.absolute()
    if is_there(folder):
        return False
    if folder.exists():
        raise OutputError(f"{folder} is there and is no MUSAN directory: remove it or choose another with OUT=")
    packed, half = folder.with_name(f".{archive.name}.part"), folder.with_name(f".{folder.name}.unpacking")
    with _told(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder.with_name(f".{folder.name}.lock")):
            if is_there(folder):
                return False
            shutil.rmtree(half, ignore_errors=True)
            _want_room(folder.parent, archive, packed)
            _whole_archive(packed, archive, progress)
            _unpack(packed, half, archive, progress)
            (half / archive.folder).rename(folder)
            shutil.rmtree(half)
            packed.rename(folder.with_name(archive.name)) if keep else packed.unlink()
    folder.with_name(f".{folder.name}.lock").unlink(missing_ok=True)
    return True


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """What the disk refuses, in one line."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{folder}: cannot be written ({error.strerror or error}): make room or choose another folder with OUT="
        ) from None


def _want_room(parent: Path, archive: Archive, packed: Path) -> None:
    """Refuse at once what would fail after hours: archive and unpacked files stand side by side for a while."""
    have = packed.stat().st_size if packed.exists() else 0
    need = MARGIN * (archive.bytes - have + archive.unpacked_bytes)
    free = shutil.disk_usage(parent).free
    if free < need:
        raise OutputError(
            f"{parent}: {free / 1e9:.1f} GB are free and {need / 1e9:.1f} GB are needed "
            f"(archive {(archive.bytes - have) / 1e9:.1f}, unpacked {archive.unpacked_bytes / 1e9:.1f}): "
            "make room or choose another folder with OUT="
        )


def _whole_archive(packed: Path, archive: Archive, progress: Progress) -> None:
    """The archive with the right sum at `packed`, from the first mirror that delivers it."""
    reasons = []
    for mirror in archive.mirrors:
        reason = download(mirror, packed, archive.bytes, lambda n: progress(n, archive.bytes, "fetching"))
        if reason is None:
            found = md5_of(packed, lambda n: progress(n, archive.bytes, "checking"))
            if found == archive.md5:
                return
            packed.unlink()
            reason = f"its MD5 is {found}, not {archive.md5}; what arrived was discarded"
        reasons.append(f"{mirror}: {reason}")
    raise DownloadError(
        f"{archive.name} could not be fetched ({'; '.join(reasons)}): run make musan again, which goes on where "
        "this stopped, or name another mirror with MIRROR="
    )


def _unpack(packed: Path, half: Path, archive: Archive, progress: Progress) -> None:
    """Unpack into the folder `half`, which is removed again when that fails."""
    try:
        half.mkdir()
        # Read as a stream: the archive is gone through once, and its position tells how far it is.
        with packed.open("rb") as file, tarfile.open(fileobj=file, mode="r|gz") as members:
            for member in members:
                members.extract(member, half, filter="data")
                progress(file.tell(), archive.bytes, "unpacking")
        if not is_there(half / archive.folder):
            raise DownloadError(f"{archive.name} holds no MUSAN directory {archive.folder!r}: name another mirror")
    except (tarfile.TarError, EOFError) as error:
        shutil.rmtree(half, ignore_errors=True)
        raise DownloadError(f"{archive.name} cannot be unpacked ({error}): run make musan again") from None
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise
