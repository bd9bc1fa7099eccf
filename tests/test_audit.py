"""One-feature rules: causal, scored like detectors, and marked where they solve a task."""

import doctest
import itertools
import json
from importlib import import_module

import numpy as np
import pytest
from floor_support import Floor, changed_segment, event, example, speakers, timelines
from hypothesis import given, settings
from hypothesis import strategies as st
from pace_clock import pace_clock
from scipy import stats
from talk_support import paper_timing

from pipeline.audit import Audit, audit
from pipeline.audit.__main__ import main
from pipeline.audit.activity import Activity, activities
from pipeline.audit.intervals import intervals
from pipeline.audit.lengths import burst_lengths, likenesses, overlap, separation
from pipeline.audit.rules import RULES, Rule
from pipeline.audit.sweep import channels, committed, judged, sweep
from pipeline.audit.table import table
from pipeline.compose import composed, settings_from
from pipeline.evaluation.scorer import TASKS, TaskScore, score
from pipeline.gold import gold
from pipeline.orchestrate import orchestrate
from pipeline.records import InnerPause, Span
from pipeline.run import planned
from pipeline.samples import RATE, to_samples
from pipeline.script import ScriptSettings, write_script
from pipeline.workspace import write_text


def rule(task: str, feature: str) -> Rule:
    return next(rule for rule in RULES if (rule.task, rule.feature) == (task, feature))


def found(timeline, task: str, feature: str):
    return judged(rule(task, feature), channels([timeline]))


def turns_with_holds(first_s: float, second_s: float, count: int = 24):
    """Turns of three speakers, each with a hold of 0.6 s between parts of the lengths given, 1 s apart."""
    floor = Floor(speakers(3))
    for number in range(count):
        parts = [to_samples(first_s), to_samples(second_s)]
        floor.turn("ABC"[number % 3], parts, [to_samples(0.6)], RATE if number else 0)
    return floor.timeline()


def takeovers(first_s: float, heard_s: float, count: int = 84):
    """Turns of 6 s; every other one is taken over after 0.7 s of overlap, the others get a backchannel of 1.5 s.

    A takeover's first burst lasts `first_s`, then its speaker is silent for 0.3 s.
    """
    floor = Floor(speakers(3))
    for number in range(count):
        who, other = "ABC"[number % 3], "ABC"[(number + 1) % 3]
        cut, taken = number % 4 == 0, number % 4 == 1
        parts = [to_samples(6)]
        floor.turn(
            who,
            parts,
            [],
            -to_samples(0.7) if taken else to_samples(0.5),
            None if taken or cut else (other, "backchannel"),
            1 if cut else None,
            taken,
        )
    timeline = floor.timeline()
    for segment in timeline.segments:
        start = segment.bounds.start
        if segment.role == "backchannel":
            timeline = changed_segment(
                timeline, segment.id, measured=Span(start=start, end=start + to_samples(heard_s))
            )
        elif segment.role == "floor" and timeline.turn(segment.turn_id).entry == "interruption":
            inner = Span(start=start + to_samples(first_s), end=start + to_samples(first_s + 0.3))
            timeline = changed_segment(timeline, segment.id, pauses=(InnerPause(planned=inner),))
    events = tuple(
        event(e.id, e.kind, timeline.segment(e.segment_id), e.turn_id) if e.kind == "backchannel" else e
        for e in timeline.events
    )
    return timeline.model_copy(update={"events": events})


# What the rules find ---------------------------------------------------------------------------------------


def test_the_burst_before_tells_everything_where_holds_follow_short_ones_alone():
    apart = found(turns_with_holds(1.0, 4.0), "eot", "burst before the offset, at least")
    assert (apart.bounded.recall, apart.bounded.fpr, apart.bounded.latency_p50_ms) == (1, 0, 200)
    assert apart.shortcut
    assert "hold_min_part_s" in apart.remedy


