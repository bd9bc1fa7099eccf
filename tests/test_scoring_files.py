"""Files of predictions and probabilities in TurnBench's layout, for any number of speakers."""

import json
import math

import numpy as np
import pytest
from floor_support import example, timelines
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.evaluation.decisions import Curve, Fixed, Grid, Marks, candidates
from pipeline.evaluation.keyed import keys_of
from pipeline.evaluation.predictions import PredictionFile, decisions_of
from pipeline.evaluation.probabilities import ProbabilityFile, probabilities_of
from pipeline.evaluation.scorer import read_off, score
from pipeline.gold import gold

KEYS = {"A": "speaker_1", "B": "speaker_2"}
NOTHING = {"eot": [], "interruption": []}


def predictions(ident="c0", **speakers):
    return {"conversation_id": ident, "speaker_1": NOTHING, "speaker_2": NOTHING, **speakers}


def read(*entries):
    return PredictionFile.from_json(json.dumps({"schema_version": 1, "predictions": entries}), "p.json")


def read_probs(*entries, task="eot", rate=12.5):
    return ProbabilityFile.from_json(
        json.dumps({"schema_version": 1, "task": task, "frame_rate_hz": rate, "probs": entries}), "probs.json"
    )


def test_a_file_of_two_speakers_is_read_as_turnbench_writes_it():
    found = read(predictions(speaker_2={"eot": [1, 2.5], "interruption": [0.0]})).by_conversation()
    assert decisions_of(found["c0"], KEYS, 3.0, "p.json") == {
        "A": {"eot": (), "interruption": ()},
        "B": {"eot": (1.0, 2.5), "interruption": (0.0,)},
    }


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read_back_and_scores_the_same(timeline):
    own, keys = gold(timeline), keys_of(timeline.speakers)
    file = PredictionFile.of({"c0": read_off(own)}, {"c0": keys})
    again = PredictionFile.from_json(file.to_json())
    assert again == file
    assert list(json.loads(file.to_json())["predictions"][0])[1:] == list(keys.values())
    entry = again.by_conversation()["c0"]
    found = decisions_of(entry, keys, own.duration_s, "p.json")
    assert score(own, found) == score(own, read_off(own))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (predictions(speaker_1={"eot": [2.0, 2.0], "interruption": []}), "increase strictly: 2.0 comes after 2.0"),
        (predictions(speaker_1={"eot": [-0.1], "interruption": []}), "greater than or equal to 0"),
        (predictions(speaker_1={"eot": [math.inf], "interruption": []}), "finite"),
        (predictions(speaker_1={"eot": []}), "speaker_1.interruption: Field required"),
        (predictions(speaker_0=NOTHING), "speaker_0: Extra inputs"),
        (predictions(mood="good"), "mood: Extra inputs"),
    ],
)
def test_a_bad_entry_is_one_line_that_names_its_place(entry, told):
    with pytest.raises(InputError, match=r"p\.json: not a valid PredictionFile: predictions\.0") as caught:
        read(entry)
    assert told in str(caught.value)


def test_a_conversation_twice_a_speaker_too_many_and_a_time_past_the_end_are_refused():
    with pytest.raises(InputError, match="'c0' comes twice"):
        read(predictions(), predictions()).by_conversation("p.json")
    with pytest.raises(InputError, match=r"\['speaker_3'\] too many"):
        decisions_of(read(predictions(speaker_3=NOTHING)).predictions[0], KEYS, 3.0, "p.json")
    with pytest.raises(InputError, match=r"\['speaker_3'\] missing"):
        decisions_of(read(predictions()).predictions[0], {**KEYS, "C": "speaker_3"}, 3.0, "p.json")
    late = predictions(speaker_2={"eot": [3.01], "interruption": []})
    with pytest.raises(InputError, match=r"speaker_2\.eot: 3\.01 s is past the end at 3\.0 s"):
        decisions_of(read(late).predictions[0], KEYS, 3.0, "p.json")


def test_speakers_are_numbered_by_channel():
    speakers = example().speakers
    swapped = [s.model_copy(update={"channel": 2 - s.channel}) for s in speakers]
    assert keys_of(swapped) == {"C": "speaker_1", "B": "speaker_2", "A": "speaker_3"}


def test_probabilities_need_a_value_for_each_frame_that_fits_wholly():
    entry = {"conversation_id": "c0", "speaker_1": {"prob": [0.5] * 12}, "speaker_2": {"prob": [0.1] * 12}}
    file = read_probs(entry)
    assert probabilities_of(file.probs[0], 12.5, KEYS, 0.96, "p")["B"] == (0.1,) * 12
    assert probabilities_of(file.probs[0], 12.5, KEYS, 1.03, "p")["A"] == (0.5,) * 12
    with pytest.raises(InputError, match=r"speaker_1: 12 values, where 13 frames at 12\.5 Hz"):
        probabilities_of(file.probs[0], 12.5, KEYS, 1.04, "p")
    with pytest.raises(InputError, match="less than or equal to 1"):
        read_probs({**entry, "speaker_1": {"prob": [1.01]}})


def test_a_probability_commits_at_the_end_of_the_frame_in_which_it_rises():
    curve = Curve(np.array([0.6, 0.6, 0.5, 0.6, 0.2]), 1.0)
    assert curve.at(0.5) == [1.0, 4.0]  # strictly above; the first frame counts as a rise
    assert curve.at(0.6) == []


def test_a_suppressed_rise_does_not_prolong_the_refractory_time():
    """At 2 Hz two seconds are four frames: rises at 0, 2 and 4."""
    assert Curve(np.array([0.9, 0.0, 0.9, 0.0, 0.9, 0.0]), 2.0).at(0.5) == [0.5, 2.5]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=80), st.floats(0, 1), st.sampled_from([2.0, 12.5, 25.0, 31.25]))
@settings(max_examples=200, deadline=None)
def test_commits_are_those_of_a_plain_loop(values, threshold, rate):
    expected, last, before = [], None, False
    for frame, value in enumerate(values):
        if value > threshold and not before and (last is None or frame - last >= round(2 * rate)):
            expected.append((frame + 1) / rate)
            last = frame
        before = value > threshold
    assert Curve(np.array(values), rate).at(threshold) == expected


def test_marks_decide_above_the_threshold_and_a_grid_by_its_own():
    assert Marks((1.0, 4.0, 5.0), (0.3, 0.8, 0.9)).at(0.3) == [4.0]
    assert Grid({-50.0: (1.0, 2.0, 3.5), -40.0: ()}).at(-50.0) == [1.0, 3.5]
    assert Fixed((1.0, 1.5)).at(0.5) == [1.0, 1.5]


def test_candidate_thresholds_are_a_grids_own_or_quantiles_of_the_scores_beside_hundredths():
    assert candidates([Grid({3.0: (), 1.0: ()}), Grid({2.0: ()})]) == (1.0, 2.0, 3.0)
    found = candidates([Marks((1.0, 2.0), (0.0, 0.123)), Marks((), ())])
    assert 0.0 not in found
    assert len(found) == 100
    assert {0.01, 0.123, 0.99} <= set(found)
    assert found == tuple(sorted(found))
    assert candidates([Fixed((1.0,))]) == candidates([]) == (0.0,)
