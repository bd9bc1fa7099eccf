"""The figures of agreement as text."""

from collections.abc import Iterator

from .agreement import Agreement, Row

HEAD = ("", "n", "consensus", "unanimous", "kappa", "boundary F1", "match", "to the log", "holder")


def table(found: Agreement) -> Iterator[str]:
    """Lines for a terminal: the columns of Table 6 by class and those of Table 7 by number of speakers."""
    names = ", ".join(found.annotators)
    yield f"{found.corpus}: {found.answered} of {found.candidates} candidates answered by all of annotators {names}"
    yield ""
    yield _line(HEAD)
    for one in (*found.classes, *found.speakers, found.all):
        yield _line(_cells(one))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.group.replace("_", " "),
        str(row.n),
        _percent(row.consensus),
        _percent(row.unanimous),
        _two(row.kappa),
        _two(row.boundary_f1),
        _percent(row.match),
        _two(row.to_log_f1),
        _percent(row.holder),
    )


def _line(cells: tuple[str, ...]) -> str:
    return f"{cells[0]:18}{cells[1]:>6}" + "".join(f"{cell:>13}" for cell in cells[2:])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
