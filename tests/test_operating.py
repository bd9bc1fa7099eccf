"""Operating points: chosen on dev within the budget, frozen for test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_support import conversation

from pipeline.evaluation.decisions import Grid, Marks
from pipeline.evaluation.operating import BUDGET, Channels, OperatingPoint, chosen, within_budget
from pipeline.evaluation.profiles import MULTIPARTY, TURNBENCH
from pipeline.evaluation.scorer import TaskScore


def point(threshold, recall, fpr, p50=100.0):
    return OperatingPoint(threshold=threshold, recall=recall, fpr=fpr, latency_p50_ms=p50)


points = st.lists(st.builds(point, *[st.sampled_from([0.0, 0.05, 0.1, 0.100001, 0.5, 0.9, 1.0])] * 3), max_size=12)


@given(points)
@settings(max_examples=300, deadline=None)
def test_no_point_within_the_budget_has_more_recall_nor_as_much_at_a_lower_threshold(found):
    best = chosen(found)
    within = [p for p in found if p.fpr <= BUDGET]
    if within:
        assert best in within
        assert all(p.recall < best.recall or p.threshold >= best.threshold for p in within if p.recall >= best.recall)
    else:
        assert within_budget(found) is None
        assert (best is None) == (not found)


def test_ties_go_to_the_lowest_threshold_whatever_its_fpr():
    assert chosen([point(0.7, 0.8, 0.02), point(0.5, 0.8, 0.09), point(0.4, 0.8, 0.11)]).threshold == 0.5


def test_without_a_point_within_the_budget_recall_beyond_fpr_decides():
    assert chosen([point(-50, 0.449, 0.309), point(-45, 0.9, 0.85), point(-40, 0.2, 0.11)]).threshold == -50


def test_a_bound_on_latency_leaves_later_points_out():
    found = [point(0.3, 0.9, 0.1, 900.0), point(0.6, 0.5, 0.1, 400.0), point(0.9, 0.0, 0.0, None)]
    assert within_budget(found, bound_ms=500.0).threshold == 0.6
    assert within_budget(found).threshold == 0.3


@pytest.fixture
def channels():
    """The worked example twice: yields of A at 5.9 and C at 11.2 s, a hold of A from 2.8 to 3.6 s."""
    heard = {
        "c0": {"eot": {"A": Marks((3.0, 6.0), (0.6, 0.9)), "C": Marks((11.5,), (0.4,))}},
        "c1": {"eot": {"A": Marks((3.0, 6.0), (0.2, 0.7))}},
    }
    return Channels("eot", [conversation("c0"), conversation("c1")], heard, MULTIPARTY)


def test_a_sweep_scores_every_candidate_over_all_conversations(channels):
    found = {p.threshold: p for p in channels.points()}
    assert {0.2, 0.4, 0.6, 0.7, 0.9, 0.01, 0.99} <= set(found)
    # A decision in the pause at 3.0 s is 2 s and more before the one at 6.0 s: both are made.
    assert (found[0.01].recall, found[0.01].fpr) == (0.75, 1.0)
    assert (found[0.5].recall, found[0.5].fpr) == (0.5, 0.5)
    assert (found[0.6].recall, found[0.6].fpr, found[0.6].latency_p50_ms) == (0.5, 0.0, 100.0)
    assert (found[0.9].recall, found[0.9].latency_p50_ms) == (0.0, None)
    best = chosen(channels.points())
    assert best.threshold == min(t for t, p in found.items() if p.fpr <= BUDGET and p.recall == 0.5)


def test_items_and_counts_agree_at_every_threshold(channels):
    for threshold in channels.candidates():
        assert channels.scored(threshold).total() == channels.at(threshold)


def test_who_is_not_decided_on_has_missed():
    silent = Channels("interruption", [conversation("c0")], {"c0": {}}, TURNBENCH)
    assert silent.candidates() == (0.0,)
    assert silent.at(0.0) == TaskScore(misses=1, true_negatives=2)
    assert chosen(silent.points()).recall == 0.0


def test_a_grid_is_swept_over_its_own_thresholds():
    heard = {"c0": {"eot": {"A": Grid({1.0: (6.0,), 2.0: (3.0, 6.0)}), "C": Grid({1.0: (), 2.0: (11.3,)})}}}
    found = Channels("eot", [conversation("c0")], heard, MULTIPARTY).points()
    assert [(p.threshold, p.recall, p.fpr) for p in found] == [(1.0, 0.5, 0.0), (2.0, 1.0, 1.0)]
    assert np.isclose(found[0].latency_p50_ms, 100.0)
