"""Which `out=` is a URL, and where its corpus is worked on."""

import hashlib
import re
from pathlib import Path, PurePosixPath

from pipeline.models.place import cache_dir

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")


def is_url(text: object) -> bool:
    """Whether `text` names a store and no folder.

    >>> is_url("s3://bucket/corpora/mine"), is_url("corpora/a:b")
    (True, False)
    """
    return isinstance(text, str) and bool(_SCHEME.match(text))


def checked(url: str) -> str:
    """`url` without its last slashes.

    Raises
    ------
    ValueError
        where it holds credentials, which would be recorded with the corpus, or names no place below a bucket.

    """
    scheme, _, rest = url.partition("://")
    if "@" in rest.partition("/")[0]:
        raise ValueError("a URL with credentials would be recorded with the corpus; put them into the environment")
    parts = [part for part in rest.split("/") if part]
    if len(parts) < 2 or ".." in parts:
        raise ValueError("a URL names a place below a bucket or folder, such as s3://bucket/corpora/mine")
    return f"{scheme.lower()}://{'/' if rest.startswith('/') else ''}{'/'.join(parts)}"


def scratch(url: str) -> Path:
    """The folder on this machine in which the corpus at `url` is worked on; it has the corpus's own name."""
    return cache_dir() / "stores" / hashlib.sha256(url.encode()).hexdigest()[:16] / PurePosixPath(url).name
