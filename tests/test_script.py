"""Stage 1 as a whole: whatever a model replies, a valid script or a typed error."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from script_support import Answer, Behaviour, FakeEndpoint, ask_whole, chat, make_spec, reply_of

from pipeline.errors import EndpointError, InputError, PipelineError, ScriptError
from pipeline.llm.exchange import dump_exchanges
from pipeline.records import TYPES
from pipeline.script import write_script
from pipeline.writers.base import InvalidScriptError
from pipeline.writers.reply import reply_schema
from pipeline.writers.rules import violations
from pipeline.writers.settings import ScriptSettings, WholeSettings

SPEC = make_spec(n=3, turns=7, claims=2, backchannels=2, laughs=1, words=90)
GOOD = reply_of(SPEC)
WHOLE = ScriptSettings(writer="whole")
ONE_TRY = ScriptSettings(writer="whole", fresh_tries=0, whole=WholeSettings(act_rounds=0))
MOST_REPLIES = (1 + WHOLE.fresh_tries) * (WHOLE.whole.attempts + WHOLE.whole.act_rounds)
"""Replies that a conversation may be asked for at the default settings."""


def good() -> dict[str, Any]:
    """A fresh valid reply."""
    return json.loads(json.dumps(GOOD))


def changed(change: Callable[[list[dict[str, Any]]], Any]) -> str:
    """The valid reply after a change to its acts."""
    reply = good()
    change(reply["acts"])
    return json.dumps(reply)


def kind(acts: list[dict[str, Any]], act: str, place: int = 0) -> dict[str, Any]:
    return [one for one in acts if one["act"] == act][place]


def of_turn(acts: list[dict[str, Any]], ident: str) -> str:
    """Who has the turn of that id."""
    return next(str(act["speaker"]) for act in acts if act["id"] == ident)


MENDED = {
    "plain": json.dumps(GOOD),
    "pretty": json.dumps(GOOD, indent=4),
    "code fence": f"```json\n{json.dumps(GOOD)}\n```",
    "nested code fences": f"````\n```json\n{json.dumps(GOOD)}\n```\n````",
    "prose before": f"Sure! Here is the script you asked for:\n\n{json.dumps(GOOD)}",
    "prose around": f"Here you go:\n```\n{json.dumps(GOOD)}\n```\nHope that helps!",
    "bare list": json.dumps(GOOD["acts"]),
    "one level down": json.dumps({"script": GOOD}),
    "last brackets missing": json.dumps(GOOD)[:-2],
    "trailing comma": json.dumps(GOOD)[:-2] + ",]}",
    "single quotes": repr(GOOD).replace("None", "null"),
    "names for ids": json.dumps(GOOD).replace('"s1"', '"Ada"').replace('"s2"', '"BEN"'),
    "fields of its own": changed(lambda acts: acts[0].update(time=3.2, emotion="happy", outcome="won")),
    "a claim to be the user": changed(lambda acts: acts[0].update(author="user")),
    "spaces and newlines in a text": changed(lambda acts: acts[0].update(text="\n " + acts[0]["text"] + "  \n")),
    "byte order mark": "\ufeff" + json.dumps(GOOD),
}

REFUSED: dict[str, tuple[str, str]] = {
    "refusal": ("I'm sorry, but I can't help with that.", "reply: reply_shape: found \"I'm sorry"),
    "empty": ("", "reply: reply_shape: found ''"),
    "blank": ("  \n ", "reply_shape"),
    "null": ("null", "reply_shape"),
    "a number": ("42", "reply_shape"),
    "a string": ('"acts"', "reply_shape"),
    "true": ("true", "reply_shape"),
    "an empty object": ("{}", "reply_shape"),
    "an empty list": ("[]", "reply_shape"),
    "acts empty": ('{"acts": []}', "reply_shape"),
    "acts a string": ('{"acts": "t1: hello"}', "reply_shape"),
    "acts of strings": ('{"acts": ["hello", "you"]}', "reply_shape"),
    "other keys": ('{"title": "x", "lines": []}', "reply_shape"),
    "a schema in place of a script": (json.dumps(reply_schema(SPEC)), "reply_shape"),
    "markdown": ("**Ada:** Hello there\n\n**Ben:** Hi", "reply_shape"),
    "wrong language": ("\u0412\u043e\u0442 \u0441\u0446\u0435\u043d\u0430\u0440\u0438\u0439", "reply_shape"),
    "html": ("<html><body>Too many requests</body></html>", "reply_shape"),
    "deep nesting": ("[" * 5000, "reply_shape"),
    "one act": (json.dumps({"acts": GOOD["acts"][:1]}), "everyone_heard: found no turn of"),
    "first half": (json.dumps(GOOD)[: len(json.dumps(GOOD)) // 3], "acts"),
    "narration": (
        changed(lambda a: a[0].update(act="narration")),
        "acts.0.act (act t001): allowed_acts: found 'narration'",
    ),
    "no act": (changed(lambda a: a[0].pop("act")), "allowed_acts: found None"),
    "act a list": (changed(lambda a: a[0].update(act=["turn"])), "allowed_acts"),
    "no text": (changed(lambda a: a[0].pop("text")), "acts.0.text (act t001): act_fields: found Field required"),
    "text a number": (
        changed(lambda a: a[0].update(text=7)),
        "acts.0.text (act t001): act_fields: found Input should be",
    ),
    "text empty": (changed(lambda a: a[0].update(text="")), "String should have at least 1 character"),
    "text overlong": (changed(lambda a: a[0].update(text="very " * 500)), "at most 2000 characters"),
    "no speaker": (
        changed(lambda a: a[0].pop("speaker")),
        "acts.0.speaker (act t001): act_fields: found Field required",
    ),
    "invented speaker": (
        changed(lambda a: a[0].update(speaker="Zoe")),
        "known_speakers: found 'Zoe'; allowed: one of s1",
    ),
    "merged speakers": (changed(lambda a: a[0].update(speaker="Ada and Ben")), "act_fields"),
    "everybody speaks": (changed(lambda a: a[0].update(speaker="all")), "known_speakers: found 'all'"),
    "speaker null": (changed(lambda a: a[0].update(speaker=None)), "act_fields"),
    "id missing": (changed(lambda a: a[0].pop("id")), "acts.0.id: act_fields: found Field required"),
    "id a path": (changed(lambda a: a[0].update(id="../../x")), "act_fields: found String should match pattern"),
    "duplicate ids": (changed(lambda a: [one.update(id="t001") for one in a]), "unique_ids: found 't001' again"),
    "follows unknown": (changed(lambda a: a[0].update(follows="immediately")), "act_fields"),
    "kind unknown": (changed(lambda a: kind(a, "vocalisation").update(kind="cough")), "act_fields"),
    "landing not there": (changed(lambda a: kind(a, "claim").update(landing="zebra crossing")), "landing_words_occur"),
    "landing empty": (changed(lambda a: kind(a, "claim").update(landing="")), "act_fields"),
    "landing a number": (changed(lambda a: kind(a, "claim").update(landing=3)), "act_fields"),
    "during unknown": (changed(lambda a: kind(a, "claim").update(during="t099")), "during_earlier_turn"),
    "during a later turn": (changed(lambda a: kind(a, "claim").update(during="t007")), "during_earlier_turn"),
    "during itself": (changed(lambda a: kind(a, "claim").update(during="c001")), "during_earlier_turn"),
    "claims first": (changed(lambda a: a.insert(0, a.pop(a.index(kind(a, "claim"))))), "first_act_is_turn"),
    "own turn": (
        changed(lambda a: [x.update(speaker=of_turn(a, x["during"])) for x in a if x["act"] != "turn"]),
        "in their own turn",
    ),
    "monologue": (changed(lambda a: [x.update(speaker="s1") for x in a if x["act"] == "turn"]), "no_turn_after_own"),
    "long backchannel": (
        changed(lambda a: kind(a, "vocalisation").update(kind="backchannel", text="that is a really good point")),
        "backchannel_is_short: found 6 words",
    ),
    "read-aloud laughter": (
        changed(lambda a: [x.update(text="Haha") for x in a if x.get("kind") == "laughter"]),
        "laughter_is_marked: found 'Haha'",
    ),
    "stage direction": (changed(lambda a: a[0].update(text=a[0]["text"] + " (sighs)")), "only_speech: found a stage"),
    "speaker label": (
        changed(lambda a: a[0].update(text="Ada: " + a[0]["text"])),
        "only_speech: found a speaker label",
    ),
    "emoji": (changed(lambda a: a[0].update(text=a[0]["text"] + " \U0001f602")), "only_speech: found an emoji"),
    "another script": (
        changed(lambda a: a[0].update(text=a[0]["text"] + " \u3053\u3093")),
        "only_speech: found another",
    ),
    "ssml": (changed(lambda a: a[0].update(text="<speak>" + a[0]["text"] + "</speak>")), "only_speech: found a markup"),
    "bidi": (changed(lambda a: a[0].update(text=a[0]["text"] + "\u202e")), "only_speech: found a control"),
    "url": (changed(lambda a: a[0].update(text=a[0]["text"] + " See www.example.org")), "only_speech: found a URL"),
    "as an AI": (changed(lambda a: a[0].update(text="As an AI, I have no opinion on this.")), "no_assistant_talk"),
    "one line again": (
        changed(lambda a: kind(a, "turn", 2).update(text=kind(a, "turn", 0)["text"])),
        "no_line_repeated: found the words of act t001 again",
    ),
    "no claims": (
        changed(lambda a: [a.remove(x) for x in list(a) if x["act"] == "claim"]),
        "amounts_near_request: found 0 claims",
    ),
    "too many words": (
        changed(lambda a: kind(a, "turn", 3).update(text=kind(a, "turn", 3)["text"] + " and so on" * 30)),
        "words_near_target",
    ),
    "two words a turn": (
        changed(lambda a: [x.update(text=f"Well {i}.") for i, x in enumerate(a) if x["act"] == "turn"]),
        "words_near",
    ),
}


@pytest.mark.parametrize("reply", MENDED.values(), ids=MENDED.keys())
def test_a_reply_in_odd_clothes_is_taken(reply: str) -> None:
    with FakeEndpoint(Answer(chat(reply))) as fake:
        script, exchanges = ask_whole(fake, SPEC)
    assert violations(script, SPEC, WHOLE) == []
    assert {act.author for act in script.acts} == {"model"}
    assert script.report.first_time_valid
    assert len(exchanges) == 1


@pytest.mark.parametrize(("reply", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_malformed_reply_is_refused_with_its_fault(reply: str, said: str) -> None:
    with FakeEndpoint(Answer(chat(reply))) as fake, pytest.raises(InvalidScriptError) as error:
        ask_whole(fake, SPEC, ONE_TRY)
    assert error.value.violations
    assert said in "\n".join(map(str, error.value.violations))
    assert "the same invalid reply twice" in str(error.value)
    assert len(fake.requests) == 2
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("reply", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_malformed_reply_is_mended_by_telling_its_fault(reply: str, said: str) -> None:
    with FakeEndpoint(Answer(chat(reply)), Answer(chat(json.dumps(GOOD)))) as fake:
        script, exchanges = ask_whole(fake, SPEC)
    assert violations(script, SPEC, WHOLE) == []
    assert (script.report.first_time_valid, script.report.attempts, script.report.repairs) == (False, 2, 1)
    first, second = (request["messages"] for request in fake.requests)
    assert second[: len(first)] == first
    assert second[len(first)] == {"role": "assistant", "content": reply}
    assert said.partition(": found ")[0].rpartition(": ")[2] in second[-1]["content"]
    assert len(exchanges) == 2


def test_at_least_sixty_kinds_of_malformed_replies_are_known() -> None:
    assert len(REFUSED) + len(MENDED) >= 60


def test_the_repair_message_holds_the_last_reply_and_eight_faults_only() -> None:
    worse = changed(lambda a: [x.update(speaker="bob") for x in a])
    with FakeEndpoint(Answer(chat("nonsense")), Answer(chat(worse)), Answer(chat(json.dumps(GOOD)))) as fake:
        script, _ = ask_whole(fake, SPEC)
    assert script.report.attempts == 3
    last = fake.requests[-1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[2]["content"] == worse
    assert last[3]["content"].count("\n- ") == 8
    assert "further faults" in last[3]["content"]
    assert len({request["seed"] for request in fake.requests}) == 3


def test_the_loop_ends_at_its_limit_with_the_last_faults() -> None:
    replies = [Answer(chat(f"nonsense {number}")) for number in range(9)]
    with FakeEndpoint(*replies) as fake, pytest.raises(ScriptError, match=r"in 4 attempts.*'nonsense 3'"):
        ask_whole(fake, SPEC, ONE_TRY)
    assert len(fake.requests) == 4


def test_a_cut_reply_is_given_more_room_once() -> None:
    half = json.dumps(GOOD)[:200]
    with FakeEndpoint(Answer(chat(half, "length")), Answer(chat(json.dumps(GOOD)))) as fake:
        script, _ = ask_whole(fake, SPEC)
    assert script.report.attempts == 2
    assert [request["max_tokens"] for request in fake.requests] == [6000, 12000]
    assert fake.requests[0]["messages"] == fake.requests[1]["messages"]
    with FakeEndpoint(Answer(chat(half, "length"))) as fake, pytest.raises(ScriptError, match="even with more room"):
        ask_whole(fake, SPEC, ONE_TRY)
    assert len(fake.requests) == 2


def test_bad_acts_are_asked_for_alone_when_whole_replies_stay_bad() -> None:
    """The acts at fault are asked for, the rest of the last reply is kept."""
    bad = changed(lambda acts: [acts[0].update(text=7), kind(acts, "claim").update(landing="zebra crossing")])
    # The claim's landing is a rule on the script: it is looked at once every act can be read.
    opening, claim = (json.dumps({"acts": [act]}) for act in (GOOD["acts"][0], kind(GOOD["acts"], "claim")))
    with FakeEndpoint(*(Answer(chat(reply)) for reply in (bad, bad, opening, claim))) as fake:
        script, exchanges = ask_whole(fake, SPEC)
    assert violations(script, SPEC, WHOLE) == []
    assert [exchange.purpose for exchange in exchanges] == [
        "script attempt 1",
        "script attempt 2",
        "acts round 1",
        "acts round 2",
    ]
    last = fake.requests[3]["messages"]
    assert json.loads(last[2]["content"])["acts"][0] == GOOD["acts"][0]
    assert "Write these 1 acts again" in last[3]["content"]
    assert "zebra crossing" in last[3]["content"]
    assert (script.report.attempts, script.report.repairs, script.report.fresh_tries) == (4, 3, 0)


def test_bad_acts_are_taken_by_their_ids_where_more_come_back() -> None:
    bad = changed(lambda acts: acts[0].update(text=7))
    with FakeEndpoint(Answer(chat(bad)), Answer(chat(bad)), Answer(chat(json.dumps(GOOD)))) as fake:
        script, _ = ask_whole(fake, SPEC)
    assert violations(script, SPEC, WHOLE) == []
    assert len(fake.requests) == 3


def test_a_script_wrong_as_a_whole_is_begun_anew_with_another_seed() -> None:
    """Amounts lie in no single act, so the acts are not asked for alone."""
    few = changed(lambda acts: [acts.remove(act) for act in list(acts) if act["act"] == "claim"])
    with FakeEndpoint(Answer(chat(few)), Answer(chat(few)), Answer(chat(json.dumps(GOOD)))) as fake:
        script, exchanges = ask_whole(fake, SPEC)
    assert exchanges[-1].purpose == "fresh 1 script attempt 1"
    assert fake.requests[2]["messages"] == fake.requests[0]["messages"]
    assert len({request["seed"] for request in fake.requests}) == 3
    assert (script.report.first_time_valid, script.report.fresh_tries) == (False, 1)


def test_fresh_tries_end_with_the_last_violations() -> None:
    with FakeEndpoint(Answer(chat("no"))) as fake, pytest.raises(InvalidScriptError, match="same invalid reply twice"):
        ask_whole(fake, SPEC)
    assert len(fake.requests) == 4


def test_an_endpoint_that_fails_midway_is_told_as_that() -> None:
    with FakeEndpoint(Answer(chat("nonsense")), Answer("gone", 500)) as fake, pytest.raises(EndpointError, match="500"):
        ask_whole(fake, SPEC, structured="text")


replies = st.one_of(
    st.text(max_size=200),
    st.sampled_from([*MENDED.values(), *(reply for reply, _ in REFUSED.values())]),
    st.builds(
        lambda reply, cuts: "".join(part for i, part in enumerate(reply.split('"')) if i not in cuts),
        st.just(json.dumps(GOOD)),
        st.sets(st.integers(0, 80), max_size=5),
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["acts", "act", "id", "text", "x"]), inner)
        ),
        max_leaves=12,
    ).map(json.dumps),
)
answers: st.SearchStrategy[Behaviour] = st.one_of(
    st.builds(lambda text, finish: Answer(chat(text, finish)), replies, st.sampled_from(["stop", "length", "odd"])),
    st.builds(Answer, body=st.binary(max_size=100), status=st.sampled_from([200, 201, 204, 400, 404, 429, 500, 503])),
    st.builds(Answer, body=replies),
    st.just(Answer(hang_up=True)),
    st.just(Answer(chat("x"), stated_length=5000)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(answers, min_size=1, max_size=6))
def test_whatever_the_server_returns_there_is_a_valid_script_or_a_typed_error(given_answers: list[Behaviour]) -> None:
    start = time.monotonic()
    with FakeEndpoint(*given_answers) as fake:
        try:
            script, exchanges = ask_whole(fake, SPEC, retries=2, timeout_s=2)
        except PipelineError as error:
            told = str(error)
            assert "\n" not in told
        else:
            assert violations(script, SPEC, WHOLE) == []
            assert len(exchanges) <= MOST_REPLIES
    assert len(fake.requests) <= MOST_REPLIES * 3 * 3
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("type", TYPES)
def test_template_scripts_are_valid_at_any_amounts(type: Any) -> None:
    @settings(max_examples=25, deadline=None)
    @given(
        n=st.integers(2, 5),
        turns=st.integers(0, 60),
        claims=st.integers(0, 40),
        backchannels=st.integers(0, 40),
        laughs=st.integers(0, 9),
        rate=st.integers(5, 40),
        seed=st.integers(0, 2**32),
    )
    def check(n: int, turns: int, claims: int, backchannels: int, laughs: int, rate: int, seed: int) -> None:
        turns += n
        spec = make_spec(
            type, n, turns=turns, claims=claims, backchannels=backchannels, laughs=laughs, words=rate * turns, seed=seed
        )
        script, exchanges = write_script(spec, ScriptSettings(writer="template"))
        assert exchanges == ()
        assert len(script.turns) == turns
        assert script == write_script(spec, ScriptSettings(writer="template"))[0]

    check()


def test_a_template_script_is_made_at_once() -> None:
    spec = make_spec(n=5, turns=300, claims=80, backchannels=200, laughs=20, words=5000)
    start = time.monotonic()
    write_script(spec, ScriptSettings(writer="template"))
    assert time.monotonic() - start < 2


def test_a_script_depends_on_its_own_spec_alone() -> None:
    one, other = make_spec(index=1), make_spec(index=2)
    alone = write_script(one, ScriptSettings(writer="template"))
    assert write_script(other, ScriptSettings(writer="template")) != alone
    assert write_script(one, ScriptSettings(writer="template")) == alone


def test_too_few_turns_for_the_speakers_are_refused_before_anything_is_asked() -> None:
    with pytest.raises(InputError, match="3 floor turns cannot hear 5 speakers"):
        write_script(make_spec(n=5, turns=3), ScriptSettings(writer="template"))


def test_a_writer_that_needs_a_model_says_so() -> None:
    for writer in ("lines", "whole"):
        with pytest.raises(ScriptError, match=f"writer '{writer}' needs a language model"):
            write_script(SPEC, ScriptSettings(writer=writer))


def test_a_recording_gives_the_same_script(tmp_path: Path) -> None:
    with FakeEndpoint(Answer(chat("nonsense")), Answer(chat(json.dumps(GOOD)))) as fake:
        script, exchanges = ask_whole(fake, SPEC)
    path = tmp_path / "exchange.jsonl"
    path.write_text(dump_exchanges(exchanges), encoding="utf-8")
    again, replayed = write_script(SPEC, ScriptSettings(writer="replay", path=path))
    assert again == script
    assert replayed == exchanges


def test_a_recording_of_something_else_is_refused(tmp_path: Path) -> None:
    with FakeEndpoint(Answer(chat("nonsense")), Answer(chat(json.dumps(GOOD)))) as fake:
        _, exchanges = ask_whole(fake, SPEC)
    corpus = tmp_path / "conversations" / SPEC.id
    corpus.mkdir(parents=True)
    path = corpus / "exchange.jsonl"
    replay = ScriptSettings(writer="replay", path=tmp_path)
    path.write_text(dump_exchanges(exchanges), encoding="utf-8")
    with pytest.raises(ScriptError, match="exchange 0 answers another question"):
        write_script(SPEC.model_copy(update={"title": "other"}), replay)
    path.write_text(dump_exchanges(exchanges[:1]), encoding="utf-8")
    with pytest.raises(ScriptError, match="ends after 1 exchanges"):
        write_script(SPEC, replay)
    path.write_text("{broken", encoding="utf-8")
    with pytest.raises(InputError, match=r"exchange.jsonl:1: not a valid Exchange"):
        write_script(SPEC, replay)
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="holds no exchange of conversation"):
        write_script(SPEC, replay)
    path.unlink()
    with pytest.raises(InputError, match=r"no exchange.jsonl of conversation"):
        write_script(SPEC, replay)
    with pytest.raises(InputError, match=r"script=replay needs script.path"):
        write_script(SPEC, ScriptSettings(writer="replay"))


def test_stage_one_loads_no_configuration_framework() -> None:
    code = (
        "import sys, pipeline.script; sys.exit(bool({'hydra', 'omegaconf', 'torch', 'xllamacpp'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
