"""Scoring a corpus that was really spoken: what it hears is causal, the log scores perfectly, the command runs."""

import json
from collections import Counter

import numpy as np
import pytest
from command_support import pipeline
from test_detectors import decisions

from pipeline.audit.activity import activities
from pipeline.evaluation.corpus import read_corpus
from pipeline.evaluation.detectors.registry import detector
from pipeline.evaluation.profiles import PROFILES
from pipeline.evaluation.scorer import TASKS, read_off
from pipeline.evaluation.shortcuts.hearing import hear_edges
from pipeline.evaluation.shortcuts.voices import activities_of
from pipeline.evaluation.sound import read_sound
from pipeline.records import Timeline

pytestmark = pytest.mark.speech


def test_detectors_hear_nothing_of_what_comes_later(tiny):
    one = read_corpus(tiny)[0]
    sound = read_sound(one.folder, one.keys)
    cut = 0.6 * sound.duration_s
    part = sound.until(cut)
    for name in ("rms", "webrtc", "silero"):
        whole = decisions(detector(name).hear(sound), cut)
        assert whole == decisions(detector(name).hear(part), cut)
        assert any(whole.values())


def test_shortcut_rules_hear_nothing_of_what_comes_later(tiny):
    one = read_corpus(tiny)[0]
    sound = read_sound(one.folder, one.keys)
    cut = 0.6 * sound.duration_s
    whole, part = hear_edges(sound), hear_edges(sound.until(cut))
    for task, channels in whole.edges.items():
        for speaker, edges in channels.items():
            early = edges.times <= cut
            assert np.array_equal(edges.features[early], part.edges[task][speaker].features, equal_nan=True)


def test_the_log_scores_perfectly_and_silence_finds_nothing(tiny):
    for one in read_corpus(tiny):
        oracle = read_off(one.gold)
        for profile in PROFILES.values():
            for task in TASKS:
                found = one.score(task, lambda s, task=task, o=oracle: o.get(s, {}).get(task, []), profile)
                never = one.score(task, lambda s: [], profile)
                assert (found.misses, found.false_positives) == (0, 0)
                assert (never.true_positives, never.false_positives) == (0, 0)


def test_every_item_that_counts_has_its_slices(tiny):
    found = Counter()
    for one in read_corpus(tiny):
        for task in TASKS:
            items = one.items[task]
            for item in (i for group in (items.positives, items.negatives) for own in group.values() for i in own):
                found.update(name for name, _ in item.slices)
    assert {"speakers", "type", "snr", "distant", "hold", "clause ending", "claim words", "negative"} <= set(found)


def test_the_sound_tells_the_shortcut_rules_who_speaks_when(tiny):
    """Per channel, the energy disagrees with the log for 5 % of the time at most."""
    for one in read_corpus(tiny):
        heard = activities_of(read_sound(one.folder, one.keys))
        for true in activities(Timeline.read(one.folder / "timeline.json")):
            samples = np.arange(0, true.length, true.rate // 100)
            both = [np.searchsorted(a.bursts.ravel(), samples, side="right") % 2 for a in (true, heard[true.speaker])]
            assert np.mean(both[0] != both[1]) < 0.05


def test_the_command_scores_it(tiny):
    done = pipeline(str(tiny), "--detectors", "rms,webrtc", "--resamples", "100", "--json", module="pipeline.score")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {(r["detector"], r["task"]) for r in found["scores"]["results"]} == {
        (name, task) for name in ("rms", "webrtc") for task in TASKS
    }
    assert found["shortcuts"]["in_sample"] is True
