"""Effort in overlap, as an option: who is lifted, where and by how much; nothing else changes, and nothing clips."""

import numpy as np
import pytest
from pace_clock import pace_clock
from talk_support import Told, a_script, a_spec, claim, gives_up, paper_timing, presses, sound, turn

from pipeline.clock import speaking_clock
from pipeline.lombard import LEAST_S, RAMP_S, Raised, effort, lifted, raised, raised_pitch
from pipeline.orchestrate import drawer, orchestrate
from pipeline.output.events import event_line
from pipeline.records import Span, Timeline
from pipeline.render import _levelled, render
from pipeline.samples import RATE, to_samples
from pipeline.simulation.quotas import Quotas
from pipeline.sound.levels import decibels, energy
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import LombardSettings, TtsSettings
from pipeline.speech.variation import STEADY

GOOSE = "I told the goose to leave, and it looked at me, and then it sat down on the cake."
RAMP = to_samples(RAMP_S)


def talked(script, clock, spec, **told):
    timing = paper_timing(resume_probability=0.0)
    policy = Told(timing, Quotas(), drawer(spec), **told)
    return orchestrate(spec, script, clock(timing), timing, {s.id: policy for s in spec.speakers})


# Who and where ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planned():
    """A turn with a backchannel, a claim that fails and one that cuts it off."""
    script = a_script(
        turn("t1", "s1"),
        sound("b1", "s3", "t1", "early train", "Oh yes of course."),
        claim("c1", "s2", "t1", "always packed"),
        claim("c2", "s3", "t1", "two hours"),
    )
    return talked(script, lambda _: pace_clock, a_spec(3), attempts={"c1": gives_up(), "c2": presses(overlap_s=0.7)})


def stretches_of(timeline, act_id):
    segments = [s for s in timeline.segments if timeline.utterance(s.utterance_id).act_id == act_id]
    return segments, raised(segments, timeline)


def test_turns_and_claims_are_lifted_where_they_overlap(planned):
    (holder, *_), found = stretches_of(planned, "t1")
    claims = [stretches_of(planned, act)[0][0] for act in ("c1", "c2")]
    expected = [(max(c.planned.start, holder.planned.start), min(c.planned.end, holder.planned.end)) for c in claims]
    assert [(s.span.start + holder.origin, s.span.end + holder.origin) for s in found] == expected
    assert [(s.comes_in, s.stops) for s in found] == [(False, False), (False, True)], "cut off while it is raised"
    (failed,) = stretches_of(planned, "c1")[1]
    assert failed.span == claims[0].source, "who fails is overlapped all along"
    (taking,) = stretches_of(planned, "c2")[1]
    assert (taking.comes_in, taking.stops) == (True, False), "and let down when alone"


def test_a_backchannel_neither_is_lifted_nor_lifts(planned):
    (backchannel,), found = stretches_of(planned, "b1")
    assert found == []
    holder, stretches = stretches_of(planned, "t1")
    heard = backchannel.planned.shifted(-holder[0].origin)
    assert backchannel.planned.overlap(holder[0].planned) > to_samples(LEAST_S)
    assert not any(stretch.span.overlap(heard) for stretch in stretches)


# By how much ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noise():
    return np.random.default_rng(4).normal(0, 0.05, 3 * RATE).astype(np.float32)


def band(samples, low, high):
    power = np.abs(np.fft.rfft(samples.astype(np.float64))) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1 / RATE)
    return decibels(float(power[(hertz >= low) & (hertz < high)].sum()))


def test_level_and_tilt_are_what_is_asked_for_and_the_rest_is_untouched(noise):
    stretch = Raised(Span(start=RATE, end=2 * RATE), "g1", comes_in=True, stops=True)
    made = lifted(noise, [stretch], effort([stretch], len(noise)), level_db=4.0, tilt_db=3.0)
    inside = slice(RATE, 2 * RATE)
    assert decibels(energy(made[inside]) / energy(noise[inside])) == pytest.approx(4.0, abs=0.01)
    change = [band(made[inside], *edges) - band(noise[inside], *edges) for edges in ((50, 300), (4000, 11_000))]
    assert change[1] - change[0] == pytest.approx(3.0, abs=0.4)
    assert np.array_equal(made[: RATE - RAMP], noise[: RATE - RAMP])
    assert np.array_equal(made[2 * RATE + RAMP :], noise[2 * RATE + RAMP :])


