"""What one more conversation takes of the run's own process: planned before the first, finished after the last.

What does not grow with the number of conversations, such as drawing the plots, is told apart by the difference of two.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.bench.corpus import settings_of
from pipeline.output.corpus import About, finish_corpus
from pipeline.run import planned

TEMPLATE = "script=template"
FEW, MANY = 200, 1000
"""Conversations that are planned."""
COPIES, MORE_COPIES = 3, 20
"""Of each conversation, that are finished."""


def plan_s() -> float:
    """CPU seconds of planning one more."""
    few, many = (settings_of(f"n={count}", TEMPLATE) for count in (FEW, MANY))
    planned(few)
    return _slope(lambda: planned(few), lambda: planned(many), MANY - FEW)


def finish_s(corpus: Path, idents: Sequence[str]) -> float:
    """CPU seconds of manifest, statistics and report of one more: of a corpus with each of them many times."""
    root = corpus.with_name(f"{corpus.name}-many")
    shutil.rmtree(root, ignore_errors=True)
    (root / "conversations").mkdir(parents=True)
    # The data card looks each up by its own id, under which the first one stands.
    names = [(f"{ident}-{copy}" if copy else ident, ident) for copy in range(MORE_COPIES) for ident in idents]
    for name, ident in names:
        (root / "conversations" / name).symlink_to((corpus / "conversations" / ident).resolve())
    few = {name for name, _ in names[: COPIES * len(idents)]}
    finish_corpus(root, About(), only=few)
    found = _slope(
        lambda: finish_corpus(root, About(), only=few), lambda: finish_corpus(root, About()), len(names) - len(few)
    )
    shutil.rmtree(root)
    return found


def _slope(few: Callable[[], object], many: Callable[[], object], more: int) -> float:
    """CPU seconds of `many` beyond those of `few`, for each of so many more."""
    return max(0.0, _spent(many) - _spent(few)) / more


def _spent(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
