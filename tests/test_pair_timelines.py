"""Counterfactual pairs as the simulation makes them: one decision apart, and nothing else before it."""

import doctest
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pace_clock import pace_clock
from pair_support import laid_before, play_script
from talk_support import a_script, a_spec, claim, paper_timing, sound, turn
from test_floor import a_random_script

import pipeline.output.pairs
import pipeline.pairs.settings
from pipeline.compose import composed, settings_from
from pipeline.conversation import Outcome
from pipeline.errors import NoEventError
from pipeline.gold import gold
from pipeline.pairs.fork import CUT_FADE_S, active_until, before_fork, shared_until
from pipeline.pairs.members import members_of
from pipeline.pairs.orchestrate import orchestrate_pair
from pipeline.pairs.settings import PairSettings
from pipeline.progress import Display
from pipeline.records import PAIR_KINDS
from pipeline.run import _in_their_place, planned
from pipeline.samples import to_samples
from pipeline.speech.bounds import measure_bounds
from pipeline.validate import faults

LABELS = {
    "claim": ("non_floor_taking", "interruption"),
    "pause": ("turn_hold", "turn_yield"),
    "words": ("backchannel", "turn_yield"),
}


def a_pair(script, kind, n_speakers=3, seed=1, **timing):
    return orchestrate_pair(members_of(a_spec(n_speakers, seed)), script, pace_clock, paper_timing(**timing), (kind,))


def in_question(timeline):
    """The segment and the event that the pair is about."""
    pair = timeline.pair
    return timeline.segment(pair.segment_id), next(e for e in timeline.events if e.id == pair.event_id)


@pytest.fixture(params=PAIR_KINDS)
def pair(request):
    """A pair of each kind, made of one script."""
    return tuple(member.timeline for member in a_pair(play_script(), request.param))


def test_both_members_are_whole_conversations_of_one_length(pair):
    a, b = pair
    assert faults(a) == faults(b) == []
    assert a.n_samples == b.n_samples
    assert a.segments[-1].ending == b.segments[-1].ending == "yield"


def test_the_members_name_the_pair_the_fork_and_one_another(pair):
    a, b = (timeline.pair for timeline in pair)
    assert (a.id, a.fork, a.kind) == (b.id, b.fork, b.kind)
    assert (a.member, b.member) == ("a", "b")
    assert (a.sibling, b.sibling) == (pair[1].conversation_id, pair[0].conversation_id) == ("c0001.b", "c0001.a")


def test_the_same_thing_has_another_label(pair):
    (one, label), (other, its_label) = (in_question(timeline) for timeline in pair)
    assert (label.kind, its_label.kind) == LABELS[pair[0].pair.kind]
    assert (one.speaker, one.utterance_id, one.planned.start) == (
        other.speaker,
        other.utterance_id,
        other.planned.start,
    )


def test_nothing_before_the_fork_differs_and_something_from_it_on_does(pair):
    a, b = pair
    fork = a.pair.fork
    assert laid_before(a, fork) == laid_before(b, fork)
    assert laid_before(a, fork + to_samples(CUT_FADE_S) + 1) != laid_before(b, fork + to_samples(CUT_FADE_S) + 1)


def test_each_member_has_gold_of_its_own(pair):
    ours, theirs = (gold(timeline) for timeline in pair)
    assert ours.eot != theirs.eot


def test_a_claim_parts_the_members_at_the_cut_off_and_is_spoken_alike():
    a, b = (m.timeline for m in a_pair(play_script(), "claim"))
    (failed, _), (taking, _) = in_question(a), in_question(b)
    (holder,) = [s for s in b.segments if s.id in b.turn(b.turn(taking.turn_id).interrupts).segments]
    assert a.pair.fork == holder.planned.end - to_samples(CUT_FADE_S)
    assert taking.planned.start < a.pair.fork < failed.planned.end
    assert a.utterance(failed.utterance_id) == b.utterance(taking.utterance_id)


def test_a_pause_is_as_long_in_both_members_and_ends_by_another_voice():
    a, b = (m.timeline for m in a_pair(play_script(), "pause"))
    (held, hold), (given, _) = in_question(a), in_question(b)
    taking = next(t for t in b.turns if b.segment(t.segments[0]).planned.start > given.planned.end)
    onset = b.segment(taking.segments[0]).planned.start
    assert held.planned == given.planned
    assert hold.planned.end == onset
    assert taking.speaker != given.speaker
    assert a.pair.fork == onset - to_samples(0.06), "the guard before the onset"


def test_words_are_heard_to_their_end_before_the_members_part():
    a, b = (m.timeline for m in a_pair(play_script(), "words"))
    (heard, _), (begun, yielded) = in_question(a), in_question(b)
    assert (heard.role, begun.role, begun.ending) == ("backchannel", "floor", "continues")
    assert heard.planned == begun.planned
    assert heard.planned.end <= a.pair.fork
    assert len(b.turn(begun.turn_id).segments) > 1, "their speaker goes on"
    assert yielded.speaker != begun.speaker


def test_what_the_members_perform_stands_in_their_scripts():
    a, b = a_pair(play_script(), "words")
    (words,) = [
        act for act in a.script.acts if act.id == a.timeline.utterance(in_question(a.timeline)[0].utterance_id).act_id
    ]
    (taken,) = [act for act in b.script.acts if act.id == words.id]
    assert (words.act, taken.act) == ("vocalisation", "turn")
    assert (words.text, words.speaker) == (taken.text, taken.speaker)
    assert (a.script.conversation_id, b.script.conversation_id) == ("c0001.a", "c0001.b")
    rest = [[act for act in member.script.acts if act.id != words.id] for member in (a, b)]
    assert rest[0] == rest[1]


