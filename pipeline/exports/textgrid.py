"""Praat's TextGrid, in the long text format.

Source: the Praat manual, "TextGrid file formats".
"""

import math
from collections.abc import Iterator

from pipeline.exports.job import Job
from pipeline.exports.tiers import Mark, Tier, tiers
from pipeline.loader import Conversation
from pipeline.samples import to_seconds

LEAST_S = 0.001
"""An empty interval is given this length: a TextGrid has none [s]."""


def textgrid(job: Job) -> None:
    """Write ``ID.TextGrid`` of each conversation."""
    job.each(lambda one: {f"{one.id}.TextGrid": textgrid_text(one)})


def textgrid_text(conversation: Conversation) -> str:
    """The TextGrid of a conversation; each tier covers the whole of it."""
    rate, total = conversation.rate, conversation.n_samples
    found = tiers(conversation, math.ceil(LEAST_S * rate))
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", *_extent(total, rate, "")]
    lines += ["tiers? <exists> ", f"size = {len(found)} ", "item []: "]
    for number, tier in enumerate(found, 1):
        lines += [f"    item [{number}]:", *_tier(tier, total, rate)]
    return "\n".join(lines) + "\n"


def _tier(tier: Tier, total: int, rate: int) -> Iterator[str]:
    marks = list(_filled(tier.marks, total))
    yield '        class = "IntervalTier" '
    yield f"        name = {_quoted(tier.name)} "
    yield from _extent(total, rate, " " * 8)
    yield f"        intervals: size = {len(marks)} "
    for number, mark in enumerate(marks, 1):
        yield f"        intervals [{number}]:"
        yield f"            xmin = {to_seconds(mark.start, rate)} "
        yield f"            xmax = {to_seconds(mark.end, rate)} "
        yield f"            text = {_quoted(mark.text)} "


def _extent(total: int, rate: int, indent: str) -> list[str]:
    return [f"{indent}xmin = 0 ", f"{indent}xmax = {to_seconds(total, rate)} "]


def _filled(marks: tuple[Mark, ...], total: int) -> Iterator[Mark]:
    """The marks with empty ones between them: the intervals of a tier leave no gap."""
    at = 0
    for mark in marks:
        if at < mark.start:
            yield Mark(at, mark.start, "")
        yield mark
        at = mark.end
    if at < total:
        yield Mark(at, total, "")


def _quoted(text: str) -> str:
    """Text in quotation marks; those inside are doubled."""
    return '"' + text.replace('"', '""') + '"'
