"""Each rule of a script: what it refuses, and what it says."""

from collections.abc import Callable
from typing import Any

import pytest
from script_support import make_spec

from pipeline.records import TYPES, ConversationSpec, InteractionType, Script
from pipeline.script import write_script
from pipeline.writers.case import Violation
from pipeline.writers.landing import inside_clause, landing_index, landing_phrase
from pipeline.writers.rules import RULES, violations
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.speakable import unspeakable

SPEC = make_spec(n=3)
VALID, _ = write_script(SPEC, ScriptSettings(writer="template"))
Acts = list[dict[str, Any]]


def broken(change: Callable[[Acts], Any], settings: ScriptSettings | None = None) -> list[Violation]:
    """The violations of the valid script after a change to its acts."""
    acts = [act.model_dump() for act in VALID.acts]
    change(acts)
    script = Script.model_validate({"conversation_id": SPEC.id, "writer": "file", "acts": acts})
    return violations(script, SPEC, settings or ScriptSettings())


def first(acts: Acts, act: str, **fields: str) -> dict[str, Any]:
    """The first act of a kind."""
    return next(one for one in acts if one["act"] == act and all(one[k] == v for k, v in fields.items()))


def turns(acts: Acts) -> Acts:
    return [act for act in acts if act["act"] == "turn"]


def text(words: str, place: int = 1) -> Callable[[Acts], None]:
    """Give a turn another text, and take away what lands in it."""

    def change(acts: Acts) -> None:
        turn = turns(acts)[place]
        acts[:] = [act for act in acts if act.get("during") != turn["id"]]
        turn["text"] = words

    return change


def same_speaker_twice(acts: Acts) -> None:
    one, two = turns(acts)[:2]
    two["speaker"] = one["speaker"]


def silence(acts: Acts) -> None:
    for act in turns(acts):
        if act["speaker"] == "s3":
            act["speaker"] = "s1" if act is not acts[0] else "s2"


def own_claim(acts: Acts) -> None:
    claim = first(acts, "claim")
    claim["speaker"] = next(turn["speaker"] for turn in turns(acts) if turn["id"] == claim["during"])


repeat = text(VALID.turns[1].text.upper().replace(".", "!"), place=6)


@pytest.mark.parametrize(
    ("rule", "change", "said"),
    [
        ("known_speakers", lambda acts: acts[0].update(speaker="bob"), "'bob'; allowed: one of s1, s2, s3"),
        ("unique_ids", lambda acts: turns(acts)[3].update(id="t001"), "'t001' again; allowed: an id of its own"),
        ("first_act_is_turn", lambda acts: acts.insert(0, first(acts, "claim")), "allowed: a turn as the first act"),
        ("during_earlier_turn", lambda acts: first(acts, "claim").update(during="t999"), "'t999'; allowed: the id of"),
        ("not_in_own_turn", own_claim, "in their own turn"),
        ("no_turn_after_own", same_speaker_twice, "again; allowed: another speaker than the turn before"),
        ("everyone_heard", silence, "no turn of 's3'; allowed: at least one turn a speaker"),
        (
            "landing_words_occur",
            lambda acts: first(acts, "claim").update(landing="not there"),
            "'not there'; allowed: two or three words in a row out of",
        ),
        ("amounts_near_request", lambda acts: acts.remove(first(acts, "vocalisation", kind="laughter")) or True, ""),
        ("words_near_target", text("and so on " * 40), "words together"),
        (
            "backchannel_is_short",
            lambda acts: first(acts, "vocalisation", kind="backchannel").update(text="yes I think so too"),
            "5 words in 'yes I think so too'; allowed: at most 3 words",
        ),
        (
            "laughter_is_marked",
            lambda acts: first(acts, "vocalisation", kind="laughter").update(text="Ha ha ha."),
            "'Ha ha ha.'; allowed: the text '(laughs)', alone or before at most 8 words",
        ),
        ("only_speech", text("Well (sighs) I suppose so."), "a stage direction or bracket, '(sighs'"),
        ("no_assistant_talk", text("As an AI language model, I cannot say."), "'As an AI"),
        ("no_line_repeated", repeat, "again"),
        (
            "in_english",
            lambda acts: [act.update(text="Mañana vamos a la playa con mis primos.") for act in acts],
            "12% common English words in 168",
        ),
        ("no_real_person", text("I once sold Tom Hanks a boat."), "'Tom Hanks'; allowed: invented people"),
        ("no_profanity", text("Oh, shit, the boat."), "'shit'; allowed: the same thing in other words, or"),
    ],
)
def test_a_breach_is_found_and_said(rule: str, change: Callable[[Acts], Any], said: str) -> None:
    if rule == "amounts_near_request":
        # One more or less is always near; none where some were asked for is within one, too.
        def change(acts: Acts) -> None:
            claims = [act for act in acts if act["act"] == "claim"]
            for claim in claims[1:]:
                acts.remove(claim)

        said = "1 claims; allowed: 3 to 5 claims"
    found = [breach for breach in broken(change) if breach.rule == rule]
    assert found
    assert said in str(found[0])
    assert "\n" not in str(found[0])


