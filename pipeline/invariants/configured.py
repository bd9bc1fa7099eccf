"""What a corpus has configured of the invariants, read off its configuration as plain data."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pipeline.errors import InputError
from pipeline.invariants.reading import Rules

MEASURING_S = 0.13
"""What measured bounds may add to the overlap of a planned hand-over [s]."""


def rules_from(configuration: Mapping[str, Any]) -> Rules:
    """The rules that the groups `script` and `timing` of a configuration ask for.

    A backchannel may have as many words as stage 1 allows, the conversation ends with the tail of stage 2, and a
    hand-over may overlap as far as the least gap says, and at least as far as by default.

    >>> rules_from({"script": {"max_backchannel_words": 8}, "timing": {"gaps": {"latched": {"low": -0.3}}}})
    Rules(max_words=8, tail_s=3.0, latch_s=0.43)
    """
    usual = Rules()
    script, timing = configuration.get("script") or {}, configuration.get("timing") or {}
    lowest = min(_lowest(timing.get("gaps")), default=0.0)
    return Rules(
        max_words=script.get("max_backchannel_words", usual.max_words),
        tail_s=timing.get("tail_s", usual.tail_s),
        latch_s=max(usual.latch_s, round(MEASURING_S - lowest, 3)),
    )


def rules_of(corpus: Path) -> Rules:
    """The rules of a corpus folder, by its `corpus.yaml`; the usual ones where there is none.

    Raises
    ------
    InputError
        when the file cannot be read.

    """
    path = corpus / "corpus.yaml"
    if not path.is_file():
        return Rules()
    try:
        return rules_from(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError, ValueError):
        raise InputError(
            f"{path}: not a readable corpus.yaml; mend it, or move it away to check by the usual rules"
        ) from None


def _lowest(gaps: Any) -> Iterator[float]:
    """Least values [s] of a distribution of gaps, or of one for each way of following."""
    if isinstance(gaps, Mapping):
        if "low" in gaps:
            yield float(gaps["low"])
        elif "values" in gaps:
            yield float(gaps["values"][0])
        else:
            for distribution in gaps.values():
                yield from _lowest(distribution)
