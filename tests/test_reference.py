"""The 240 shipped scripts: complete, valid, of the amounts asked for, and none like another."""

import importlib.util
import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml
from pace_clock import pace_clock
from talk_support import paper_timing

from pipeline.amounts import amounts_for
from pipeline.compose import composed, settings_from
from pipeline.design import DesignSettings
from pipeline.orchestrate import orchestrate
from pipeline.plan import Request
from pipeline.plan_reference import amounts_of, plan_reference
from pipeline.records import TYPES, ClaimAct, TurnAct
from pipeline.resources import resource
from pipeline.run import planned
from pipeline.script import ScriptSettings, write_script
from pipeline.sound.settings import NoiseSettings
from pipeline.speech.voices import voice
from pipeline.text import folded, words_of
from pipeline.validate import faults
from pipeline.writers.reference import reference_files
from pipeline.writers.screenplay import read_screenplay
from pipeline.writers.words import grams

EVERYDAY = 4
"""A line of this many words may be said in two scripts, a longer one in one alone."""


@cache
def plays():
    return {play.id: play for play in map(read_screenplay, reference_files())}


@cache
def design():
    return DesignSettings.model_validate(yaml.safe_load(resource("conf", "design", "paper.yaml").read_text()))


def specs(seed=1, **request):
    asked = Request(split="both", seed=seed, **request)
    return plan_reference(asked, len(plays()), design(), NoiseSettings.shipped().scenes)


def test_all_cells_are_there():
    cells = Counter((play.split, play.type, len(play.speakers)) for play in plays().values())
    assert cells == {
        (split, kind, n): number for split, number in (("dev", 2), ("test", 8)) for kind in TYPES for n in (2, 3, 4, 5)
    }


def test_make_splits_asks_for_the_whole_design():
    made = planned(settings_from(composed(["experiment=splits"])))
    assert Counter(spec.split for spec in made) == {"dev": 48, "test": 192}
    voices = {
        split: {s.voice for spec in made if spec.split == split for s in spec.speakers} for split in ("dev", "test")
    }
    assert (len(voices["dev"]), len(voices["test"])) == (8, 16)
    assert not voices["dev"] & voices["test"]


def test_every_script_keeps_the_rules_of_stage_1():
    for spec in specs():
        write_script(spec, ScriptSettings(writer="reference"))


def test_the_amounts_are_those_of_the_design():
    """Each count near the formula for the script's length, and the sums over the corpus within a twentieth of it."""
    found, asked = Counter(), Counter()
    for play in plays().values():
        has = amounts_of(play)
        seconds = 60 * has.words / design().types[play.type].words_per_min
        due = amounts_for(play.type, len(play.speakers), seconds, design(), paper_timing())
        for name in ("floor_turns", "floor_claims", "backchannels", "laughs"):
            assert abs(getattr(has, name) - getattr(due, name)) <= 3, (play.id, name)
            found[name] += getattr(has, name)
            asked[name] += getattr(due, name)
    for name in found:
        assert abs(found[name] / asked[name] - 1) < 0.05, (name, found[name], asked[name])


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_every_script_plans_and_passes_the_validator(seed):
    for spec in specs(seed):
        script, _ = write_script(spec, ScriptSettings(writer="reference"))
        assert faults(orchestrate(spec, script, pace_clock, paper_timing())) == [], spec.id


def test_no_two_scripts_share_a_line_an_opening_or_a_title():
    lines = Counter(act.text for play in plays().values() for act in play.acts if len(words_of(act.text)) > EVERYDAY)
    assert [line for line, number in lines.items() if number > 1] == []
    openings = Counter(" ".join(folded(play.acts[0].text)[:4]) for play in plays().values())
    assert [opening for opening, number in openings.items() if number > 1] == []
    assert len({play.title for play in plays().values()}) == len(plays())


def test_hardly_a_line_shares_four_words_in_a_row_with_another_script():
    where = {}
    lines = [(play.id, act.text) for play in plays().values() for act in play.acts]
    for ident, text in lines:
        for run in grams(text):
            where.setdefault(run, set()).add(ident)
    shared = [text for _, text in lines if any(len(where[run]) > 1 for run in grams(text))]
    assert len(shared) / len(lines) < 0.01, shared[:9]


ENDINGS = dict.fromkeys(["", "'s", "'d", "'ll", "'ve", "'re", "n't", "ing", "ed", "s", "es", "ly", "er", "ish"], "")
ENDINGS |= {"s'": "", "ied": "y", "ies": "y", "ier": "y"}
UNLISTED = {"d'you", "café", "velouté", "éclair", "allen", "bedsheet", "flourpot", "headteacher", "railwaymen"}
UNLISTED |= {"ich", "schoolchildren", "tock", "un", "wifi"}
"""Words that are right and stand in no dictionary of the phonemiser; `allen` is a key's."""


def test_every_word_is_spelt_right():
    """Lower-case words against the pronunciation dictionaries, British and American, with common endings taken off."""
    folder = Path(importlib.util.find_spec("misaki").origin).parent / "data"
    listed = {
        word.lower()
        for name in ("us_gold", "us_silver", "gb_gold", "gb_silver")
        for word in json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    }

    def known(word):
        stems = {word.removesuffix(end) + new for end, new in ENDINGS.items() if word.endswith(end)}
        stems |= {stem + "e" for stem in stems} | {stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]}
        return bool(stems & listed) or word in UNLISTED or word.isdigit()

    said = {
        (word, play.id)
        for play in plays().values()
        for act in play.acts
        for hyphened in words_of(act.text)
        for word in hyphened.replace("\u2019", "'").split("-")
        if word.islower()
    }
    assert sorted((word, where) for word, where in said if not known(word)) == []


def test_domains_tones_and_voices_are_spread():
    domains = Counter(play.domain for play in plays().values())
    assert len(domains) == 20
    assert min(domains.values()) >= 8
    assert len({play.tone for play in plays().values()}) == 5
    heard = Counter(role.voice for play in plays().values() for role in play.speakers)
    assert len(heard) == 24
    for play in plays().values():
        assert all(voice(role.voice).split == play.split for role in play.speakers), play.id


def test_claims_come_in_every_length():
    lengths = [len(words_of(act.text)) for play in plays().values() for act in play.acts if isinstance(act, ClaimAct)]
    for low, high, least in ((1, 3, 0.15), (4, 7, 0.35), (8, 19, 0.15)):
        assert sum(low <= n <= high for n in lengths) / len(lengths) > least
    assert max(lengths) <= 19


def test_turns_vary_in_length_as_talk_does():
    lengths = sorted(len(words_of(a.text)) for play in plays().values() for a in play.acts if isinstance(a, TurnAct))
    assert lengths[len(lengths) // 10] <= 10
    assert lengths[len(lengths) * 9 // 10] >= 30