def of_type(type: InteractionType, change: Callable[[Acts], Any]) -> tuple[ConversationSpec, list[Violation]]:
    """The violations of a valid script of a type after a change to its acts."""
    spec = make_spec(type)
    acts = [act.model_dump() for act in write_script(spec, ScriptSettings(writer="template"))[0].acts]
    change(acts)
    script = Script.model_validate({"conversation_id": spec.id, "writer": "file", "acts": acts})
    return spec, violations(script, spec, ScriptSettings())


def claims(acts: Acts) -> Acts:
    return [act for act in acts if act["act"] == "claim"]


def main_is_quiet(acts: Acts) -> None:
    for turn in turns(acts):
        if turn["speaker"] == "s1":
            turn["text"] = "Well."


def at_a_full_stop(acts: Acts) -> None:
    for claim in claims(acts):
        turn = next(turn for turn in turns(acts) if turn["id"] == claim["during"])
        turn["text"], claim["landing"] = f"That was all of it. {turn['text']}", "all of it"


@pytest.mark.parametrize(
    ("type", "rule", "change", "said"),
    [
        ("narrative", "one_main_speaker", main_is_quiet, "of the teller 's1'; allowed: the most words by 's1'"),
        ("instructional", "one_main_speaker", main_is_quiet, "of the explainer 's1'"),
        ("argumentative", "claims_in_manner", at_a_full_stop, "'all of it'; allowed: words within a sentence"),
        ("collaborative", "claims_in_manner", at_a_full_stop, "'all of it'; allowed: words within a sentence"),
        *(
            (
                type,
                "claims_in_manner",
                lambda acts: [act.update(text="Now let me say one thing before you go on") for act in claims(acts)],
                "before you go on'; allowed: a short",
            )
            for type in ("casual", "task_oriented")
        ),
        (
            "instructional",
            "claims_in_manner",
            lambda acts: [act.update(text="I see.") for act in claims(acts)],
            "'I see.'; allowed: a question",
        ),
    ],
)
def test_a_type_asks_for_its_manner(type: Any, rule: str, change: Callable[[Acts], Any], said: str) -> None:
    spec, found = of_type(type, change)
    breaches = [breach for breach in found if breach.rule == rule]
    assert breaches
    assert said in str(breaches[0])
    # All are named, so that a model can mend them at once.
    assert len(breaches) == (spec.amounts.floor_claims if rule == "claims_in_manner" else 1)


