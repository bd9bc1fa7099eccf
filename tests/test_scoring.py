"""The scorer does what the protocol says, in both its profiles, and nothing else."""

import doctest
import json
from importlib import import_module

import pytest
from command_support import ROOT
from floor_support import example, timelines
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_support import grid, plain_golds, plainly_matched

from pipeline.errors import ConfigError
from pipeline.evaluation.matching import ChannelGold, committed, match
from pipeline.evaluation.profiles import MULTIPARTY, PROFILES, TURNBENCH, profile_named
from pipeline.evaluation.scorer import TASKS, read_off, score
from pipeline.gold import gold

both = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)


@given(plain_golds, st.lists(grid, max_size=12, unique=True), st.sampled_from([*PROFILES.values()]))
@settings(max_examples=600, deadline=None)
def test_it_agrees_with_the_plainest_scorer_there_is(plain, times, profile):
    found = match(plain.in_seconds(), [t / 1000 for t in times], profile)
    latencies, fired = plainly_matched(plain, times, turnbench=profile is TURNBENCH)
    assert [None if late is None else round(late) for late in found.latencies_ms] == latencies
    assert list(found.fired) == fired


@given(plain_golds, st.lists(grid, max_size=12, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_order_of_predictions_does_not_matter(plain, times, random):
    shuffled = list(times)
    random.shuffle(shuffled)
    own = plain.in_seconds()
    assert match(own, [t / 1000 for t in times]) == match(own, [t / 1000 for t in shuffled])


@given(plain_golds, st.lists(grid, max_size=12, unique=True), grid)
@settings(max_examples=200, deadline=None)
def test_one_more_prediction_never_costs_a_positive(plain, times, more):
    own = plain.in_seconds()
    found = sum(late is not None for late in match(own, [t / 1000 for t in times]).latencies_ms)
    assert sum(late is not None for late in match(own, [t / 1000 for t in [*times, more]]).latencies_ms) >= found


@given(plain_golds, st.lists(grid, max_size=12, unique=True))
@settings(max_examples=200, deadline=None)
def test_turnbench_finds_the_same_positives_and_charges_nothing_inside_a_window(plain, times):
    own = plain.in_seconds()
    one, other = (match(own, [t / 1000 for t in times], profile) for profile in (MULTIPARTY, TURNBENCH))
    assert one.latencies_ms == other.latencies_ms


@given(timelines())
@settings(max_examples=40, deadline=None)
def test_the_oracle_scores_one_and_zero_and_never_firing_zero_and_zero(timeline):
    own = gold(timeline)
    for profile in PROFILES.values():
        oracle, never = score(own, read_off(own), profile), score(own, {}, profile)
        for task in TASKS:
            assert oracle[task].recall in (1.0, None)
            assert set(oracle[task].latencies_ms) <= {0.0}
            assert never[task].recall in (0.0, None)
            assert never[task].fpr in (0.0, None)
        # A decision at the end of a turn lies inside a pause only where the same speaker's next one is not 0.25 s off.
        assert oracle["eot"].fpr in (0.0, None)
        assert oracle["interruption"].fpr in (0.0, None)


@both
def test_a_window_is_closed_and_is_clamped_at_the_next_positive(profile):
    own = ChannelGold(positives=(5.0, 6.0))
    assert match(own, [4.75, 9.0], profile).latencies_ms == (-250.0, 3000.0)
    assert match(own, [4.7499], profile).latencies_ms == (None, None)
    assert match(own, [6.01], profile).latencies_ms == (None, 10.0)
    assert match(own, [9.0001], profile).latencies_ms == (None, None)


@both
def test_a_prediction_at_the_next_positive_is_still_within_the_first_window(profile):
    assert match(ChannelGold(positives=(5.0, 6.0)), [6.0], profile).latencies_ms == (1000.0, None)


@both
def test_positives_at_the_same_moment_share_a_window_and_need_a_prediction_each(profile):
    own = ChannelGold(positives=(5.0, 5.0))
    assert match(own, [5.1], profile).latencies_ms == (100.0, None)
    assert match(own, [5.1, 7.9], profile).latencies_ms == (100.0, 2900.0)


@both
def test_an_excluded_interval_is_closed_and_drops_before_matching(profile):
    own = ChannelGold(positives=(5.0,), excluded=((4.9, 5.5),))
    assert match(own, [4.9, 5.5], profile).latencies_ms == (None,)
    assert match(own, [4.9, 5.5, 5.5001], profile).latencies_ms == (500.1,)


@both
def test_a_burst_in_a_window_is_one_detection_and_in_a_span_one_false_positive(profile):
    own = ChannelGold(positives=(5.0,), negatives=((20.0, 21.0),))
    found = match(own, [5.0, 5.1, 5.2, 20.1, 20.2, 20.3], profile)
    assert (found.latencies_ms, found.fired) == ((0.0,), (True,))


def test_a_pause_beside_a_yield_is_charged_for_what_the_yield_leaves():
    own = ChannelGold(positives=(5.0,), negatives=((6.0, 7.0),))
    assert match(own, [6.5], MULTIPARTY).fired == (False,)
    assert match(own, [5.1, 6.5], MULTIPARTY).fired == (True,)
    assert match(own, [5.1, 6.5], TURNBENCH).fired == (False,)


def test_only_turnbench_charges_a_pause_from_a_quarter_of_a_second_before_it():
    own = ChannelGold(negatives=((6.0, 7.0),))
    assert match(own, [5.75], MULTIPARTY).fired == (False,)
    assert match(own, [5.75], TURNBENCH).fired == (True,)
    assert match(own, [5.7499], TURNBENCH).fired == (False,)
    assert match(own, [7.0], MULTIPARTY).fired == match(own, [7.0], TURNBENCH).fired == (True,)


def test_speakers_are_scored_on_their_own_channels():
    own = gold(example())
    assert score(own, {"A": {"eot": [11.2]}})["eot"].true_positives == 0
    assert score(own, {"C": {"eot": [11.2]}})["eot"].true_positives == 1


def test_a_suppressed_decision_does_not_prolong_the_refractory_time():
    assert committed([0.0, 1.9, 2.0, 3.9, 4.0], 2.0) == [0.0, 2.0, 4.0]
    assert committed([], 2.0) == []


def test_an_unknown_profile_is_one_line():
    with pytest.raises(ConfigError, match="profile 'other': there is multiparty, turnbench"):
        profile_named("other")
    assert json.loads(TURNBENCH.to_json())["negative_pre_s"] == 0.25


def test_nothing_that_makes_a_corpus_knows_of_scoring():
    may = {"score.py", "evaluation", "audit", "exports", "view.py", "viewer"}
    for path in (ROOT / "pipeline").rglob("*.py"):
        if not may & set(path.relative_to(ROOT).parts):
            assert "pipeline.evaluation" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("name", ["matching", "slices", "adapters", "shortcuts.hearing"])
def test_examples_in_the_documentation_run(name):
    tested = doctest.testmod(import_module(f"pipeline.evaluation.{name}"))
    assert tested.attempted
    assert not tested.failed
