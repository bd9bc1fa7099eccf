"""Gold comes from the events alone, and predictions read off the log score perfectly."""

from floor_support import changed_segment, example, spans, timelines
from hypothesis import given, settings

from pipeline.evaluation.scorer import TaskScore, read_off, score
from pipeline.gold import gold
from pipeline.records import Gold, InnerPause, Span
from pipeline.samples import RATE, to_samples


def with_pause(length_s: float, ident: str = "s5"):
    start = to_samples(6.5)
    pause = InnerPause(
        planned=Span(start=start, end=start + RATE), measured=Span(start=start, end=start + to_samples(length_s))
    )
    return changed_segment(example(), ident, pauses=(pause,))


@given(timelines())
@settings(max_examples=60, deadline=None)
def test_predictions_read_off_the_log_find_everything_and_nothing_else(timeline):
    for holds in ("planned", "all"):
        found = gold(timeline, holds)
        scores = score(found, read_off(found))
        assert all(s.recall in (None, 1.0) and s.fpr in (None, 0.0) for s in scores.values())
        assert all(set(s.latencies_ms) <= {0.0} for s in scores.values())


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_every_event_but_the_cut_off_has_one_place_in_gold(timeline):
    found = gold(timeline)
    tracks = (found.eot, found.interruption)
    placed = [item.event_id for t in tracks for item in (*t.positives, *t.negatives, *t.excluded)]
    assert sorted(placed) == sorted(event.id for event in timeline.events)


def test_it_needs_no_segments():
    bare = example().model_copy(update={"segments": (), "turns": (), "utterances": (), "ownership": ()})
    assert gold(bare) == gold(example())


def test_all_pauses_of_a_fifth_of_a_second_count_on_request():
    timeline = with_pause(0.2)
    assert gold(timeline).eot == gold(example()).eot
    added = set(gold(timeline, "all").eot.negatives) - set(gold(timeline).eot.negatives)
    assert [(s.speaker, s.start_s, s.end_s, s.event_id) for s in added] == [("B", 6.5, 6.7, "s5.p0")]


def test_a_shorter_pause_or_one_in_a_failed_claim_does_not():
    assert gold(with_pause(0.199), "all").eot == gold(example()).eot
    assert gold(with_pause(0.5, "s3"), "all").eot == gold(example()).eot


def test_the_planned_bounds_of_a_pause_count_until_it_is_measured():
    pause = InnerPause(planned=spans((6.5, 7.0))[0])
    negatives = gold(changed_segment(example(), "s5", pauses=(pause,)), "all").eot.negatives
    assert (6.5, 7.0) in [(s.start_s, s.end_s) for s in negatives]


def test_a_gap_before_the_holder_goes_on_counts_among_all_pauses():
    timeline = changed_segment(example(), "s1", ending="continues")
    timeline = timeline.model_copy(update={"events": tuple(e for e in timeline.events if e.kind != "turn_hold")})
    assert gold(timeline).eot.negatives == ()
    assert [(s.start_s, s.end_s, s.event_id) for s in gold(timeline, "all").eot.negatives] == [(2.8, 3.6, "s1.next")]


def test_the_neighbourhood_of_a_cut_off_stays_inside_the_conversation():
    short = example().model_copy(update={"n_samples": to_samples(9.2)})
    assert gold(short).eot.excluded[0].end_s == 9.2


def test_gold_round_trips():
    found = gold(example(), "all")
    assert Gold.from_json(found.to_json()) == found


def test_windows_are_closed_and_end_at_the_next_positive():
    found = gold(example())
    assert score(found, {"C": {"eot": [11.2 - 0.25]}})["eot"].latencies_ms == (-250.0,)
    assert score(found, {"C": {"eot": [11.2 + 3.0]}})["eot"].latencies_ms == (3000.0,)
    assert score(found, {"C": {"eot": [11.2 - 0.2501, 14.2001]}})["eot"].latencies_ms == ()


def test_one_prediction_serves_one_positive():
    timeline = example()
    yields = tuple(e for e in timeline.events if e.id == "e4")
    second = yields[0].model_copy(update={"id": "e9", "offset": to_samples(7.0)})
    found = gold(timeline.model_copy(update={"events": (*timeline.events, second)}))
    both = score(found, {"A": {"eot": [6.9]}})["eot"]
    assert (both.true_positives, both.misses, both.latencies_ms) == (1, 2, (1000.0,))
    assert score(found, {"A": {"eot": [7.2]}})["eot"].latencies_ms == (200.0,)


def test_many_predictions_in_one_span_are_one_false_positive():
    found = gold(example())
    assert score(found, {"A": {"eot": [2.8, 3.0, 3.6]}})["eot"].false_positives == 1


def test_scores_of_conversations_add_up():
    one = score(gold(example()), {"A": {"eot": [6.0]}})["eot"]
    assert one + TaskScore() == one
    assert (one + one).recall == one.recall == 0.5
    assert TaskScore().recall is None
    assert TaskScore().fpr is None
