"""What only the publisher of a corpus knows: kept in `card.yaml` of its folder, for whenever the card is written."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError

from pipeline.errors import InputError
from pipeline.records import Record
from pipeline.records.base import first_fault
from pipeline.workspace import write_text

NAME = "card.yaml"
Text = Annotated[str, Field(min_length=1)]


class Facts(Record):
    """What a card says beside what the corpus says itself; everything may be left out."""

    title: Text | None = None
    """Its name for people; the folder's name where there is none."""
    description: Text | None = None
    """Put before the card's own description."""
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    """Where it is published."""
    creators: tuple[Text, ...] = ()
    licence: Text | None = None
    """Of the corpus as a whole, as SPDX names it, such as CC-BY-4.0; else those of its parts are stated."""
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")] | None = None
    published: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    """The day it was published, such as 2026-11-30."""
    citation: Text | None = None
    """How to cite it, such as a BibTeX entry."""
    contact: Text | None = None


def read_facts(corpus: Path) -> Facts:
    """The facts of a corpus; those of nobody where `card.yaml` is not there.

    Raises
    ------
    InputError
        in one line that names the file, the key and what is wrong.

    """
    path = corpus / NAME
    if not path.exists():
        return Facts()
    try:
        # Dates and versions are text here, which YAML would take for its own kinds.
        found: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506, builds text alone
        return Facts.model_validate(found or {})
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read ({' '.join(str(error).split())}); mend or remove it") from None
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}; mend or remove it") from None


def write_facts(corpus: Path, facts: Facts) -> None:
    """Keep the facts in the corpus folder."""
    data = facts.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    head = "# What the card of this corpus says of its publication: python -m pipeline.card --help\n"
    write_text(corpus / NAME, head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120))
