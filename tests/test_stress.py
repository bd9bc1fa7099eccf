"""Stress corpora: each shipped one isolates what it says, a user's own works the same way, errors are explained."""

import json
import subprocess
import sys
from functools import cache, partial

import numpy as np
import pytest
import yaml
from command_support import ROOT, pipeline
from pace_clock import pace_clock
from talk_support import paper_timing

from pipeline import augment
from pipeline.assemble import active_intervals
from pipeline.clock import _laughing
from pipeline.compose import composed, settings_from
from pipeline.errors import ConfigError, InputError
from pipeline.invariants.configured import rules_from, rules_of
from pipeline.orchestrate import drawer, orchestrate
from pipeline.output.figures import figures, pooled
from pipeline.plan import plan
from pipeline.records import Segment, Span, Timeline
from pipeline.samples import RATE, to_samples
from pipeline.script import write_script
from pipeline.seeds import generator
from pipeline.stress.catalogue import stress_corpora
from pipeline.stress.proofs import as_stats, lines, proved
from pipeline.stress.settings import TIMINGS, StressSettings, known_figures
from pipeline.validate import DEFAULT, faults
from pipeline.writers.topics import load_bank

NAMES = tuple(stress_corpora())
NOISY = ("low_snr", "loud_distant_speech")
REQUIRED = {
    "contested_holds", "long_laughter", "stacked_backchannels", "short_takeovers", "long_backchannels",
    "question_holds", "dense_overlap", "five_party_scramble", "low_snr", "loud_distant_speech",
    "slow_handover", "smooth_talk",
}  # fmt: skip


def settings_of(name, *overrides, config_dir=None):
    return settings_from(composed([f"experiment=stress/{name}", *overrides], config_dir))


def clock_of(spec, timing):
    """The clock of the tests, with laughs as long as stage 2 draws them."""

    def clock(act, speaker):
        if getattr(act, "kind", "") == "laughter":
            return _laughing(act, speaker, timing.laugh.draw(drawer(spec)("laugh", act.id), RATE), None)
        return pace_clock(act, speaker)

    return clock


@cache
def planned(name, *overrides, n=8):
    """Settings, and of each conversation the spec, the script and the timeline."""
    settings, made = settings_of(name, *overrides), []
    for spec in plan(settings.request, n, settings.design, settings.timing, settings.noise.scenes, load_bank(None)):
        script, _ = write_script(spec, settings.script)
        made.append((spec, script, orchestrate(spec, script, clock_of(spec, settings.timing), settings.timing)))
    return settings, made


# The shipped ones --------------------------------------------------------------------------------------


def test_all_that_are_promised_are_shipped():
    assert set(NAMES) >= REQUIRED


@pytest.mark.parametrize("name", NAMES)
def test_each_composes_without_a_model_and_says_what_it_isolates(name):
    settings = settings_of(name)
    assert settings.stress is not None
    assert settings.stress.isolates
    assert settings.script.writer == "template"
    assert str(settings.root) == f"corpora/{name}-{settings.type}-dev-1"
    told = settings_of(name, "script=lines", "n=7", "seed=3", "out=elsewhere")
    assert (told.script.writer, told.n, told.seed, str(told.root)) == ("lines", 7, 3, "elsewhere")
    assert told.stress == settings.stress


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOISY])
def test_its_figures_prove_what_it_isolates(name):
    settings, made = planned(name)
    found = pooled(figures(timeline, script) for _, script, timeline in made).summary()
    assert [str(proof) for proof in proved(settings.stress, found) if proof.verdict != "proved"] == []


@pytest.mark.parametrize("name", NAMES)
def test_its_timelines_keep_every_invariant_by_the_rules_that_it_configures(name):
    settings, made = planned(name)
    rules = rules_from(settings.model_dump(mode="json"))
    assert [fault for _, _, timeline in made for fault in faults(timeline, rules)] == []