def test_it_tells_nothing_where_both_bursts_are_alike():
    alike = turns_with_holds(2.5, 2.5)
    for way in ("at least", "below"):
        result = found(alike, "eot", f"burst before the offset, {way}")
        assert (result.bounded.recall, result.shortcut, result.remedy) == (0, False, None)


def test_a_long_silence_tells_the_yield_but_too_late():
    result = found(turns_with_holds(2.5, 2.5), "eot", "own silence")
    assert (result.unbounded.recall, result.unbounded.threshold, result.unbounded.fpr) == (1, 0.65, 0)
    assert result.bounded is None
    assert result.shortcut is False


def test_the_own_burst_tells_takeovers_that_outlast_every_backchannel():
    result = found(takeovers(3.0, 0.4), "interruption", "own burst")
    assert (result.bounded.recall, result.bounded.fpr, result.bounded.latency_p50_ms) == (1, 0, 450)
    assert result.shortcut


def test_the_own_burst_tells_nothing_where_both_are_of_one_length():
    result = found(takeovers(0.4, 0.4), "interruption", "own burst")
    assert (result.bounded.recall, result.shortcut) == (0, False)


def test_a_channel_that_alone_takes_over_is_told_by_its_number():
    timeline = takeovers(0.4, 0.4)
    at = {e.speaker for e in timeline.events if e.kind == "interruption"}
    assert at == {"A", "B", "C"}
    only = tuple(e for e in timeline.events if e.speaker == "C" or e.kind != "interruption")
    bent = timeline.model_copy(update={"events": tuple(e for e in only if (e.kind, e.speaker) != ("backchannel", "C"))})
    result = found(bent, "interruption", "channel, at least")
    assert (result.bounded.threshold, result.bounded.recall, result.bounded.fpr) == (2, 1, 0)


def test_that_the_holder_falls_silent_tells_the_takeover():
    result = found(takeovers(3.0, 0.4), "interruption", "alone after overlap")
    assert (result.bounded.recall, result.bounded.fpr, result.bounded.latency_p50_ms) == (1, 0, 750)


def test_a_handful_of_events_gives_no_verdict():
    result = found(turns_with_holds(1.0, 4.0, count=19), "eot", "burst before the offset, at least")
    assert result.bounded.recall == 1
    assert result.shortcut is None
    assert any("no verdict" in line for line in table(audit([turns_with_holds(1.0, 4.0, count=19)])))


# How they are scored ---------------------------------------------------------------------------------------


def knowing(timeline, task):
    """A rule that reads the gold."""
    track = gold(timeline).eot if task == "eot" else gold(timeline).interruption

    def watch(activity):
        at = [anchor.sample for anchor in track.positives if anchor.speaker == activity.speaker]
        return lambda threshold: np.array(at, np.int64)

    return Rule(task, "oracle", "", (0.0,), watch, "")


@pytest.mark.parametrize("task", TASKS)
def test_an_oracle_finds_everything_at_once_and_silence_nothing(task):
    timeline = takeovers(3.0, 0.4) if task == "interruption" else turns_with_holds(2.5, 2.5)
    oracle = judged(knowing(timeline, task), channels([timeline]))
    assert (oracle.bounded.recall, oracle.bounded.fpr, oracle.bounded.latency_p50_ms) == (1, 0, 0)
    assert oracle.bounded == oracle.unbounded
    never = Rule(task, "never", "", (0.0,), lambda activity: lambda threshold: np.empty(0, np.int64), "")
    silent = judged(never, channels([timeline]))
    assert (silent.bounded.recall, silent.bounded.fpr, silent.bounded.latency_p50_ms) == (0, 0, None)
    assert silent.shortcut is False


