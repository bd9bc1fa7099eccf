"""Write the data card of a finished corpus again, with what only its publisher knows.

The card is README.md, with the front matter of a dataset on the Hugging Face hub, and croissant.json. What is given
here is kept in card.yaml of the corpus folder, and stays when the corpus is made again or grows.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline.card.facts import NAME, Facts, read_facts, write_facts
from pipeline.card.writing import write_again
from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.output.manifest import read_manifest
from pipeline.records.base import first_fault


def main(argv: Sequence[str] | None = None) -> int:
    """Keep the facts and write the card; 2 for bad input."""
    given = vars(_parser().parse_args(argv))
    corpus, as_json = given.pop("corpus"), given.pop("json")
    try:
        read_manifest(corpus)  # before anything is written into a folder that is no corpus
        facts = changed(read_facts(corpus), {key: value for key, value in given.items() if value is not None})
        if facts != Facts():
            write_facts(corpus, facts)
        write_again(corpus)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if as_json:
        print(json.dumps(facts.model_dump(mode="json", exclude_none=True), indent=1, ensure_ascii=False))
        return 0
    print(f"{corpus / 'README.md'} and {corpus / 'croissant.json'} written")
    missing = [f"--{name}" for name in ("url", "creator", "licence", "version", "published") if not _known(facts, name)]
    if missing:
        print(f"not said yet, for a publication: {' '.join(missing)}")
    return 0


def changed(facts: Facts, given: dict[str, Any]) -> Facts:
    """The facts with those that are `given` in place of the old.

    Raises
    ------
    ConfigError
        in one line that names the fact and what is wrong.

    """
    try:
        return Facts.model_validate(facts.model_dump() | given)
    except ValidationError as error:
        raise ConfigError(f"{first_fault(error)}; see --help, or mend {NAME}") from None


def _known(facts: Facts, name: str) -> bool:
    return bool(getattr(facts, {"creator": "creators"}.get(name, name)))


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.card",
        __doc__,
        "python -m pipeline.card corpora/mine --licence CC-BY-4.0 --creator 'A. Maker' --published 2026-11-30",
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="the corpus folder")
    parser.add_argument("--title", help="its name for people (default: the folder's)")
    parser.add_argument("--description", help="a sentence or two to begin the card with")
    parser.add_argument("--url", help="where it is published")
    parser.add_argument(
        "--creator", action="append", dest="creators", metavar="NAME", help="who made it; may be repeated"
    )
    parser.add_argument(
        "--licence", metavar="SPDX", help="of the corpus as a whole, such as CC-BY-4.0 (default: those of its parts)"
    )
    parser.add_argument("--version", metavar="X.Y.Z", help="of the corpus, such as 1.0.0")
    parser.add_argument("--published", metavar="YYYY-MM-DD", help="the day it was published")
    parser.add_argument("--citation", metavar="TEXT", help="how to cite it, such as a BibTeX entry")
    parser.add_argument("--contact", metavar="TEXT", help="whom to ask")
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
