"""Metrics, their intervals, and slices of what was scored."""

from dataclasses import replace

import numpy as np
import pytest
from floor_support import changed_segment, example
from scoring_support import conversation

from pipeline.evaluation.items import Item, Scored
from pipeline.evaluation.metrics import bootstrap, metrics
from pipeline.evaluation.profiles import MULTIPARTY
from pipeline.evaluation.scorer import TASKS, read_off
from pipeline.evaluation.slices import clause_ending, interruption_slices, snr_bin
from pipeline.records import Pair


def shares(*conversations):
    """Items of conversations with (hits, items) each."""
    return [(Item(f"c{n}", f"e{k}"), k < hits) for n, (hits, items) in enumerate(conversations) for k in range(items)]


def test_metrics_are_shares_and_percentiles():
    items = [Item("c0", f"e{n}") for n in range(4)]
    found = metrics(
        Scored(tuple(zip(items, (100.0, None, 300.0, 200.0), strict=True)), ((items[0], True), (items[1], False))), 1
    )
    assert (found.recall, found.fpr, found.found, found.fired) == (0.75, 0.5, 3, 1)
    assert (found.latency_p10_ms, found.latency_p50_ms, found.latency_p90_ms) == (120.0, 200.0, 280.0)


def test_nothing_to_score_has_no_share_and_no_interval():
    found = metrics(Scored())
    assert (found.recall, found.fpr, found.recall_interval, found.latency_p50_ms) == (None, None, None, None)


def test_the_interval_resamples_whole_conversations():
    """Two conversations, one all hit and one all missed: a resample has 0, half or all, whatever their length."""
    assert bootstrap(shares((50, 50), (0, 50)), seed=3) == (0.0, 1.0)
    low, high = bootstrap(shares(*[(1, 1), (0, 1)] * 50), seed=3)
    assert 0.38 < low < 0.42
    assert 0.58 < high < 0.62  # as for a hundred independent items: 0.5 +- 1.96 * 0.05


def test_members_of_a_pair_are_drawn_as_one():
    """Four conversations that are two pairs, one all hit and one all missed, are two things to draw."""
    hit = [(Item("p0", f"e{k}"), True) for k in range(8)]
    missed = [(Item("p1", f"e{k}"), False) for k in range(8)]
    assert bootstrap(hit + missed, seed=3) == (0.0, 1.0)
    timeline = example()
    pair = Pair(
        id="p7", member="a", fork=1, kind="pause", asked="pause", sibling="other", segment_id="s1", event_id="e1"
    )
    one = conversation("mine", timeline.model_copy(update={"pair": pair}))
    assert one.cluster == "p7"
    assert {item.cluster for group in one.items["eot"].positives.values() for item in group} == {"p7"}


def test_the_interval_agrees_with_drawing_conversations_one_by_one():
    items = shares((3, 4), (1, 9), (6, 6), (2, 5), (0, 3), (4, 4))
    hits, counts = np.array([3, 1, 6, 2, 0, 4]), np.array([4, 9, 6, 5, 3, 4])
    rng = np.random.default_rng(0)
    drawn = [hits[d].sum() / counts[d].sum() for d in (rng.integers(6, size=6) for _ in range(20_000))]
    assert bootstrap(items, seed=1) == pytest.approx(tuple(np.quantile(drawn, (0.025, 0.975))), abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    items = shares(*[(n % 3, 3) for n in range(17)])
    assert bootstrap(items, seed=5) == bootstrap(list(reversed(items)), seed=5)
    assert bootstrap(items, seed=5, resamples=200) != bootstrap(items, seed=6, resamples=200)


def test_every_item_is_in_the_slices_of_its_conversation_and_its_own():
    one = conversation()
    items = {i.event_id: dict(i.slices) for task in TASKS for group in (one.items[task].positives,
             one.items[task].negatives) for found in group.values() for i in found}  # fmt: skip
    whole = {"speakers": "3", "type": "casual", "snr": "20-25 dB", "distant": "absent"}
    assert set(items) == {"e1", "e2", "e4", "e6", "e7", "e8"}
    assert all(whole.items() <= found.items() for found in items.values())
    assert items["e2"]["hold"] == "contested"
    assert items["e1"]["negative"] == "backchannel"
    assert items["e8"]["negative"] == "laughter"
    assert items["e6"]["claim words"] == "4-8"
    assert "claim words" not in items["e1"]


def test_a_hold_that_no_claim_overlaps_is_uncontested():
    apart = changed_segment(example(), "s3", measured=example().segment("s3").measured.shifted(24_000))
    one = conversation(timeline=apart)
    (hold,) = (i for found in one.items["eot"].negatives.values() for i in found)
    assert dict(hold.slices)["hold"] == "uncontested"


def test_bins_and_endings():
    assert [snr_bin(v) for v in (20.0, 24.99, 38.0, None)] == ["20-25 dB", "20-25 dB", "35-40 dB", "no bed"]
    assert [clause_ending(t) for t in ("So.", "So? ”", "so—", "so,", "so", "")] == [
        ".",
        "?",
        "—",
        ",",
        "other",
        "other",
    ]
    timeline = example()
    (takeover,) = (e for e in timeline.events if e.kind == "interruption")
    assert interruption_slices(takeover, timeline) == (("claim words", "4-8"),)
    laugh = takeover.model_copy(update={"kind": "laughter", "text": "Ha ha ha ha."})
    assert dict(interruption_slices(laugh, timeline))["negative words"] == "4+"


def test_slices_part_what_was_scored():
    one, other = conversation("c0"), conversation("c1")
    found = one.scored("eot", lambda s: read_off(one.gold).get(s, {}).get("eot", []), MULTIPARTY)
    missed = other.scored("eot", lambda s: [], MULTIPARTY)
    both = Scored(found.positives + missed.positives, found.negatives + missed.negatives)
    assert metrics(both).recall == 0.5
    assert metrics(both.where("speakers", "3")) == metrics(both)
    assert both.where("speakers", "2") == Scored()
    parts = [both.where("clause ending", value) for name, value in both.slices() if name == "clause ending"]
    assert sum(len(part.positives) for part in parts) == len(both.positives)


def test_scores_count_what_items_tell_one_by_one():
    one = replace(conversation(), id="c9")
    for task in TASKS:
        times = read_off(one.gold)
        late = {s: [t + 0.3 for t in by_task.get(task, [])] for s, by_task in times.items()}

        def own(speaker, late=late):
            return late.get(speaker, [])

        assert one.score(task, own, MULTIPARTY) == one.scored(task, own, MULTIPARTY).total()
