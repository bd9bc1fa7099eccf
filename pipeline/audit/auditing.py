"""The audit of a corpus: what single features of its voice activity tell, and how alike its bursts are in length."""

from collections.abc import Iterable

from pipeline.audit.lengths import burst_lengths, likenesses, separation, summary
from pipeline.audit.records import Audit
from pipeline.audit.rules import RULES
from pipeline.audit.sweep import channels, judged
from pipeline.evaluation.scorer import TASKS
from pipeline.records import Timeline


def audit(timelines: Iterable[Timeline]) -> Audit:
    """Score every one-feature rule on `timelines` and compare the lengths of their bursts.

    Bounds are the measured ones where they are known, else the planned ones, so that a corpus can be audited before
    there is any sound.
    """
    conversations = list(timelines)
    over = channels(conversations)
    lengths = burst_lengths(conversations)
    return Audit(
        conversations=len(conversations),
        positives={task: sum(len(channel.track(task).positives) for channel in over) for task in TASKS},
        negatives={task: sum(len(channel.track(task).negatives) for channel in over) for task in TASKS},
        rules=tuple(judged(rule, over) for rule in RULES),
        lengths=tuple(summary(name, values) for name, values in lengths.items()),
        likeness=likenesses(lengths),
        separation=separation(lengths["takeover"], (lengths["backchannel"], lengths["laugh"])),
    )
