"""The figures as text."""

from collections.abc import Iterator, Mapping

from .figures import Figures, Judged, Row

HEAD = f"{'':24}{'n':>6}{'median':>8}{'p5':>8}{'p95':>8}{'<=15':>7}{'<=30':>7}{'<=60':>7}"


def table(figures: Figures) -> Iterator[str]:
    """Lines for a terminal; errors in ms, shares in %."""
    yield f"{figures.material}, seed {figures.seed}; errors in ms (stated less found), shares within so many ms in %"
    yield from _part("outer bounds of segments against energy", figures.outer)
    yield from _part("logged word boundaries that a sibilant shows, without an aligner", figures.landmarks)
    for name, found in figures.aligners.items():
        yield from _judged(name, found)


def _judged(name: str, found: Judged) -> Iterator[str]:
    yield from _part(f"{name}: its own errors on known boundaries", found.own)
    yield from _part(f"{name}: the same, its bias taken off", found.own_spread)
    yield from _part(f"{name}: at seams of abutting phrases, for comparison", found.seams)
    title = f"{name}: logged word times, its bias taken off ({found.words} words; {found.left_out} could not be judged)"
    yield from _part(title, found.logged)
    yield from _part(f"{name}: all word times by voice", found.voices)


def _part(title: str, rows: Mapping[str, Row]) -> Iterator[str]:
    yield ""
    yield title
    yield HEAD
    yield from (row(name, one) for name, one in rows.items())


def row(name: str, one: Row) -> str:
    """One line of a part: count, median, percentiles, and shares."""
    shares = "".join(f"{100 * share:>7.1f}" for share in (one.within_15, one.within_30, one.within_60))
    return f"{name:24}{one.n:>6}{one.median_ms:>8.1f}{one.p5_ms:>8.1f}{one.p95_ms:>8.1f}{shares}"