@given(st.lists(timelines(), min_size=1, max_size=2))
@settings(max_examples=15, deadline=None)
def test_scores_are_those_of_the_scorer_over_whole_conversations(some):
    over = channels(some)
    for one in RULES:
        expected = dict.fromkeys(one.thresholds, TaskScore())
        for timeline, threshold in itertools.product(some, one.thresholds[::6]):
            decided = {
                activity.speaker: {one.task: [t / RATE for t in committed(one.watch(activity)(threshold), 2 * RATE)]}
                for activity in activities(timeline)
            }
            expected[threshold] += score(gold(timeline), decided)[one.task]
        got = dict(sweep(one, over))
        for threshold in one.thresholds[::6]:
            assert got[threshold].model_dump(exclude={"latencies_ms"}) == expected[threshold].model_dump(
                exclude={"latencies_ms"}
            )
            assert sorted(got[threshold].latencies_ms) == sorted(expected[threshold].latencies_ms)


def test_a_corpus_without_holds_has_no_operating_point():
    floor = Floor(speakers(2))
    floor.turn("A", [RATE * 3], [], 0)
    result = found(floor.timeline(), "eot", "own silence")
    assert (result.bounded, result.unbounded, result.shortcut) == (None, None, None)


# What they see ---------------------------------------------------------------------------------------------


def until(timeline, at: int):
    """The conversation as it is known at sample `at`."""

    def cut(span):
        return Span(start=span.start, end=min(span.end, at))

    segments = [
        segment.model_copy(
            update={
                "measured": cut(segment.bounds),
                "pauses": tuple(
                    InnerPause(planned=cut(p.measured or p.planned))
                    for p in segment.pauses
                    if (p.measured or p.planned).start < at
                ),
            }
        )
        for segment in timeline.segments
        if segment.bounds.start < at
    ]
    return timeline.model_copy(update={"segments": tuple(segments), "n_samples": at})


def assert_same_until(at: int, whole: Activity, part: Activity, rules=RULES) -> None:
    for one in rules:
        decide, again = one.watch(whole), one.watch(part)
        for threshold in one.thresholds:
            before = [times[times < at].tolist() for times in (decide(threshold), again(threshold))]
            assert before[0] == before[1], (one.feature, threshold)


@given(timelines(), st.floats(0.01, 0.99))
@settings(max_examples=15, deadline=None)
def test_no_decision_depends_on_what_follows(timeline, share):
    at = int(share * timeline.n_samples)
    for whole, part in zip(activities(timeline), activities(until(timeline, at)), strict=True):
        assert_same_until(at, whole, part)


def test_nothing_but_who_sounds_when_is_seen():
    bare = example().model_copy(update={"events": (), "turns": (), "utterances": (), "ownership": ()})
    for one, other in zip(activities(example()), activities(bare), strict=True):
        assert np.array_equal(one.sounds, other.sounds)
        assert np.array_equal(one.other_sounds, other.other_sounds)


def test_pauses_part_sounds_and_only_long_ones_part_bursts():
    b = activities(example())[1]
    seconds = [[round(x / RATE, 2) for x in row] for row in b.sounds.tolist()]
    assert seconds == [[1.9, 2.35], [5.84, 7.5], [7.62, 9.14]]
    assert [[round(x / RATE, 2) for x in row] for row in b.bursts.tolist()] == [[1.9, 2.35], [5.84, 9.14]]


def test_planned_bounds_count_until_they_are_measured():
    planned_only = changed_segment(example(), "s2", measured=None)
    assert activities(planned_only)[1].sounds[0].tolist() == [to_samples(1.9) + 120, to_samples(2.35) + 120]


# A slow reference, step by step, at 100 steps a second -----------------------------------------------------

STEPS = st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=12)


def stepped(runs):
    return [sounds for length, sounds in runs for _ in range(length)]


def activity_of(own, other) -> Activity:
    return Activity(
        speaker="A",
        channel=0,
        rate=100,
        length=len(own),
        sounds=intervals((n, n + 1) for n, sounds in enumerate(own) if sounds),
        other_sounds=intervals((n, n + 1) for n, sounds in enumerate(other) if sounds),
    )


