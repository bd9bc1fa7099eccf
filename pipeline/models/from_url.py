"""Model files from a plain address, streamed, continued where a fetch broke off."""

import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path

from pipeline.models.catalogue import ModelFile, UrlSource
from pipeline.models.report import Report, SourceError

TIMEOUT = 20.0
"""Seconds without any byte after which a server counts as gone."""
ATTEMPTS = 4
CHUNK = 1 << 18
PARTIAL = 206


def fetch(source: UrlSource, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Stream each of the `missing` files; one that is there in part is continued.

    Raises
    ------
    SourceError
        when the server cannot be reached, has no such file, or keeps breaking off.

    """
    for file in missing:
        target = staging / file.name
        url = source.url.format(name=file.name)
        for attempt in range(ATTEMPTS):
            reason = _stream(url, target, file.bytes, report)
            if target.exists() and target.stat().st_size >= file.bytes:
                break
            if attempt + 1 == ATTEMPTS:
                raise SourceError(f"{url}: {reason}")
            time.sleep(0.5 * attempt)
        report.finish(file.bytes)


def _stream(url: str, target: Path, size: int, report: Report) -> str:
    """Append what the server sends; return why it stopped short. A missing file ends the attempts at once."""
    have = target.stat().st_size if target.exists() else 0
    if have > size:  # not a part of this file
        target.unlink()
        have = 0
    if have == size:
        return "complete"
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310 - the catalogue admits http(s) alone
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:  # noqa: S310 - the same request
            have = have if reply.status == PARTIAL else 0
            with target.open("ab" if have else "wb") as out:
                while chunk := reply.read(CHUNK):
                    out.write(chunk)
                    have += len(chunk)
                    report(have)
    except urllib.error.HTTPError as error:
        raise SourceError(f"{url}: the server answers {error.code}") from error
    except urllib.error.URLError as error:
        raise SourceError(f"{url}: {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    return f"broke off after {have} of {size} bytes"
