"""What the shortcut rules need of one conversation: decisions of the audit's rules on its sound, and its edges."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.audit.activity import Activity
from pipeline.audit.rules import RULES, Rule
from pipeline.evaluation.decisions import Grid
from pipeline.evaluation.scorer import TASKS, Task
from pipeline.evaluation.shortcuts.features import Edges, edges_of
from pipeline.evaluation.shortcuts.voices import activities_of
from pipeline.evaluation.sound import Sound


@dataclass(frozen=True, eq=False)
class ConversationEdges:
    """One conversation as the shortcut rules hear it."""

    rules: Mapping[str, Mapping[str, Grid]]
    """By the name of a rule (:func:`name_of`), then by speaker."""
    edges: Mapping[Task, Mapping[str, Edges]]
    """By task, then by speaker."""


def name_of(rule: Rule) -> str:
    """Task and feature of a rule, which no other rule has.

    >>> name_of(RULES[0])
    'eot: own silence'
    """
    return f"{rule.task}: {rule.feature}"


def hear_edges(sound: Sound) -> ConversationEdges:
    """The decisions of every rule of :data:`pipeline.audit.rules.RULES`, and the edges of every channel."""
    activities = activities_of(sound)
    return ConversationEdges(
        rules={name_of(rule): {ident: _grid(rule, own) for ident, own in activities.items()} for rule in RULES},
        edges={
            task: {
                ident: edges_of(activity, sound.near[ident], len(activities), task)
                for ident, activity in activities.items()
            }
            for task in TASKS
        },
    )


def _grid(rule: Rule, activity: Activity) -> Grid:
    decide = rule.watch(activity)
    return Grid({at: tuple((decide(at) / activity.rate).tolist()) for at in rule.thresholds})
