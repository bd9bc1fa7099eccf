"""Prints the published JSON schema of a record that stands in files, or the names of all.

For editors it writes a schema of each group of the configuration; for readers it prints the reference of all settings.
"""

import json
import sys
from pathlib import Path

from pipeline import records
from pipeline.command import command_parser, ended
from pipeline.editor.reference import reference
from pipeline.editor.schemas import write_schemas
from pipeline.errors import ConfigError, PipelineError
from pipeline.records import Record
from pipeline.settings import Settings


def published() -> dict[str, type[Record]]:
    """All records that stand in files, and the settings, by name."""
    named = {name: getattr(records, name) for name in records.__all__}
    found = {name: kind for name, kind in named.items() if isinstance(kind, type) and issubclass(kind, Record)}
    return {**{name: kind for name, kind in found.items() if kind is not Record}, "Settings": Settings}


def schema_of(name: str) -> str:
    """The schema of a record as JSON; ConfigError when there is none of that name."""
    known = published()
    if name not in known:
        raise ConfigError(f"schema {name!r}: there is {', '.join(sorted(known))}")
    return json.dumps(known[name].json_schema(), indent=1, ensure_ascii=False)


def main(argv: list[str] | None = None) -> int:
    """Print one schema, or the names of all."""
    parser = command_parser(
        "pipeline.schema",
        __doc__,
        "python -m pipeline.schema Timeline",
        "python -m pipeline.schema --editor conf/schema",
    )
    parser.add_argument("name", nargs="?", help="the record")
    parser.add_argument("--editor", type=Path, metavar="FOLDER", help="write the schemas of configuration files there")
    parser.add_argument("--reference", action="store_true", help="print the configuration reference, as Markdown")
    given = parser.parse_args(argv)
    try:
        if given.editor:
            print(*write_schemas(given.editor), sep="\n")
            return 0
        if given.reference:
            print(reference(), end="")
            return 0
        print(schema_of(given.name) if given.name else "\n".join(sorted(published())))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
