"""The spec planner: growth, balance and voices."""

from collections import Counter

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from talk_support import paper_timing

from pipeline import run
from pipeline.amounts import amounts_for, crowd
from pipeline.compose import composed, settings_from
from pipeline.design import DesignSettings
from pipeline.errors import ConfigError
from pipeline.plan import Request, plan
from pipeline.records import TYPES
from pipeline.resources import resource
from pipeline.sound.settings import NoiseSettings
from pipeline.speech.voices import voice
from pipeline.writers.topics import load_bank


def design(**other) -> DesignSettings:
    shipped = yaml.safe_load(resource("conf", "design", "paper.yaml").read_text())
    return DesignSettings.model_validate(shipped | other)


def planned(n: int, design: DesignSettings = design(), **request):  # noqa: B008  (a frozen record)
    scenes = NoiseSettings.shipped().scenes
    return plan(Request(**request), n, design, paper_timing(), scenes, load_bank())


@given(seed=st.integers(0, 2**40), small=st.integers(1, 12), more=st.integers(0, 30))
@settings(max_examples=20, deadline=None)
def test_a_corpus_grows_and_keeps_what_it_has(seed, small, more):
    assert planned(small + more, seed=seed)[:small] == planned(small, seed=seed)


def test_every_cell_comes_equally_often():
    cells = Counter((spec.type, len(spec.speakers)) for spec in planned(48, split="test"))
    assert cells == {(kind, n): 2 for kind in TYPES for n in (2, 3, 4, 5)}


def test_a_small_corpus_has_every_type_and_every_number_of_speakers():
    for seed in range(5):
        few = planned(6, seed=seed)
        assert {spec.type for spec in few} == set(TYPES)
        assert {len(spec.speakers) for spec in few} == {2, 3, 4, 5}


@pytest.mark.parametrize("kind", TYPES)
def test_domains_come_in_rounds_and_no_topic_before_all_have_been(kind):
    specs = planned(40, type=kind)
    first = Counter(spec.domain for spec in specs[:20])
    assert set(first.values()) == {1}
    assert len({spec.topic for spec in specs}) == 40
    assert all(spec.relation for spec in specs)


def test_tones_and_domains_are_balanced_over_a_design():
    specs = planned(240, split="both")
    assert set(Counter(spec.domain for spec in specs).values()) == {12}
    tones = Counter(spec.tone for spec in specs)
    assert all(abs(tones[tone] - weight) <= 2 for tone, weight in design().tones.items())
    for split in ("dev", "test"):
        domains = Counter(spec.domain for spec in specs if spec.split == split)
        assert len(domains) == 20
        assert max(domains.values()) - min(domains.values()) <= 2


def test_a_speaking_style_comes_from_the_voice():
    for spec in planned(12):
        assert all(speaker.style == voice(speaker.voice).style for speaker in spec.speakers)
        assert all(speaker.persona and speaker.stance for speaker in spec.speakers)


def test_no_voice_twice_in_a_conversation_and_all_heard_about_equally():
    specs = planned(60, split="dev", speakers=(5,))
    assert all(len({s.voice for s in spec.speakers}) == 5 for spec in specs)
    heard = Counter(s.voice for spec in specs for s in spec.speakers)
    assert max(heard.values()) - min(heard.values()) <= 1
    assert len(heard) == 8


def test_the_splits_share_no_voice():
    heard = {split: {s.voice for spec in planned(30, split=split) for s in spec.speakers} for split in ("dev", "test")}
    assert len(heard["dev"]) == 8
    assert len(heard["test"]) == 16
    assert not heard["dev"] & heard["test"]


def test_scenes_and_tones_keep_to_their_weights():
    specs = planned(240)
    weights = NoiseSettings.shipped().scenes
    scenes = Counter(spec.scene for spec in specs)
    for scene, weight in weights.items():
        assert abs(scenes[scene] - 240 * weight / sum(weights.values())) <= 2
    tones = Counter(spec.tone for spec in specs)
    for tone, weight in design().tones.items():
        assert abs(tones[tone] - 240 * weight / sum(design().tones.values())) <= 2


