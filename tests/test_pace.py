"""Levels and pace: calibrated voices, natural variation inside its stated range, lift in overlap, no clipping."""

import math

import numpy as np
from talk_support import a_spec, claim, sound, turn

from pipeline.speech.variation import OWN_PACE, STEADY, PaceSettings, VariationSettings, level_of, speed_of
from pipeline.speech.voices import voice


def paces(settings, seeds=range(200)):
    """Logarithms of the pace factor of one turn of each of two speakers [conversations, 2]."""
    rows = []
    for seed in seeds:
        spec = a_spec(2, seed).model_copy(update={"corpus_seed": 7, "id": f"c{seed:04d}"})
        acts = [turn(f"t{n}", f"s{n}") for n in (1, 2)]
        rows.append([math.log(speed_of(spec, act, voice("v08").calibration.speed, OWN_PACE, settings)) for act in acts])
    return np.array(rows)


def test_pace_and_level_stay_inside_the_stated_range_and_their_mean_is_the_voices_own():
    assert voice("v08").calibration.speed == 1.0
    settings = VariationSettings(pace_speaker=0.06, pace_utterance=0.02)
    found = paces(settings)
    assert np.abs(found).max() <= math.log(1.06 * 1.02) + 0.005, "to the hundredth"
    assert np.abs(found).max() > 0.05
    assert abs(found.mean()) < 0.005, "zero in log pace: rates and lengths of a corpus stay"
    spec = a_spec(2)
    levels = np.array([level_of(spec, "s1", f"t{n}", settings) for n in range(400)])
    centre = (levels.max() + levels.min()) / 2
    assert 1.9 < np.ptp(levels) <= 2.0, "of utterances ±1 dB around their speaker"
    assert abs(centre) <= 1.01, "of speakers ±1 dB"


def test_a_speaker_keeps_a_pace_and_level_of_its_own_within_a_conversation():
    steady = VariationSettings(pace_utterance=0, level_utterance_db=0)
    spec = a_spec(2)
    assert (
        len({speed_of(spec, turn(f"t{n}", "s1"), voice("v08").calibration.speed, OWN_PACE, steady) for n in range(9)})
        == 1
    )
    assert len({level_of(spec, "s1", f"t{n}", steady) for n in range(9)}) == 1
    assert len({level_of(spec, s, "t1", steady) for s in ("s1", "s2")}) == 2
    assert len(set(map(tuple, paces(steady, range(9))))) > 3, "another in each conversation"


def test_a_vocalisation_takes_its_speakers_pace_alone():
    spec = a_spec(2)
    speeds = {
        speed_of(spec, sound(f"b{n}", "s1", "t1", "the"), voice("v08").calibration.speed, OWN_PACE, VariationSettings())
        for n in range(20)
    }
    assert speeds == {
        speed_of(spec, turn("t1", "s1"), voice("v08").calibration.speed, OWN_PACE, VariationSettings(pace_utterance=0))
    }


def test_no_variation_is_the_calibrated_voice():
    spec = a_spec(2)
    assert (
        speed_of(spec, turn("t1", "s1"), voice("af_nicole").calibration.speed, OWN_PACE, STEADY)
        == voice("af_nicole").calibration.speed
    )
    assert level_of(spec, "s1", "t1", STEADY) == 0.0
    assert (STEADY.pace, STEADY.level) == ({}, {})


def test_each_kind_of_act_has_its_pace():
    spec, pace = a_spec(), PaceSettings(turns=0.9, claims=1.2, vocalisations=1.5, lexicon=1.3)
    written = sound("t1.2", "s2", "t1", "the").model_copy(update={"author": "authored"})
    acts = turn("t1", "s1"), claim("t1.1", "s2", "t1", "the"), written, written.model_copy(update={"author": "lexicon"})
    assert [speed_of(spec, act, 1.0, pace, STEADY) for act in acts] == [0.9, 1.2, 1.5, 1.3]
