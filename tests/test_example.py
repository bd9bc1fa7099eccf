"""The worked example, record by record: what the records mean."""

from floor_support import example, example_script, example_spec

from pipeline.evaluation.scorer import score
from pipeline.gold import gold
from pipeline.records import ConversationSpec, Script, Timeline
from pipeline.samples import to_samples, to_seconds
from pipeline.validate import faults

DETECTED = {"A": {"eot": [6.02]}, "C": {"eot": [11.31], "interruption": [8.62]}}


def test_it_satisfies_every_invariant():
    assert faults(example()) == []


def test_a_round_trip_through_json_changes_nothing():
    for record, kind in ((example(), Timeline), (example_script(), Script), (example_spec(), ConversationSpec)):
        assert kind.from_json(record.to_json()) == record
        assert kind.from_json(record.to_json()).to_json() == record.to_json()


def test_a_turn_of_two_segments_is_one_utterance_with_a_hold_between():
    timeline = example()
    one, other = (timeline.segment(ident) for ident in timeline.turn("A1").segments)
    assert one.utterance_id == other.utterance_id == "u1"
    assert (one.ending, other.ending) == ("hold", "yield")
    assert timeline.utterance("u1").written.startswith("So I think we should book the early train, because")


def test_the_interrupted_turn_leaves_words_unspoken():
    timeline = example()
    cut = timeline.segment("s5")
    spoken = [w.text for w in timeline.utterance("u4").words if w.end <= cut.source.end]
    assert " ".join(spoken) == "Sure, but it leaves at six, and I'm not getting"
    assert timeline.utterance("u4").written.endswith("up that early.")


def test_the_interrupter_speaks_before_the_cut_off_and_has_an_ending_of_its_own():
    timeline = example()
    overlap = timeline.segment("s5").bounds.overlap(timeline.segment("s6").bounds)
    assert to_seconds(overlap) == 0.74
    assert {e.kind for e in timeline.events if e.segment_id == "s6"} == {"interruption", "turn_yield"}


def test_the_floor_passes_at_the_latched_onset_and_at_the_cut_off():
    held = [(h.holder, to_seconds(h.start), to_seconds(h.end)) for h in example().ownership]
    assert held == [(None, 0, 0.3), ("A", 0.3, 5.84), ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)]
    assert example().segment("s4").bounds.end == to_samples(5.9), "A still sounds when B has the floor"


def test_every_kind_of_event_occurs():
    assert len({event.kind for event in example().events}) == 7


def test_gold_is_that_of_the_table():
    found = gold(example())
    assert [(a.speaker, a.time_s) for a in found.eot.positives] == [("A", 5.9), ("C", 11.2)]
    assert [(s.speaker, s.start_s, s.end_s) for s in found.eot.negatives] == [("A", 2.8, 3.6)]
    assert [(s.speaker, s.start_s, s.end_s) for s in found.eot.excluded] == [("B", 8.89, 9.39)]
    assert [(a.speaker, a.time_s) for a in found.interruption.positives] == [("C", 8.4)]
    negatives = [(s.speaker, s.start_s, s.end_s) for s in found.interruption.negatives]
    assert negatives == [("B", 1.9, 2.35), ("A", 9.6, 10.4)]
    assert [(s.speaker, s.start_s, s.end_s) for s in found.interruption.excluded] == [("C", 2.95, 3.9)]


def test_the_detector_of_the_example_scores_as_stated():
    scores = score(gold(example()), DETECTED)
    assert {task: (s.recall, s.fpr) for task, s in scores.items()} == {"eot": (1.0, 0.0), "interruption": (1.0, 0.0)}
    assert scores["eot"].latencies_ms == (120.0, 110.0)
    assert scores["interruption"].latencies_ms == (220.0,)


def test_firing_in_the_hold_is_the_one_false_positive_there_can_be():
    scores = score(gold(example()), DETECTED | {"A": {"eot": [3.10, 6.02]}})
    assert (scores["eot"].false_positives, scores["eot"].true_negatives, scores["eot"].recall) == (1, 0, 1.0)


def test_firing_on_the_failed_claim_is_ignored_and_on_the_backchannel_is_not():
    ignored = score(gold(example()), DETECTED | {"C": {"eot": [11.31], "interruption": [3.00, 8.62]}})
    assert ignored["interruption"] == score(gold(example()), DETECTED)["interruption"]
    fired = score(gold(example()), DETECTED | {"B": {"interruption": [2.00]}})
    assert fired["interruption"].false_positives == 1