def test_another_kind_takes_the_place_of_one_that_the_script_has_no_moment_for():
    script = a_script(turn("t1", "s1"), sound("b1", "s2", "t1", "early train"), turn("t2", "s2", "Fine by me."))
    specs = members_of(a_spec(2))
    a, _ = orchestrate_pair(specs, script, pace_clock, paper_timing(), ("claim", "words", "pause"))
    assert (a.timeline.pair.asked, a.timeline.pair.kind) == ("claim", "words")
    with pytest.raises(NoEventError, match=r"pair c0001: no moment of its script can be a pair of kind claim"):
        orchestrate_pair(specs, script, pace_clock, paper_timing(), ("claim",))


def test_the_next_conversation_is_taken_where_a_script_has_no_moment(capsys):
    settings = settings_from(composed(["script=template", "n=2", "pairs.kind=pause"]))
    without = [Outcome(ident=f"c0001.{member}", error="no moment", failed_in="event") for member in "ab"]
    fine = [Outcome(ident=f"c0000.{member}") for member in "ab"]
    specs, more, outcomes = _in_their_place(planned(settings), [*fine, *without], settings, Display(4))
    assert ([spec.id for spec in specs], [spec.id for spec in more]) == (["c0000", "c0001", "c0002"], ["c0002"])
    assert outcomes == fine
    assert "c0002 in place of c0001.a, c0001.b, which have no fitting moment" in capsys.readouterr().err
    alone = settings.model_copy(update={"only": "c0001"})
    assert _in_their_place(planned(settings), without, alone, Display(2))[1:] == ([], without)


def test_a_moment_with_too_little_speech_before_it_sets_no_level_and_is_not_taken():
    script = a_script(turn("t1", "s1", "Well, no."), claim("c1", "s2", "t1", "Well"), turn("t2", "s2", "Fine by me."))
    for kind in PAIR_KINDS:
        with pytest.raises(NoEventError):
            a_pair(script, kind)


def test_the_kinds_take_turns_in_rounds():
    settings = PairSettings(kind="all")
    dealt = [settings.kinds_for(7, index)[0] for index in range(30)]
    assert Counter(dealt) == dict.fromkeys(PAIR_KINDS, 10)
    assert all(sorted(settings.kinds_for(7, index)) == sorted(PAIR_KINDS) for index in range(30))
    assert PairSettings(kind="pause").kinds_for(7, 4) == ("pause",)
    assert PairSettings().kinds_for(7, 4) == ()


def test_the_examples_in_the_docstrings_hold():
    for module in (pipeline.output.pairs, pipeline.pairs.settings):
        assert doctest.testmod(module).failed == 0


# What is measured -----------------------------------------------------------------------------------------


def test_a_level_taken_before_the_fork_tells_the_same_onset_whatever_follows():
    rng = np.random.default_rng(1)
    same = np.concatenate([np.zeros(2400), np.linspace(0, 0.01, 4800) * rng.standard_normal(4800)])
    loud, soft = (np.concatenate([same, level * rng.standard_normal(24000)]) for level in (0.5, 0.001))
    whole = [measure_bounds(sound.astype(np.float32)).start for sound in (loud, soft)]
    before = [measure_bounds(sound.astype(np.float32), level_until=7200).start for sound in (loud, soft)]
    assert whole[0] != whole[1]
    assert before[0] == before[1]


def test_the_holder_counts_as_active_up_to_the_fork_in_both_members():
    for timeline in (m.timeline for m in a_pair(play_script(), "claim")):
        parted = [s for s in timeline.segments if before_fork(s, timeline)]
        early = {
            s.id: s.model_copy(update={"measured": s.planned.model_copy(update={"end": s.planned.start + 2400})})
            for s in parted
        }
        assert parted
        assert {active_until(s, timeline) for s in early.values()} == {shared_until(timeline)} == {timeline.pair.fork}


# Properties -----------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n_speakers=st.integers(2, 5), kind=st.sampled_from(PAIR_KINDS), rate=st.floats(0, 1))
@settings(max_examples=150, deadline=None)
def test_whatever_the_script_a_pair_is_two_conversations_that_part_at_their_fork(seed, n_speakers, kind, rate):
    script = a_random_script(random.Random(seed), n_speakers)
    timing = {
        "hold_rate": rate / 2,
        "resume_probability": rate,
        "claim_success_rate": {"argumentative": rate},
        "hold_min_segment_s": 2.0,
        "hold_min_part_s": 0.5,
    }
    try:
        made = a_pair(script, kind, n_speakers, seed, **timing)
    except NoEventError:
        return
    a, b = (member.timeline for member in made)
    fork = a.pair.fork
    assert faults(a) == faults(b) == []
    assert a.n_samples == b.n_samples
    assert laid_before(a, fork) == laid_before(b, fork)
    assert a.segments != b.segments
    assert (in_question(a)[1].kind, in_question(b)[1].kind) == LABELS[kind]
    assert all(before_fork(s, t) is None or before_fork(s, t) >= 0.2 * 24000 for t in (a, b) for s in t.segments)
    assert made == a_pair(script, kind, n_speakers, seed, **timing), "the same again"