def causal(mine, theirs, rules=RULES) -> None:
    """Compare what is decided in short runs of sound and silence with what would be if they ended at any step."""
    own, other = (stepped(runs) for runs in (mine, theirs))
    length = min(len(own), len(other))
    whole = activity_of(own[:length], other[:length])
    for at in range(1, length, 7):
        assert_same_until(at, whole, activity_of(own[:at], other[:at]), rules)


SHORT = st.lists(st.tuples(st.integers(1, 40), st.booleans()), min_size=1, max_size=6)


@given(SHORT, SHORT)
@settings(max_examples=15, deadline=None)
def test_no_decision_depends_on_what_follows_wherever_it_is_cut(mine, theirs):
    causal(mine, theirs)


PEEKING = {
    "whether a silence will be a pause": lambda a: lambda threshold: a.bursts[:, 1] + 5,
    "how long a burst will last": lambda a: lambda threshold: a.bursts[a.bursts[:, 1] - a.bursts[:, 0] > 30, 0] + 10,
    "whether another will sound": lambda a: lambda threshold: a.bursts[a.others_at(a.bursts[:, 0] + 10) > 0, 0],
}


@pytest.mark.parametrize("what", PEEKING)
def test_a_rule_that_looks_ahead_would_be_found_out(what):
    peeking = Rule("eot", what, "", (0.0,), PEEKING[what], "")
    mine = [(10, False), (15, True), (12, False), (50, True), (40, False)]
    theirs = [(15, False), (10, True), (90, False)]
    with pytest.raises(AssertionError):
        causal(mine, theirs, [peeking])


def own_burst_slowly(own, other, lasted: int):
    """When the sound of a burst that began while another speaker spoke has lasted for `lasted` steps."""
    silent, sounded, beside, quiet, fired = 1000, 0, False, 1000, []
    for n, (mine, theirs) in enumerate(zip(own, other, strict=True)):
        quiet = 0 if theirs else quiet + 1
        if not mine:
            silent += 1
            continue
        if silent >= 20:
            sounded, beside = 0, quiet <= 20
        silent, sounded = 0, sounded + 1
        if beside and sounded == lasted:
            fired.append(n + 1)
    return fired


def silence_slowly(own, lasted: int):
    """When silence after a sound has lasted for `lasted` steps."""
    silent, heard, fired = 0, False, []
    for n, mine in enumerate(own):
        silent, heard = (0, True) if mine else (silent + 1, heard)
        if heard and silent == lasted:
            fired.append(n + 1)
    return fired


@given(STEPS, STEPS, st.sampled_from([0.05, 0.2, 0.45, 1.0]))
@settings(max_examples=200, deadline=None)
def test_rules_that_wait_decide_when_a_slow_reading_does(mine, theirs, threshold):
    own, other = stepped(mine), stepped(theirs)
    length = min(len(own), len(other))
    own, other = own[:length], other[:length]
    seen, lasted = activity_of(own, other), round(threshold * 100)
    decided = rule("interruption", "own burst").watch(seen)(threshold)
    assert decided.tolist() == own_burst_slowly(own, other, lasted)
    assert rule("eot", "own silence").watch(seen)(threshold).tolist() == silence_slowly(own, lasted)


# Lengths of bursts -----------------------------------------------------------------------------------------


def test_a_takeover_counts_with_its_first_burst():
    lengths = burst_lengths([takeovers(0.8, 0.4)])
    assert {name: sorted(set(np.round(values, 3))) for name, values in lengths.items()} == {
        "takeover": [0.8],
        "failed claim": [],
        "backchannel": [0.4],
        "laugh": [],
    }
    assert [row.n for row in audit([takeovers(0.8, 0.4)]).lengths] == [21, 0, 42, 0]


LENGTHS = st.lists(st.integers(1, 40).map(lambda n: n / 8), min_size=2, max_size=30).map(np.array)