class Outsiders:
    """Stands in for distant voices: noise."""

    def snippet(self, rng, seconds):
        return rng.standard_normal(to_samples(seconds)).astype(np.float32), "noise"


@pytest.mark.parametrize("name", NOISY)
def test_the_noise_is_as_loud_as_it_says(name):
    """Stage 4 over noise where somebody speaks; no voice is needed for the levels."""
    settings, made = planned(name, "duration=30", "speakers=2", n=6)
    bank, counted = augment.open_bank(settings.noise, Outsiders()), []
    for spec, script, timeline in made:
        stems = np.zeros((2, timeline.n_samples), np.float32)
        active = active_intervals(timeline)
        for stem, intervals in zip(stems, active, strict=True):
            for start, end in intervals:
                stem[start:end] = 0.1 * generator(1, "stem", start).standard_normal(end - start)
        rng_for = partial(generator, spec.corpus_seed, spec.id, "augment")
        log = augment.augment(stems, active, spec.scene, settings.noise, bank, rng_for).log
        counted.append(figures(timeline, script, log.model_dump(mode="json", exclude_none=True)))
    proofs = proved(settings.stress, pooled(counted).summary())
    assert [str(proof) for proof in proofs if proof.verdict != "proved"] == []
    unmixed = pooled(figures(timeline, script) for _, script, timeline in made).summary()
    assert {proof.verdict for proof in proved(settings.stress, unmixed)} == {"not measured"}


def test_usual_talk_proves_none_of_them():
    """The proofs tell a stress corpus from any other."""
    settings = settings_from(composed(["script=template"]))
    counted = []
    for spec in plan(settings.request, 8, settings.design, settings.timing, settings.noise.scenes, load_bank(None)):
        script, _ = write_script(spec, settings.script)
        counted.append(figures(orchestrate(spec, script, clock_of(spec, settings.timing), settings.timing), script))
    found = pooled(counted).summary()
    for name in set(NAMES) - set(NOISY):
        assert {proof.verdict for proof in proved(settings_of(name).stress, found)} != {"proved"}, name


def test_the_readme_lists_them_with_their_proofs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        stress = settings_of(name).stress
        proofs = ", ".join(f"`{proof.figure}` {proof.wanted}" for proof in stress.proves)
        assert f"| `{name}` | {stress.isolates} | {proofs} |" in text


# Settings of their own ---------------------------------------------------------------------------------


def test_a_hold_after_a_question_goes_on_in_the_same_turn():
    _, made = planned("question_holds")
    holds = [(t, s) for _, _, t in made for s in t.segments if s.ending == "hold"]
    assert all("?" in timeline.utterance(s.utterance_id).mark_before(s.source.end) for timeline, s in holds)
    assert all("?" in timeline.utterance(s.utterance_id).written[:-1] for timeline, s in holds)


