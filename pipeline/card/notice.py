"""One part of a corpus, or one tool it was made with, and the terms of it."""

from pipeline.records import Record

_SPDX = {
    "apache-2.0": "Apache-2.0",
    "cc by 4.0": "CC-BY-4.0",
    "attribution 4.0": "CC-BY-4.0",
    "cc by 3.0": "CC-BY-3.0",
    "attribution 3.0": "CC-BY-3.0",
    "cc0": "CC0-1.0",
    "public domain": "CC-PDDC",
}
OTHER = "other"
"""Terms that have no SPDX name here; the notice says which they are."""


class Notice(Record):
    """A licence or attribution, as a corpus names it."""

    text: str
    """What a reader of the corpus is told, in a line."""
    contained: str | None = None
    """The licence of what stands in the corpus itself, as SPDX names it, or `other`; None for a tool that was used."""


def spdx(licence: str) -> str:
    """The SPDX name of a licence as noise catalogues write it.

    >>> spdx("CC BY 4.0"), spdx("Attribution 3.0"), spdx("ask me")
    ('CC-BY-4.0', 'CC-BY-3.0', 'other')
    """
    return _SPDX.get(licence.strip().lower(), OTHER)