@given(LENGTHS, LENGTHS)
@settings(max_examples=60, deadline=None)
def test_distances_are_those_of_the_statistics_library(one, other):
    (pair,) = likenesses({"takeover": one, "laugh": other})
    test = stats.ks_2samp(one, other, method="asymp")
    assert pair.ks == pytest.approx(test.statistic, abs=1e-4)
    apart = separation(one, [other])
    assert apart.balanced_accuracy == pytest.approx(0.5 + test.statistic / 2, abs=1e-4)
    assert apart.auc == pytest.approx(stats.mannwhitneyu(one, other).statistic / (len(one) * len(other)), abs=1e-4)
    assert overlap(one, one) == pytest.approx(1)
    assert overlap(one, other + 10) == 0


def test_the_threshold_is_the_last_length_below_and_one_sided_corpora_have_none():
    apart = separation(np.array([1.0, 2.0]), [np.array([0.5]), np.array([0.4])])
    assert (apart.threshold_s, apart.takeovers, apart.balanced_accuracy, apart.auc) == (0.5, "longer", 1, 1)
    assert separation(np.array([]), [np.array([0.5])]) is None
    assert separation(np.array([1.0]), [np.array([])]) is None


# A corpus, and the command ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def template():
    """Six conversations of plain sentences, planned with a clock that reads durations off the text."""
    specs = planned(settings_from(composed(["script=template", "n=6", "seed=4"])))
    made = []
    for spec in specs:
        script, _ = write_script(spec, ScriptSettings(writer="template"))
        made.append(orchestrate(spec, script, pace_clock, paper_timing()))
    return made


def test_a_planned_corpus_is_audited_with_every_rule(template):
    result = audit(template)
    assert result.conversations == 6
    assert [(r.task, r.feature) for r in result.rules] == [(r.task, r.feature) for r in RULES]
    kinds = [e.kind for t in template for e in t.events]
    assert result.positives == {"eot": kinds.count("turn_yield"), "interruption": kinds.count("interruption")}
    assert result.negatives["interruption"] == kinds.count("backchannel") + kinds.count("laughter")
    assert all(r.unbounded is None or r.unbounded.fpr <= 0.1 for r in result.rules)
    assert Audit.from_json(result.to_json()) == result


@pytest.fixture
def corpus(tmp_path, template):
    """A corpus of which one conversation is finished and one planned alone."""
    done, planned_only = (
        t.model_copy(update={"conversation_id": name}) for name, t in zip("ab", template, strict=False)
    )
    write_text(tmp_path / "work" / "a" / "timeline.json", "left over")
    write_text(tmp_path / "conversations" / "a" / "timeline.json", done.to_json())
    write_text(tmp_path / "work" / "b" / "timeline.json", planned_only.to_json())
    return tmp_path


def test_the_command_prints_a_table_or_the_same_as_json(corpus, template, capsys):
    result = audit(template[:2])
    assert main([str(corpus)]) == 0
    assert capsys.readouterr().out.splitlines() == list(table(result))
    assert main([str(corpus), "--json"]) == 0
    assert Audit.model_validate(json.loads(capsys.readouterr().out)) == result


def test_shortcuts_are_marked_with_what_counters_them():
    lines = list(table(audit([turns_with_holds(1.0, 4.0)])))
    marked = [line for line in lines if line.endswith("SHORTCUT")]
    assert any(line.startswith("burst before the offset, at least") for line in marked)
    assert any("against it: let holds come after bursts of every length" in line for line in lines)
    assert max(map(len, lines)) < 250


@pytest.mark.parametrize("text", [None, "{", '{"rate": 1}'])
def test_what_cannot_be_read_is_one_line_and_code_2(tmp_path, capsys, text):
    if text is not None:
        write_text(tmp_path / "conversations" / "a" / "timeline.json", text)
    assert main([str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("name", ["intervals", "rules", "lengths"])
def test_examples_in_the_documentation_run(name):
    tested = doctest.testmod(import_module(f"pipeline.audit.{name}"))
    assert tested.attempted
    assert not tested.failed