@pytest.mark.parametrize("type", TYPES)
def test_one_claim_and_half_of_several_may_be_of_another_manner(type: Any) -> None:
    def change(acts: Acts) -> None:
        half = claims(acts)[: len(claims(acts)) // 2]
        for claim in half:
            claim["text"] = "Now let me say one thing before you go on."
        at_a_full_stop([act for act in acts if act["act"] != "claim" or act in half])

    assert [breach for breach in of_type(type, change)[1] if breach.rule == "claims_in_manner"] == []


def test_every_rule_is_tested_above_and_has_a_reason() -> None:
    tests = (test_a_breach_is_found_and_said, test_a_type_asks_for_its_manner)
    columns = [next(m for m in test.pytestmark if m.name == "parametrize").args for test in tests]
    tested = {case[names.index("rule")] for names, cases in columns for case in cases}
    assert tested == {rule.__name__ for rule in RULES}
    assert all(rule.__doc__ for rule in RULES)


def test_a_valid_script_breaks_none() -> None:
    assert violations(VALID, SPEC, ScriptSettings()) == []


def test_no_act_at_all_is_no_script() -> None:
    empty = Script(conversation_id=SPEC.id, writer="file", acts=())
    rules = {breach.rule for breach in violations(empty, SPEC, ScriptSettings())}
    assert {"first_act_is_turn", "everyone_heard", "amounts_near_request", "words_near_target"} <= rules


def test_what_is_not_asked_for_is_not_allowed() -> None:
    amounts = SPEC.amounts.model_copy(update={"laughs": 0})
    spec = SPEC.model_copy(update={"amounts": amounts})
    found = violations(VALID, spec, ScriptSettings())
    assert [str(breach) for breach in found] == ["acts: amounts_near_request: found 1 laughs; allowed: no laughs"]


def test_limits_are_configuration() -> None:
    long = lambda acts: first(acts, "vocalisation", kind="backchannel").update(text="yes I think so too")  # noqa: E731
    assert broken(long, ScriptSettings(max_backchannel_words=5)) == []
    assert broken(repeat, ScriptSettings(allow_repeats=True)) == []
    assert broken(text("Oh, shit, the boat."), ScriptSettings(allow_profanity=True)) == []
    assert broken(text("and so on " * 40), ScriptSettings(word_tolerance=2.0)) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Well (laughs) yes", "a stage direction or bracket"),
        ("[door opens] Come in", "a stage direction or bracket"),
        ("That is {great}", "a stage direction or bracket"),
        ("I *really* mean it", "markdown"),
        ("# Heading", "markdown"),
        ("- first item", "markdown"),
        ("1. first item", "markdown"),
        ("so `print` it", "markdown"),
        ("one | two", "markdown"),
        ("Ada: I think so", "a speaker label"),
        ("Speaker 2: I think so", "a speaker label"),
        ("see https://example.org for more", "a URL or address"),
        ("mail me at ada@example.org", "a URL or address"),
        ("it's on example.com", "a URL or address"),
        ("<speak>hello</speak>", "a markup tag"),
        ('so <break time="3s"/> anyway', "a markup tag"),
        ("salt &amp; pepper", "a markup tag"),
        ("that's funny \U0001f600", "an emoji or symbol"),
        ("love it \u2665", "an emoji or symbol"),
        ("one \u2192 two", "an emoji or symbol"),
        ("\u4f60\u597d everyone", "another script"),
        ("\u041f\u0440\u0438\u0432\u0435\u0442", "another script"),
        ("\u0645\u0631\u062d\u0628\u0627 friend", "another script"),
        ("\u0430pple with a Cyrillic letter", "another script"),
        ("read \u202eback\u202c wards", "a control or invisible character"),
        ("zero\u200bwidth", "a control or invisible character"),
        ("two\nlines", "a control or invisible character"),
        ("bell\x07", "a control or invisible character"),
        ("soft\u00adhyphen", "a control or invisible character"),
        ("half \ud800 pair", "a control or invisible character"),
        ("open ../../etc/passwd", "a path or slash"),
        ("C:\\temp", "a path or slash"),
        ("...", "no word at all"),
        ("", "no word at all"),
        ("  ?!", "no word at all"),
    ],
)
def test_what_a_voice_cannot_say_is_named(said: str, kind: str) -> None:
    assert kind in dict(unspeakable(said))


@pytest.mark.parametrize(
    "said",
    [
        "It's ten past three, I think; no, a quarter past!",
        "Caf\u00e9, na\u00efve, Ren\u00e9e and S\u00f8ren \u2014 all of them\u2026",
        "That's 3.50, or 20% off, or $5 & a \u00a32 coin.",
        "Half is 1/2 and it's 12:30 o'clock.",
        "\u201cQuite,\u201d she said, \u2018quite\u2019.",
        "Wait, what\u2013",
        "Two things: salt and pepper.",
    ],
)
def test_what_a_voice_can_say_passes(said: str) -> None:
    assert list(unspeakable(said)) == []


def test_landing_words_name_one_place() -> None:
    said = "I think it's late, I think it's late, and I think it's far."
    for index in range(2, 13):
        assert landing_index(said, landing_phrase(said, index)) in (index, index - 4)
    assert landing_index(said, "late and I") == 9
    assert landing_index(said, "nowhere") is None
    assert landing_index(said, "...") is None
    assert inside_clause(said, 1)
    assert not inside_clause(said, 3)
    assert not inside_clause(said, 12)
