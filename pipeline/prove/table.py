"""A proof as a person reads it on a terminal."""

from collections.abc import Iterator

from .gate import Figure, Gate
from .proving import Proof

RED, GREEN, PLAIN = "\x1b[1;31m", "\x1b[32m", "\x1b[0m"
NAMED = 5
"""Places of a failed gate that the terminal shows; the page has more."""


def lines(proof: Proof, colour: bool = False) -> Iterator[str]:
    """The gates, a row a figure; of those that fail, where."""
    yield f"{proof.conversations} conversations, {proof.audio_s / 60:.1f} min of audio, in {proof.took_s / 60:.1f} min"
    rows = [(gate, figure, cells(figure)) for gate in proof.gates for figure in gate.figures]
    widths = [max((len(row[n]) for _, _, row in rows), default=0) for n in range(4)]
    for gate in proof.gates:
        yield ""
        yield f"{_coloured(gate.outcome, colour)}  {gate.name}: {gate.asks}"
        for _, figure, row in (one for one in rows if one[0] is gate):
            what, value, limit, of = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            yield f"      {what}  {value.rstrip().rjust(widths[1])}  {limit}  {of}".rstrip() + (
                "" if figure.holds else "  <-"
            )
        for note in gate.notes:
            yield f"      {note}"
        yield from _where(gate)
    yield ""
    idle = ", ".join(gate.name for gate in proof.gates if gate.outcome == "not judged")
    yield f"verdict: {_coloured(proof.verdict, colour)}" + (f" (not judged: {idle})" if idle else "")


def cells(figure: Figure) -> tuple[str, str, str, str]:
    """What, value, limit, and how much it rests on."""
    unit = f" {figure.unit}" if figure.unit else ""
    value, limit = (f"{number:g}{unit}" for number in (figure.value, figure.limit))
    return figure.what, value, f"{figure.side} {limit}", f"of {figure.n:,} {figure.of}"


def _where(gate: Gate) -> Iterator[str]:
    if gate.outcome == "FAIL":
        for one in gate.places[:NAMED]:
            yield f"      {one}"
        left = len(gate.places) + gate.more - NAMED
        if left > 0:
            yield f"      and {left} more"


def _coloured(word: str, colour: bool) -> str:
    tint = {"FAIL": RED, "pass": GREEN}.get(word)
    return f"{tint}{word}{PLAIN}" if colour and tint else word
