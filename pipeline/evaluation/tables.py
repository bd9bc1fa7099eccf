"""Scores as a person reads them: Table 3 of the paper for this corpus, beside the published rows, and slices."""

from collections.abc import Iterable, Iterator

from pipeline.evaluation.metrics import Interval, Metrics
from pipeline.evaluation.operating import BUDGET, CEILING
from pipeline.evaluation.published import Published, PublishedScore, published
from pipeline.evaluation.scorecard import Scorecard, TaskResult
from pipeline.evaluation.scorer import TASKS, Task

SHORT: dict[Task, str] = {"eot": "EOT", "interruption": "INT"}
_NAME = 24
_COLUMNS = f"{'threshold':>10}{'recall':>8} {'95 %':<14}{'FPR':>6}{'p50 ms':>8}  "
_BLANK = " " * len(_COLUMNS)


def table(card: Scorecard) -> Iterator[str]:
    """The lines of Table 3."""
    where = "the same, in-sample: the corpus has one split" if card.in_sample else f"{card.dev} others, then frozen"
    yield f"{card.test} conversations scored by {card.profile.name}; thresholds chosen on {where}"
    for task in TASKS:
        own = next((result.test for result in card.results if result.task == task), None)
        if own:
            yield f"{SHORT[task]}: {own.positives} positives, {own.negatives} hard negatives"
    yield ""
    yield f"{'':<{_NAME}}" + "".join(f"{SHORT[task]:<{len(_COLUMNS)}}" for task in TASKS).rstrip()
    yield f"{'system':<{_NAME}}{_COLUMNS * len(TASKS)}".rstrip()
    source = published()
    for name in dict.fromkeys(result.detector for result in card.results):
        yield _row(name, {r.task: _own(r) for r in card.results if r.detector == name})
        if name in source.beside:
            yield _published(source, source.beside[name])
    yield ""
    yield f"+ within budget: FPR <= {BUDGET:.0%} where the threshold is chosen and <= {CEILING:.0%} where it is frozen;"
    yield "  where no threshold is within it, the one with the highest recall less FPR is taken"
    shown = {source.beside[r.detector] for r in card.results if r.detector in source.beside}
    yield f"published on {source.source} ({source.test_conversations} conversations), not run here:"
    for name in source.systems:
        if name not in shown:
            yield _published(source, name)


def slices(card: Scorecard) -> Iterator[str]:
    """The lines of the slices: recall on FPR of each detector, by slice and value, beside the published ones.

    A published system that one of the detectors is shown beside has lines of its own, another one a column.
    """
    names = list(dict.fromkeys(result.detector for result in card.results))
    columns = _others(names)
    heads = [name[:15] for name in names] + [f"publ. {name}"[:15] for name in columns]
    for task in TASKS:
        results = {r.detector: r for r in card.results if r.task == task}
        found = {(s.name, s.value): s.metrics for r in results.values() for s in r.slices}
        yield ""
        yield f"{SHORT[task]:<{_NAME}}{'n':>6}{'n-':>6}" + "".join(f"{head:>16}" for head in heads)
        for (name, value), counts in sorted(found.items()):
            own = (_slice(results.get(detector), name, value) for detector in names)
            cells = [*own, *(_published_slice(column, task, name, value) for column in columns)]
            yield f"{f'{name} {value}':<{_NAME}}{counts.positives:>6}{counts.negatives:>6}{_cells(cells)}"
            if any(cited := [_published_slice(_beside(one), task, name, value) for one in names]):
                yield f"{'  published':<{_NAME + 12}}{_cells(cited)}"
        late = (_latencies(results[name].test) if name in results else "-" for name in names)
        yield f"{'latency p10/p50/p90 [ms]':<{_NAME + 12}}{_cells(late)}"
    yield ""
    yield "recall / FPR in %; n positives, n- hard negatives; publ.: published, not run here"


def _others(names: list[str]) -> list[str]:
    """The published systems with slices that none of the detectors `names` is shown beside."""
    source = published()
    shown = {_beside(name) for name in names} | set(source.beside.values())
    sliced = [name for name, tasks in source.systems.items() if any(score.slices for score in tasks.values())]
    return [name for name in sliced if name not in shown]


def _beside(detector: str) -> str:
    return published().beside.get(detector, "")


def _cells(cells: Iterable[str]) -> str:
    return "".join(f"{cell:>16}" for cell in cells).rstrip()


def _row(name: str, cells: dict[Task, str]) -> str:
    return f"{name:<{_NAME}}{''.join(cells.get(task, _BLANK) for task in TASKS)}".rstrip()


def _own(result: TaskResult) -> str:
    m = result.test
    threshold = f"{result.dev.threshold:.4g}" if result.dev and result.has_threshold else "-"
    mark = "+" if result.within_budget else " "
    return _cell(threshold, _percent(m.recall), _interval(m.recall_interval), _percent(m.fpr), m.latency_p50_ms, mark)


def _published(source: Published, name: str) -> str:
    return _row(f"  published {name}", {task: _cited(score) for task, score in source.systems[name].items()})


def _cited(score: PublishedScore) -> str:
    interval = f"[{score.interval[0]:.1f}, {score.interval[1]:.1f}]" if score.interval else ""
    threshold = "-" if score.threshold is None else f"{score.threshold:.4g}"
    return _cell(threshold, f"{score.recall:.1f}", interval, f"{score.fpr:.1f}", score.latency_ms[1], " ")


def _cell(threshold: str, recall: str, interval: str, fpr: str, late_ms: float | None, mark: str) -> str:
    late = "-" if late_ms is None else f"{late_ms:.0f}"
    return f"{threshold:>10}{recall:>8} {interval:<14}{fpr:>6}{late:>8}{mark} "


def _slice(result: TaskResult | None, name: str, value: str) -> str:
    found = [s.metrics for s in result.slices if (s.name, s.value) == (name, value)] if result else []
    return f"{_percent(found[0].recall)} / {_percent(found[0].fpr)}" if found else "-"


def _published_slice(system: str, task: Task, name: str, value: str) -> str:
    scores = published().systems.get(system, {})
    known = scores[task].slices.get(name, {}).get(value) if task in scores else None
    return " / ".join("-" if v is None else f"{v:.1f}" for v in known) if known else ""


def _latencies(m: Metrics) -> str:
    return "/".join("-" if v is None else f"{v:.0f}" for v in (m.latency_p10_ms, m.latency_p50_ms, m.latency_p90_ms))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"