def test_the_voice_is_raised_and_let_down_without_a_step():
    first, second = (
        Raised(Span(start=a, end=b), "g1", comes_in=False, stops=False) for a, b in ((RATE, 30_000), (40_000, 50_000))
    )
    made = effort([first, second], 3 * RATE)
    assert made[RATE] == 0
    assert made[RATE + RAMP] == made[29_999] == 1
    assert made[30_000 + RAMP] == pytest.approx(0, abs=1e-6)
    assert np.abs(np.diff(made)).max() < 2 / RAMP


def test_pitch_rises_by_the_semitones():
    f0 = np.full(240, 200.0, np.float32)
    made = np.zeros(240 * 300)
    made[120 * 300 :] = 1.0
    found = raised_pitch(f0, made, 12.0)
    assert (found[:120] == 200).all()
    assert found[120:] == pytest.approx(400.0)


# In the sound -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spoken():
    """The same floor without and with the lift."""
    spec = a_spec(2)
    voices = {"s1": "v21", "s2": "v20"}
    spec = spec.model_copy(
        update={"speakers": tuple(s.model_copy(update={"voice": voices[s.id]}) for s in spec.speakers)}
    )
    script = a_script(
        turn("t1", "s1", GOOSE), claim("c1", "s2", "t1", "the goose", "It was my cake."), turn("t2", "s1", "Fine.")
    )
    backend = KokoroOnnx(cache=ArrayCache())
    timeline = talked(
        script, lambda timing: speaking_clock(spec, backend, timing), spec, attempts={"c1": presses(overlap_s=0.7)}
    )
    settings = TtsSettings(variation=STEADY), TtsSettings(variation=STEADY, lombard=LombardSettings(strength=1.0))
    return [render(spec, timeline, backend, each) for each in settings]


@pytest.mark.speech
def test_the_lift_is_heard_where_it_is_recorded_and_nowhere_else(spoken):
    plain, raised_ = spoken
    assert [s.planned for s in plain.timeline.segments] == [s.planned for s in raised_.timeline.segments]
    assert all(s.lifts is None for s in plain.timeline.segments)
    lifted_segments = [s for s in raised_.timeline.segments if s.lifts]
    assert {raised_.timeline.utterance(s.utterance_id).act_id for s in lifted_segments} == {"t1", "c1"}
    for segment in lifted_segments:
        (lift,) = segment.lifts
        inside = slice(lift.span.start, lift.span.end)
        change = energy(raised_.stems[segment.channel][inside]) / energy(plain.stems[segment.channel][inside])
        assert decibels(change) == pytest.approx(4.0, abs=1.5), "the pitch moves the energy a little, too"
    (last,) = [s for s in plain.timeline.segments if plain.timeline.utterance(s.utterance_id).act_id == "t2"]
    whole = slice(last.origin + last.lay.start, last.origin + last.lay.end)
    assert np.array_equal(plain.stems[0][whole], raised_.stems[0][whole])


@pytest.mark.speech
def test_the_lift_stands_in_the_log(spoken):
    made = spoken[1].timeline
    assert Timeline.from_json(made.to_json()) == made
    lines = {e.kind: event_line(e, made) for e in made.events if e.speaker == "s1" and e.kind == "turn_interrupted"}
    (lift,) = lines["turn_interrupted"]["lifts"]
    assert (lift["level_db"], lift["tilt_db"], lift["pitch_st"]) == (4.0, 3.0, 1.5)
    assert "lifts" not in event_line(spoken[0].timeline.events[0], spoken[0].timeline)


# Peaks ------------------------------------------------------------------------------------------------


def test_what_would_pass_full_scale_is_lowered_as_a_whole_and_not_limited(noise):
    loud, level = _levelled(noise * 3, 12.0, 1.0)
    assert 0.99 < np.abs(loud).max() <= 1.0
    factor = loud[noise != 0] / noise[noise != 0]
    assert np.ptp(factor) < 1e-5 * factor.mean(), "the same gain all over"
    assert level < 1.0
    assert 20 * np.log10(factor.mean() / 3) == pytest.approx(12.0 + level, abs=1e-4), "as it is recorded"
    assert _levelled(noise, 0.0, 0.37)[1] == 0.37