def test_a_topic_comes_again_only_when_all_of_its_type_have_been():
    topics = [spec.topic for spec in planned(20, type="casual")]
    assert len(set(topics)) == 20


def test_one_teller_whatever_the_number_of_speakers_and_not_always_on_the_first_channel():
    specs = planned(24, type="narrative")
    assert all([s.stance for s in spec.speakers].count("teller") == 1 for spec in specs)
    channels = {next(s.channel for s in spec.speakers if s.stance == "teller") for spec in specs}
    assert len(channels) > 2


def test_amounts_follow_the_formula_of_table_15():
    asked = amounts_for("argumentative", 4, 120.0, design(), paper_timing())
    claims = 2.48 * 2 * crowd(4) * 1.04
    sounds = 3.09 * 2 * crowd(4) * 0.83
    segments = 120 / 10.0 * 1.60
    assert asked.floor_claims == round(claims)
    assert asked.backchannels + asked.laughs == round(sounds)
    assert asked.floor_turns == round(segments * (1 - 0.0569) - claims * 0.364 * 1.15)
    assert asked.words == 412
    assert amounts_for("narrative", 5, 20.0, design(), paper_timing()).floor_turns == 10, "at least 2 N turns"


@pytest.mark.parametrize("n_speakers", [1, 9])
def test_speakers_that_the_split_has_no_voices_for_are_refused(n_speakers):
    with pytest.raises(ConfigError, match=rf"speakers={n_speakers}: split 'dev' has 8 voices"):
        planned(1, speakers=(2, n_speakers))


def test_an_unknown_domain_is_refused_with_those_there_are():
    with pytest.raises(ConfigError, match=r"domain='knitting'.*book club"):
        planned(1, domain="knitting")


def test_several_types_and_other_sizes_of_the_splits():
    specs = planned(40, design=design(dev_of_ten=5), type=("casual", "narrative"), speakers=(2, 3), split="both")
    cells = Counter((spec.split, spec.type, len(spec.speakers)) for spec in specs)
    kinds = ("casual", "narrative")
    assert cells == {(split, kind, n): 5 for split in ("dev", "test") for kind in kinds for n in (2, 3)}


@pytest.mark.parametrize(
    ("value", "found"),
    [("casual,narrative", ("casual", "narrative")), ("casual", "casual"), ("all", "all"), ("[casual]", "casual")],
)
def test_a_type_is_one_or_several(value, found):
    assert settings_from(composed([f"type={value}"])).type == found


@pytest.mark.parametrize("value", ["casul", "casual,narative", "all,casual", "[]"])
def test_an_unknown_type_is_named_with_those_there_are(value):
    with pytest.raises(ConfigError, match=r"type: .*'(casul|narative|all|)' is no type of interaction: choose one"):
        settings_from(composed([f"type={value}"]))


def test_voices_of_ones_own_for_each_split():
    asked = [
        "tts.pools={dev: [v08, am_adam], test: [v07, v11, v13]}",
        "split=both",
        "speakers=2",
        "n=40",
        "script=lines",
    ]
    heard = {"dev": set(), "test": set()}
    for spec in run.planned(settings_from(composed(asked))):
        heard[spec.split] |= {speaker.voice for speaker in spec.speakers}
    assert heard == {"dev": {"v08", "v03"}, "test": {"v07", "v11", "v13"}}


@pytest.mark.parametrize(
    ("pools", "said"),
    [
        ("{dev: [v08], test: [af_bella]}", "voice af_bella is in dev and in test"),
        ("{dev: [v99]}", "voice 'v99' is not in the pool"),
        ("{dev: [v08, v03], test: [v07]}", "split 'test' has 1 voices"),
    ],
)
def test_pools_that_cannot_be_are_explained(pools, said):
    with pytest.raises(ConfigError, match=said):
        run.planned(settings_from(composed([f"tts.pools={pools}", "split=both", "speakers=2", "n=40", "script=lines"])))
