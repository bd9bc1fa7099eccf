"""The published JSON schemas of the records: ``python -m pipeline.schema`` lists them, with a name it prints one."""

import json
import sys

from pipeline import records
from pipeline.command import command_parser, ended
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
    parser = command_parser("pipeline.schema", __doc__, "python -m pipeline.schema Timeline")
    parser.add_argument("name", nargs="?", help="the record")
    given = parser.parse_args(argv)
    try:
        print(schema_of(given.name) if given.name else "\n".join(sorted(published())))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
