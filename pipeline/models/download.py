"""One large file over HTTP, continued where it broke off."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

TIMEOUT = 30.0
"""Seconds without any byte after which a server counts as gone."""
ATTEMPTS = 4
"""Tries in a row that bring nothing new."""
WAIT = 0.5
"""Seconds before another try, times how many brought nothing."""
CHUNK = 1 << 20
PARTIAL = 206
Counted = Callable[[int], None]
"""Called with the bytes done so far."""


def download(url: str, target: Path, size: int, counted: Counted) -> str | None:
    """Bring the file at `url` to `target`, `size` bytes; what is there of it already is kept and continued.

    Returns
    -------
    str | None
        None when it is whole, else why this server does not deliver.

    Raises
    ------
    OSError
        when `target` cannot be written.

    """
    failures, reason = 0, "nothing arrived"
    while failures < ATTEMPTS:
        before = _size(target)
        if before == size:
            return None
        if before > size:  # no part of this file
            target.unlink()
            before = 0
        reason = _continued(url, target, before, size, counted)
        if reason.startswith("the server answers"):
            return reason
        failures = 0 if _size(target) > before else failures + 1
        if _size(target) != size and failures < ATTEMPTS:
            time.sleep(WAIT * failures)
    return reason


def _continued(url: str, target: Path, have: int, size: int, counted: Counted) -> str:
    """Append what the server sends from `have` on; returns why it stopped."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310 - the catalogue and the command admit http(s) alone
    try:
        reply = urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310 - the same request
    except urllib.error.HTTPError as error:
        return f"the server answers {error.code}"
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__
    with reply, target.open("ab" if reply.status == PARTIAL else "wb") as out:
        have = have if reply.status == PARTIAL else 0
        while True:
            try:
                chunk = reply.read(CHUNK)
            except (http.client.HTTPException, TimeoutError, ConnectionError) as error:
                return f"broke off after {have} of {size} bytes ({type(error).__name__})"
            if not chunk:
                return f"broke off after {have} of {size} bytes"
            out.write(chunk)
            have += len(chunk)
            counted(have)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
