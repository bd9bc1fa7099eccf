"""The licences of a corpus as catalogues want them, from its notices or from what its publisher says."""

from collections.abc import Iterable
from typing import Any

from pipeline.card.facts import Facts
from pipeline.card.notice import OTHER, Notice

_HUB = frozenset({"apache-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc0-1.0", "mit", "odc-by"})
"""Names of the Hugging Face hub that are SPDX's in small letters; others are `other` there, with their name beside."""


def licences(notices: Iterable[Notice], facts: Facts) -> tuple[str, ...]:
    """The licences of what a corpus holds, as SPDX names them, or its publisher's one for the whole."""
    if facts.licence:
        return (facts.licence,)
    return tuple(sorted({notice.contained for notice in notices if notice.contained}))


def hub_terms(found: tuple[str, ...]) -> dict[str, Any]:
    """The licence keys of a card on the Hugging Face hub.

    >>> hub_terms(("Apache-2.0", "CC-BY-4.0"))
    {'license': ['apache-2.0', 'cc-by-4.0']}
    >>> hub_terms(("Apache-2.0", "other"))
    {'license': 'other', 'license_name': 'apache-2.0-and-other'}
    """
    names = [name.lower() for name in found]
    if names and all(name in _HUB for name in names):
        return {"license": names if len(names) > 1 else names[0]}
    return {"license": OTHER, "license_name": "-and-".join(names) or "unknown"}


def addresses(found: tuple[str, ...]) -> list[str]:
    """Where each licence can be read; what SPDX does not name is told in the readme."""
    return [f"https://spdx.org/licenses/{name}.html" if name != OTHER else "README.md" for name in found]
