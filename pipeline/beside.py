"""Puts the realised figures of several corpora beside their targets, in one table (Markdown).

Takes corpus folders that have a `stats.json`, which every finished corpus and every plan has, or files that `--json`
has printed. Figures over all conversations stand with their distance from the target; of the groups (types, numbers of
speakers) the one farthest from its target stands for all. What misses its tolerance is marked.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.command import command_parser, ended
from pipeline.errors import InputError, PipelineError

_GROUPS = {"type": "by type", "speakers": "by speakers"}
_KEPT = ("table", "name", "label", "by", "group", "unit", "realised", "target", "distance", "verdict")


@dataclass(frozen=True)
class Compared:
    """One corpus: its name, and its comparisons as `stats.json` has them."""

    name: str
    minutes: float
    comparisons: tuple[Mapping[str, Any], ...]

    def summary(self) -> dict[str, Any]:
        """What the table needs of it, ready for JSON."""
        kept = [{key: comparison[key] for key in _KEPT} for comparison in self.comparisons]
        return {"name": self.name, "minutes": round(self.minutes, 1), "comparisons": kept}


def read_compared(path: Path) -> list[Compared]:
    """The corpus in a folder, or those in a file that `--json` has printed.

    Raises
    ------
    InputError
        in one line, where there is neither.

    """
    try:
        if path.is_file():
            return [Compared(one["name"], one["minutes"], tuple(one["comparisons"])) for one in _load(path)]
        stats = _load(path / "stats.json")
        return [Compared(path.resolve().name, stats["all"]["duration_s"] / 60, tuple(stats["comparisons"]))]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: no comparison with targets in it; run python -m pipeline.report on it") from error


def table(found: Sequence[Compared]) -> Iterator[str]:
    """The lines of a Markdown table: a row a figure, a column a corpus."""
    yield "| figure | table | target | " + " | ".join(one.name for one in found) + " |"
    yield "|---|---|---|" + "---|" * len(found)
    yield f"| minutes | | | {' | '.join(f'{one.minutes:.1f}' for one in found)} |"
    for key in dict.fromkeys(_row(comparison) for one in found for comparison in one.comparisons):
        yield _line(key, [[c for c in one.comparisons if _row(c) == key] for one in found])


def verdicts(found: Sequence[Compared]) -> Iterator[str]:
    """One line a corpus: how many figures are within tolerance, and which are not."""
    for one in found:
        judged = [c for c in one.comparisons if c["verdict"] != "no verdict"]
        missed = [f"{c['label']} ({c['group']})" for c in judged if c["verdict"] == "MISSED"]
        named = f"; MISSED: {', '.join(missed)}" if missed else ""
        yield f"{one.name}: {len(judged) - len(missed)} of {len(judged)} figures within tolerance{named}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, or with `--json` what it is made from; 2 for bad input."""
    parser = command_parser("pipeline.beside", __doc__, "python -m pipeline.beside corpora/one corpora/other")
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus folder, or a file of --json")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(argv)
    try:
        found = [one for path in given.corpora for one in read_compared(path)]
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(json.dumps([one.summary() for one in found], indent=1, ensure_ascii=False))
        return 0
    for line in [*table(found), "", *verdicts(found)]:
        print(line)
    return 0


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a corpus folder") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); give a corpus folder, or what --json printed") from error


def _row(comparison: Mapping[str, Any]) -> tuple[str, str]:
    """Label, and for a group which groups they are."""
    return comparison["label"], _GROUPS.get(comparison["by"], "")


def _line(key: tuple[str, str], cells: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    label, groups = key
    first = next(some[0] for some in cells if some)
    target = "" if groups else _value(first, first["target"])
    said = [_farthest(some) if groups else _single(some) for some in cells]
    return f"| {f'{label}, {groups}' if groups else label} | {first['table']} | {target} | {' | '.join(said)} |"


def _single(some: Sequence[Mapping[str, Any]]) -> str:
    return f"{_value(some[0], some[0]['realised'])} ({_distance(some[0])}){_mark(some[0])}" if some else ""


def _farthest(some: Sequence[Mapping[str, Any]]) -> str:
    worst = max((c for c in some if c["distance"] is not None), key=lambda c: abs(c["distance"]), default=None)
    if worst is None:
        return ""
    group = worst["group"] if worst["by"] == "type" else f"{worst['group']} speakers"
    missed = next((c for c in some if c["verdict"] == "MISSED"), worst)
    return f"at most {_distance(worst)} ({group.replace('_', '-')}){_mark(missed)}"


def _mark(comparison: Mapping[str, Any]) -> str:
    return " **MISSED**" if comparison["verdict"] == "MISSED" else ""


def _value(comparison: Mapping[str, Any], value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1%}".replace("%", " %") if "share" in comparison["label"] else f"{value:.3g}"


def _distance(comparison: Mapping[str, Any]) -> str:
    distance = comparison["distance"]
    if distance is None:
        return "-"
    return f"{distance:+.1%}".replace("%", " %") if comparison["unit"] == "relative" else f"{distance:+.2f} s"


if __name__ == "__main__":
    sys.exit(ended(main))