def test_claims_have_the_words_asked_for_and_come_together():
    _, made = planned("five_party_scramble")
    for spec, script, _ in made:
        claims = [act for act in script.acts if act.act == "claim"]
        assert len(claims) == spec.amounts.floor_claims
        places = [(act.during, act.landing) for act in claims]
        rivals = [{a.speaker for a in claims if (a.during, a.landing) == place} for place in set(places)]
        assert max(map(len, rivals)) == 3
        assert sum(4 <= len(act.text.split()) <= 8 for act in claims) >= 0.9 * len(claims)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("script.min_backchannel_words=5", "min_backchannel_words=5 is more than max_backchannel_words=3"),
        ("script.template.claim_words=[3,1]", r"claim_words \[3, 1\] needs two positive numbers in order"),
        ("script.template.claimants=0", "greater than or equal to 1"),
        ("script.stacked=2", "less than or equal to 1"),
        ("timing.hold_after=never", "'clause' or 'question'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(script, said):
    with pytest.raises(ConfigError, match=said):
        settings_from(composed(["script=template", script]))


# Figures -----------------------------------------------------------------------------------------------


def test_the_known_figures_are_those_of_a_corpus():
    _, made = planned("smooth_talk")
    found = pooled(figures(timeline, script) for _, script, timeline in made)
    assert set(found.durations) == set(TIMINGS)
    for name in known_figures():
        value = found.summary()
        for key in name.split("."):
            value = value[key]
        assert value is None or isinstance(value, int | float), name


def test_stacked_backchannels_are_those_that_sound_together():
    _, made = planned("smooth_talk")
    timeline = next(t for _, _, t in made if len(t.speakers) > 2)
    floor = next(s for s in timeline.segments if s.role == "floor" and s.bounds.length > 3 * RATE)
    listeners = [s.id for s in timeline.speakers if s.id != floor.speaker][:2]
    back = next(s for s in timeline.segments if s.role == "backchannel")

    def with_two(apart_s: float) -> Timeline:
        spans = [Span(start=floor.bounds.start + at, end=floor.bounds.start + at + RATE // 2) for at in (RATE, 0)]
        spans[1] = spans[0].shifted(to_samples(apart_s))
        two = [_moved(back, f"b{i}", who, span) for i, (who, span) in enumerate(zip(listeners, spans, strict=True))]
        others = [s for s in timeline.segments if s.role == "floor"]
        return timeline.model_copy(update={"segments": (*others, *two)})

    assert figures(with_two(0.3)).summary()["phenomena"]["stacked_backchannels_share"] == 1
    assert figures(with_two(0.6)).summary()["phenomena"]["stacked_backchannels_share"] == 0


def _moved(segment: Segment, ident: str, speaker: str, span: Span) -> Segment:
    return segment.model_copy(update={"id": ident, "speaker": speaker, "planned": span, "measured": None})


# The validator's rules ---------------------------------------------------------------------------------


def test_rules_follow_the_configuration(tmp_path):
    assert rules_from(settings_from(composed([])).model_dump(mode="json")) == DEFAULT
    assert rules_from(settings_from(composed(["timing=ami"])).model_dump(mode="json")) == DEFAULT
    assert rules_from(settings_of("long_backchannels").model_dump(mode="json")).max_words == 8
    early = {"timing": json.loads(paper_timing(tail_s=1.0, gaps={"latched": {"low": -0.4, "high": 0}}).to_json())}
    assert rules_from(early) == DEFAULT.model_copy(update={"tail_s": 1.0, "latch_s": 0.53})
    assert rules_of(tmp_path) == DEFAULT
    (tmp_path / "corpus.yaml").write_text(yaml.safe_dump({"script": {"max_backchannel_words": 6}, **early}))
    assert rules_of(tmp_path).max_words == 6
    (tmp_path / "corpus.yaml").write_text("script: [")
    with pytest.raises(InputError, match=r"not a readable corpus\.yaml; mend it"):
        rules_of(tmp_path)


def test_long_backchannels_break_the_usual_rules():
    _, made = planned("long_backchannels")
    assert {fault.invariant for _, _, timeline in made for fault in faults(timeline)} == {"backchannel-words"}


# A user's own ------------------------------------------------------------------------------------------

OWN = """\
# @package _global_
defaults:
  - override /script: template
stress:
  isolates: long backchannels, and laughter that never comes
  proves:
    - {figure: phenomena.long_backchannels_share, at_least: 0.99}
    - {figure: rates_per_min.laughter, at_least: 50}
out: corpora/mine
script: {min_backchannel_words: 4, max_backchannel_words: 8}
"""


def own(tmp_path, text=OWN):
    folder = tmp_path / "experiment" / "stress"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(text)
    return tmp_path


def test_a_file_of_ones_own_works_the_same_way(tmp_path):
    settings = settings_of("mine", config_dir=own(tmp_path))
    assert settings.script.max_backchannel_words == 8
    assert settings.stress.proves[1].wanted == "at least 50"
    assert "mine" in stress_corpora(tmp_path)
    assert settings_of("smooth_talk", config_dir=tmp_path).design.claims == 0, "the shipped ones are still there"


def test_what_comes_out_is_said_and_kept():
    stress = settings_of("dense_overlap").stress
    (kept,) = as_stats(stress, {"overlap_share": 0.2})["proofs"]
    assert (kept["figure"], kept["realised"], kept["verdict"]) == ("overlap_share", 0.2, "NOT PROVED")
    assert list(lines(as_stats(stress, {"overlap_share": 0.2}))) == [
        "isolates: overlapping speech in 40 % of the time",
        "NOT PROVED: overlap_share 0.2, wanted 0.35 to 0.45",
        "1 of 1 proofs do not hold: the corpus does not show what it is to isolate",
    ]
    assert list(lines(as_stats(stress, {"overlap_share": 0.41})))[1:] == [
        "proved: overlap_share 0.41, wanted 0.35 to 0.45"
    ]
    assert "not measured: overlap_share, wanted" in list(lines(as_stats(stress, {})))[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("rates_per_min.laughter", "laughing"), r"'laughing' is no figure of stats.json; it has .*overlap_share"),
        (("at_least: 50", "at_least: 50, at_most: 2"), "at_least 50 is above at_most 2; swap the two"),
        ((", at_least: 50", ""), "rates_per_min.laughter has no bound; give at_least, at_most or both"),
        (("at_least: 50", "least: 50"), r"stress\.proves\.1\.least: Extra inputs are not permitted"),
        (("  isolates: long backchannels, and laughter that never comes\n", ""), r"stress\.isolates: Field required"),
        (("# @package _global_\n", ""), r"begin that file with # @package _global_|Could not override"),
        (("script: {min", "skript: {min"), r"skript: Extra inputs are not permitted"),
        (("template", "templates"), r"script/templates"),
    ],
)
def test_errors_in_it_are_explained_in_a_line(tmp_path, change, said):
    assert change[0] in OWN
    with pytest.raises(ConfigError, match=said) as caught:
        settings_of("mine", config_dir=own(tmp_path, OWN.replace(*change, 1)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"), [("", "NAME is missing; choose one of "), ("dense", "stress corpus 'dense': there is none")]
)
def test_a_name_that_is_missing_or_unknown_lists_those_there_are(name, said):
    with pytest.raises(ConfigError, match=said) as caught:
        composed([f"experiment=stress/{name}"])
    for known, purpose in stress_corpora().items():
        assert f"{known} ({purpose})" in str(caught.value)


def test_make_stress_without_a_name_is_one_line():
    command = ["make", "--no-print-directory", f"VENV={sys.prefix}", "stress"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: NAME is missing; choose one of contested_holds (")


def test_stress_settings_round_trip():
    stress = settings_of("low_snr").stress
    assert StressSettings.from_json(stress.to_json()) == stress


@pytest.mark.speech
def test_a_run_says_whether_it_is_proved_and_validates_by_its_own_rules(tmp_path):
    out = tmp_path / "corpus"
    given = ("n=1", "speakers=3", "duration=20", "design.vocalisations=4", "noise=none", f"out={out}")
    done = pipeline("mine", "--config-dir", str(own(tmp_path / "conf")), *given, module="pipeline.stress")
    assert done.returncode == 0, done.stderr
    assert "proved: phenomena.long_backchannels_share 1, wanted at least 0.99" in done.stdout
    assert "NOT PROVED: rates_per_min.laughter" in done.stdout
    assert "1 of 2 proofs do not hold" in done.stdout
    kept = json.loads((out / "stats.json").read_text())["stress"]
    assert [proof["verdict"] for proof in kept["proofs"]] == ["proved", "NOT PROVED"]
    assert "NOT PROVED" in (out / "README.md").read_text()
    assert pipeline(str(out), module="pipeline.validate").returncode == 0
    assert pipeline(str(out), "--max-words", "3", module="pipeline.validate").returncode == 1
