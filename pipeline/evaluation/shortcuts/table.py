"""The shortcut rules as a person reads them: the verdict first, then every rule."""

from collections.abc import Iterator

from pipeline.audit.sweep import BOUND_MS, FEWEST, TOO_MUCH
from pipeline.audit.table import TITLES, rule_rows
from pipeline.evaluation.operating import BUDGET
from pipeline.evaluation.scorer import TASKS
from pipeline.evaluation.shortcuts.judging import Shortcuts

_NAME = 42


def verdict(found: Shortcuts) -> Iterator[str]:
    """What a reader has to know before any score."""
    for result in found.found:
        point = result.bounded
        if point is not None:
            yield (
                f"SHORTCUT, {TITLES[result.task]}: {result.feature} alone finds {point.recall:.0%} at an FPR of "
                f"{point.fpr:.0%}, {point.latency_p50_ms or 0:.0f} ms late; against it: {result.remedy}"
            )
    for task in TASKS:
        rules = sum(result.task == task for result in found.results)
        if not found.enough[task]:
            yield f"{TITLES[task]}: fewer than {FEWEST} positives or hard negatives, no verdict about shortcuts"
        elif not any(result.task == task for result in found.found):
            yield (
                f"{TITLES[task]}: none of {rules} shortcut rules finds more than {TOO_MUCH[task]:.0%} at an FPR of "
                f"{BUDGET:.0%} with a median latency of {BOUND_MS[task] / 1000:.1f} s"
            )


def rules(found: Shortcuts) -> Iterator[str]:
    """Every rule, at bounded latency and without a bound."""
    for task in TASKS:
        yield ""
        yield f"shortcut rules, {TITLES[task]}{' (in-sample)' if found.in_sample else ''}"
        yield from rule_rows(found.results, task, _NAME)
