"""Timing profiles: distributions by quantiles, and what a simulated corpus makes of them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace_clock import pace_clock
from pydantic import ValidationError
from talk_support import a_script, a_spec, paper_timing, turn

from pipeline.compose import composed, settings_from
from pipeline.errors import ConfigError
from pipeline.orchestrate import orchestrate
from pipeline.output.figures import figures, pooled
from pipeline.plan import plan
from pipeline.samples import RATE
from pipeline.simulation.quotas import gap_ranks
from pipeline.timing import Quantiles, TimingSettings, Uniform
from pipeline.validate import faults
from pipeline.writers.base import Context
from pipeline.writers.template import TemplateWriter
from pipeline.writers.topics import load_bank

MEASURED = ("ami", "icsi", "voxconverse")
POINTS = (0.1, 0.5, 0.9)


def settings_of(*overrides: str, config_dir: Path | None = None):
    return settings_from(composed([*overrides], config_dir))


def simulated(settings, n: int):
    """Timelines of `n` template conversations, on the clock of the tests."""
    for spec in plan(settings.request, n, settings.design, settings.timing, {"cafe": 1.0}, load_bank(None)):
        script = TemplateWriter().write(spec, Context(settings.script))
        yield orchestrate(spec, script, pace_clock, settings.timing)


def spread(q: Quantiles) -> list[float]:
    """A thousand values that are distributed as `q` says."""
    return [q.at((n + 0.5) / 1000) for n in range(1000)]


def near(found, wanted):
    """The 10th, 50th and 90th percentile within 0.1 s or 15 %."""
    for p in POINTS:
        assert np.quantile(found, p) == pytest.approx(np.quantile(wanted, p), abs=0.1, rel=0.15), f"p{100 * p:.0f}"


# Distributions -----------------------------------------------------------------------------------------


@st.composite
def quantiles(draw):
    inner = draw(st.lists(st.integers(1, 99), unique=True, max_size=12))
    probabilities = sorted({0, 100, *inner} if draw(st.booleans()) else {10, 90, *(p for p in inner if 10 < p < 90)})
    values = sorted(draw(st.lists(st.floats(-3, 9), min_size=len(probabilities), max_size=len(probabilities))))
    return Quantiles(probabilities=tuple(p / 100 for p in probabilities), values=tuple(values))


@given(quantiles(), st.floats(0, 1), st.floats(0, 1))
def test_the_inverse_distribution_rises_and_ends_at_its_ends(q, one, other):
    assert q.low <= q.at(min(one, other)) <= q.at(max(one, other)) <= q.high
    assert [q.at(p) for p in q.probabilities] == pytest.approx(q.values)


def test_draws_have_the_quantiles_that_were_given():
    q = Quantiles(probabilities=(0, 0.1, 0.5, 0.9, 0.99), values=(-0.1, 0.03, 0.55, 2.5, 11.0))
    rng = np.random.default_rng(1)
    drawn = [q.draw(rng, RATE) / RATE for _ in range(20_000)]
    assert np.quantile(drawn, POINTS) == pytest.approx([0.03, 0.55, 2.5], rel=0.1)
    assert max(drawn) == 11.0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"probabilities": [0.1], "values": [1]}, "at least 2"),
        ({"probabilities": [0, 1], "values": [1, 2, 3]}, "2 probabilities and 3 values; give a value for each"),
        ({"probabilities": [0, 0.5, 0.5], "values": [1, 2, 3]}, "do not rise"),
        ({"probabilities": [0, 1.5], "values": [1, 2]}, "from 0 or more to 1 or less"),
        ({"probabilities": [0, 1], "values": [2, 1]}, "values fall as the probabilities rise; sort them"),
        ({"probabilities": [0, 1], "values": [1, 2], "low": 1, "high": 2}, "give one of the two"),
        ({"probabilities": [0, 1]}, "values"),
        ({"low": 2, "high": 1}, "runs backwards"),
    ],
)
@pytest.mark.parametrize("key", ["hold_pause", "laugh"])
def test_a_distribution_that_makes_no_sense_is_refused(key, data, said):
    with pytest.raises(ValidationError, match=said):
        paper_timing(**{key: data})


def test_every_range_may_be_quantiles_and_the_gaps_one_distribution_or_three():
    q = Quantiles(probabilities=(0, 1), values=(0.1, 0.4))
    ranges = dict.fromkeys(("continuation_gap", "hold_pause", "interruption_overlap", "reaction", "laugh"), q)
    by_way = {"latched": Uniform(low=0, high=0.1), "after_pause": q, "long_pause": q}
    for gaps in (q, by_way):
        timing = paper_timing(gaps=gaps, **ranges)
        assert TimingSettings.from_json(timing.to_json()) == timing


# Gaps by rank ------------------------------------------------------------------------------------------


def test_the_ways_of_following_divide_one_distribution_by_their_share_of_the_handovers():
    ways = ["latched", "latched", "after_pause", "long_pause", "latched"]
    turns = [turn(f"t{i}", f"s{i % 2}", follows=way) for i, way in enumerate(ways)]
    assert gap_ranks(turns) == {"latched": (0, 0.5), "after_pause": (0.5, 0.75), "long_pause": (0.75, 1)}
    assert gap_ranks(turns[:2]) == {"latched": (0, 1)}
    assert gap_ranks(turns[:1]) == {}


def test_turns_after_a_long_pause_wait_longest_and_latched_ones_least():
    timing = settings_of("timing=ami").timing
    ways = ["latched", "latched", "after_pause", "long_pause"] * 5
    script = a_script(*(turn(f"t{i}", f"s{i % 2 + 1}", follows=way) for i, way in enumerate(ways)))
    timeline = orchestrate(a_spec(2), script, pace_clock, timing)
    gaps = {way: [] for way in ways}
    for way, gap in zip(ways[1:], figures(timeline).durations["yield_gap"], strict=True):
        gaps[way].append(gap)
    assert max(gaps["latched"]) <= min(gaps["after_pause"]) <= max(gaps["after_pause"]) <= min(gaps["long_pause"])


# Profiles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["paper", *MEASURED])
def test_each_profile_composes_and_says_where_it_comes_from(profile):
    timing = settings_of(f"timing={profile}").timing
    paper = paper_timing()
    own = {"gaps", "hold_pause", "hold_rate", "claim_success_rate", "interruption_overlap"}
    assert {key for key in TimingSettings.model_fields if getattr(timing, key) != getattr(paper, key)} == (
        own if profile != "paper" else set()
    )


@pytest.mark.parametrize("profile", MEASURED)
def test_a_simulated_corpus_has_the_timing_of_its_profile(profile):
    """Gaps, hold pauses and interruption overlaps come out as measured on real talk.

    What the simulation is not free to do: an interrupter overlaps no longer than they speak, so that overlaps are
    judged against the profile's, each cut at what there was to say; a hold is never shorter than the pause that the
    voice makes by itself at the clause boundary (0.22 s on this clock), and a turn has one at most, so that holds are
    rarer than in meetings (here shorter turns hold, too, so that there are enough to judge); how long turns, claims
    and backchannels last is up to their words, how many there are to the script. Overlaps under half of
    `least_claim_s` are not made.
    """
    more_holds = ("timing.hold_min_segment_s=2", "timing.hold_min_part_s=0.5")
    settings = settings_of(f"timing={profile}", "script=template", "duration=180", *more_holds)
    made = list(simulated(settings, 60))
    assert [fault for timeline in made for fault in faults(timeline)] == []
    found = pooled(map(figures, made)).durations
    near(found["yield_gap"], spread(settings.timing.gaps))
    near(found["hold_pause"], spread(settings.timing.hold_pause))
    overlaps = spread(settings.timing.interruption_overlap)
    near(found["interruption_overlap"], np.minimum.outer(overlaps, [s - 0.06 for s in interrupters_say(made)]))


def interrupters_say(timelines) -> list[float]:
    """How long [s] the words last that cut a turn off."""
    firsts = [(t, t.segment(turn.segments[0])) for t in timelines for turn in t.turns if turn.entry == "interruption"]
    return [timeline.utterance(first.utterance_id).speech.length / RATE for timeline, first in firsts]


def test_a_profile_of_ones_own_needs_no_other_file(tmp_path):
    (tmp_path / "timing").mkdir()
    (tmp_path / "timing" / "mine.yaml").write_text(
        "defaults: [_measured, _self_]\n"
        "gaps: {probabilities: [0, 1], values: [0.1, 0.9]}\n"
        "hold_pause: {low: 0.3, high: 0.5}\n"
        "interruption_overlap: {low: 0.4, high: 0.6}\n"
    )
    timing = settings_of("timing=mine", config_dir=tmp_path).timing
    assert timing.gaps == Quantiles(probabilities=(0, 1), values=(0.1, 0.9))
    assert timing.reaction == paper_timing().reaction
    assert settings_of("timing=ami", config_dir=tmp_path).timing.hold_rate == 0.5
    with pytest.raises(ConfigError, match=r"timing/nobodys.*icsi"):
        settings_of("timing=nobodys", config_dir=tmp_path)
