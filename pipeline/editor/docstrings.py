"""What the fields of a record mean: the text beneath each in its source, which Python itself does not keep."""

import ast
import inspect
import re
import textwrap
from functools import cache
from itertools import pairwise

from pipeline.records import Record

_MARKS = re.compile(r":[a-z]+:`~?([^`]+)`|``")


@cache
def meanings(kind: type[Record]) -> dict[str, str]:
    """The docstring of each field of a record by its name, on one line, fields of its bases with them.

    >>> from pipeline.assemble import AssembleSettings
    >>> meanings(AssembleSettings)["peak_db"]
    'Highest sample of any file [dBFS]; the level gives way where it would be exceeded.'
    """
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, Record) and base is not Record:
            found |= _own(base)
    return found


def summary(kind: type[Record]) -> str:
    """The first paragraph of a record's docstring, on one line."""
    return plain((inspect.getdoc(kind) or "").partition("\n\n")[0])


def plain(text: str) -> str:
    """Text without the marks of a docstring, on one line."""
    return " ".join(_MARKS.sub(lambda found: found[1] or "`", text).split())


def _own(kind: type[Record]) -> dict[str, str]:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body = getattr(tree, "body", [])
    return {
        statement.target.id: plain(told)
        for statement, after in pairwise(body)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and (told := _text(after)) is not None
    }


def _text(statement: ast.stmt) -> str | None:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
