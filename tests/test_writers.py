"""The writers: the bank and the skeleton, the lines that a model voices, the user's own files."""

import doctest
import json
import re
from collections import Counter
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from script_support import Answer, FakeEndpoint, completion, make_spec

import pipeline
from pipeline.compose import composed, settings_from
from pipeline.errors import EndpointError, InputError, PipelineError
from pipeline.llm.client import Client
from pipeline.llm.exchange import Exchange, dump_exchanges
from pipeline.llm.opening import open_client
from pipeline.llm.recording import open_session
from pipeline.llm.settings import LlmSettings
from pipeline.records import TYPES, ClaimAct, ConversationSpec, Script, TurnAct, VocalisationAct
from pipeline.records.script import LAUGHTER
from pipeline.run import planned
from pipeline.script import write_script
from pipeline.seeds import generator
from pipeline.writers.candidates import Heard, Wanted, judged
from pipeline.writers.landing import inside_clause, landing_index
from pipeline.writers.lengths import turn_lengths
from pipeline.writers.prompting import CASTS, few_shot, few_shot_cast
from pipeline.writers.reactions import load_reactions
from pipeline.writers.reply import KINDS, reply_schema
from pipeline.writers.rules import line_faults, violations
from pipeline.writers.settings import LinesSettings, ScriptSettings
from pipeline.writers.shapes import SHAPES
from pipeline.writers.skeleton import plan_turns
from pipeline.writers.speaking import main_speaker
from pipeline.writers.topics import Topic, load_bank, read_topics
from pipeline.writers.vocalising import load_lexicon
from pipeline.writers.words import bare_words, words

ROOT = Path(pipeline.__file__).parent
BANK = load_bank()
KEYS = BANK.keys()

# ---------------------------------------------------------------- the bank


def test_every_domain_has_a_topic_of_every_type() -> None:
    assert len(KEYS) == 2 * len(BANK.domains) * len(TYPES)
    for domain in BANK.domains:
        assert {BANK.topic(key).type for key in BANK.keys(domain=domain)} == set(TYPES)
    for type in TYPES:
        domains = Counter(BANK.topic(key).domain for key in BANK.keys(type=type))
        assert domains == dict.fromkeys(BANK.domains, 2)


def test_every_topic_of_the_bank_is_complete() -> None:
    for key in KEYS:
        topic = BANK.topic(key)
        assert (topic.relation, len(topic.cut_ins)) == (topic.relation or "some", 3), key
        assert len(topic.asides) >= 4, key
        assert 27 <= len(topic.moves) <= 31, key
        assert sum(move.cut_in is not None for move in topic.moves) >= 8, key


def test_nothing_in_the_bank_is_said_twice() -> None:
    topics = [BANK.topic(key) for key in KEYS]
    points = [point.say for topic in topics for point in (*topic.moves, *topic.asides)]
    blurted = [move.cut_in.say for topic in topics for move in topic.moves if move.cut_in]
    said = Counter(
        bare_words(text) for text in (*points, *blurted, *(say for topic in topics for say in topic.cut_ins))
    )
    assert [text for text, times in said.items() if times > 1 and len(text) > 3] == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_authored_point_is_used_twice_in_a_corpus_of_240(seed: int) -> None:
    """In both splits together, in the order and numbers of the published design."""
    used: Counter[str] = Counter()
    for spec in planned(settings_from(composed(["n=240", "type=all", "split=both", f"seed={seed}"]))):
        turns = plan_turns(spec, BANK.topic(spec.topic), generator(spec.corpus_seed, spec.id, "script", "lines"))
        used.update({point.say for turn in turns for point in turn.points})
    assert {say: times for say, times in used.items() if times > 1} == {}


def test_a_topic_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=r"topic 'nowhere/casual' is not in the topic bank.*script=whole"):
        BANK.topic("nowhere/casual")


@pytest.mark.parametrize("key", KEYS)
def test_every_point_of_the_bank_can_be_said(key: str) -> None:
    topic = BANK.topic(key)
    for move in topic.moves:
        assert line_faults(move.say) == []
        assert move.cut_in is None or line_faults(move.cut_in.say) == []
    assert [line_faults(aside.say) for aside in topic.asides] == [[]] * len(topic.asides)
    assert [line_faults(say) for say in topic.cut_ins] == [[]] * len(topic.cut_ins)


TOPIC = {
    "type": "casual",
    "title": "t",
    "setting": "s",
    "roles": {"first": "a", "second": "b", "third": "c"},
    "exchanges": [[{"by": "first", "does": "opens", "say": "x"}], [{"by": "second", "does": "closes", "say": "y"}]],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "sermon"}, "topics.0: type: Input should be"),
        ({"roles": {"pro": "a", "con": "b", "open": "c"}}, "must be ['first', 'second', 'third']"),
        ({"exchanges": [[{"by": "nobody", "does": "opens", "say": "x"}]] * 2}, "unknown role 'nobody' in move 'x'"),
        ({"exchanges": [[{"by": "first", "does": "sings", "say": "x"}]] * 2}, "topics.0: exchanges.0.0.does"),
        ({"exchanges": [[{"by": "first", "does": "opens", "say": ""}]] * 2}, "topics.0: exchanges.0.0.say"),
        ({"exchanges": []}, "topics.0: exchanges"),
        ({"title": None}, "topics.0: title"),
        ({"colour": "red"}, "topics.0: colour: Extra inputs are not permitted"),
        (
            {"exchanges": [[{"by": "first", "does": "opens", "say": "x", "cut_in": {"by": "first", "say": "y"}}]] * 2},
            "role 'first' cuts into its own move 'x'",
        ),
    ],
)
def test_a_fault_in_a_topic_file_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "book_club.yaml"
    path.write_text(yaml.safe_dump({"domain": "book club", "topics": [{**TOPIC, **change}]}))
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "- a\n- b", "domain: x", "domain: x\ntopics: 3", "{", "\x00", "!!python/object:os.x"]
)
def test_what_is_no_topic_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(str(path))):
        read_topics(path)


# ---------------------------------------------------------------- the skeleton


def sized(type: Any, n: int, seconds: float, index: int, key: str) -> ConversationSpec:
    """A spec with about the amounts that the paper's formula gives for a length."""
    turns = max(2 * n, round(seconds / 7))
    return make_spec(
        type, n, turns=turns, claims=round(seconds / 25), backchannels=round(seconds / 18), laughs=1,
        words=round(seconds * 3.4), index=index, topic=key,
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KEYS), st.integers(2, 5), st.sampled_from([20, 45, 70, 100, 140]), st.integers(0, 50))
def test_the_skeleton_keeps_the_rules_for_every_topic(key: str, n: int, seconds: int, index: int) -> None:
    topic = BANK.topic(key)
    spec = sized(topic.type, n, seconds, index, key)
    turns = plan_turns(spec, topic, np.random.default_rng(index))
    asked = spec.amounts
    assert all(one.speaker != two.speaker for one, two in pairwise(turns))
    assert {turn.speaker for turn in turns} == {speaker.id for speaker in spec.speakers}
    assert abs(len(turns) - asked.floor_turns) <= max(1, round(asked.floor_turns * 0.25))
    assert sum(len(turn.claims) for turn in turns) == asked.floor_claims
    assert all(claim.speaker != turn.speaker for turn in turns for claim in turn.claims)
    assert all(len({point.speaker for point in turn.points}) == 1 for turn in turns)
    said = [point.say for turn in turns for point in turn.points]
    assert len(set(said)) == len(said)
    planned = sum(point.words for turn in turns for point in turn.points)
    assert 0.7 * asked.words <= planned <= 1.1 * asked.words
    main = main_speaker(spec)
    if main and seconds >= 100:
        shares = {s.id: sum(p.words for t in turns for p in t.points if t.speaker == s.id) for s in spec.speakers}
        assert shares[main] > 0.4 * sum(shares.values())


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KEYS), st.integers(2, 5), st.integers(0, 50))
def test_points_are_made_by_their_role_and_in_order(key: str, n: int, index: int) -> None:
    topic = BANK.topic(key)
    spec = sized(topic.type, n, 100, index, key)
    turns = plan_turns(spec, topic, np.random.default_rng(index))
    by = {move.say: move.by for move in topic.moves}
    roles = {speaker.stance for speaker in spec.speakers}
    stance = {speaker.id: speaker.stance for speaker in spec.speakers}
    points = [point for turn in turns for point in turn.points if point.say in by]
    kept = sum(stance[point.speaker] == by[point.say] for point in points if by[point.say] in roles)
    # The one who would not be heard at all takes a point of another role.
    assert kept >= sum(by[point.say] in roles for point in points) - n
    assert points[0].say == topic.moves[0].say
    assert points[-1].say == topic.moves[-1].say


def test_a_conversation_too_short_for_its_exchanges_opens_and_closes() -> None:
    topic = BANK.topic(KEYS[0])
    turns = plan_turns(make_spec(topic.type, 2, turns=4, words=60, topic=topic.key), topic, np.random.default_rng(1))
    assert [turn.points[0].say for turn in (turns[0], turns[-1])] == [topic.moves[0].say, topic.moves[-1].say]
    assert len(turns) <= 5


def test_speakers_without_a_part_of_the_topic_get_one() -> None:
    topic = BANK.topic(BANK.keys(type="narrative")[0])
    spec = make_spec("narrative", 4, turns=12, words=300, topic=topic.key)
    spec = spec.model_copy(update={"speakers": tuple(s.model_copy(update={"stance": "x"}) for s in spec.speakers)})
    turns = plan_turns(spec, topic, np.random.default_rng(1))
    assert {turn.speaker for turn in turns} == {"s1", "s2", "s3", "s4"}
    assert turns[0].speaker == {"teller": "s1", "listener": "s2", "other": "s3"}[topic.moves[0].by]


def test_turn_lengths_vary_as_measured() -> None:
    lengths = sorted(x for seed in range(60) for x in turn_lengths(17, 17 * 20, np.random.default_rng(seed)))
    seconds = np.percentile(lengths, [10, 50, 90]) / 3.4
    # Table 21, floor-holding segment: p10, p50, p90.
    assert seconds == pytest.approx([2.19, 5.18, 10.65], rel=0.12)


@given(st.integers(1, 80), st.integers(1, 60), st.integers(0, 99))
def test_turn_lengths_add_up(n: int, rate: int, seed: int) -> None:
    lengths = turn_lengths(n, max(4, rate) * n, np.random.default_rng(seed))
    assert len(lengths) == n
    assert abs(sum(lengths) - max(4, rate) * n) <= 1


# ---------------------------------------------------------------- claims and vocalisations


@pytest.mark.parametrize("type", TYPES)
def test_claims_land_where_the_type_has_them_and_leave_room(type: Any) -> None:
    inside = total = room = 0
    for index in range(20):
        spec = make_spec(type, 3, turns=12, claims=5, words=300, index=index)
        script, _ = write_script(spec, ScriptSettings(writer="template"))
        by_id = {turn.id: turn for turn in script.turns}
        for act in script.acts:
            if isinstance(act, ClaimAct):
                text = by_id[act.during].text
                place = landing_index(text, act.landing)
                assert place is not None
                total += 1
                inside += inside_clause(text, place)
                room += len(words(text)) - 1 - place >= 4
    if SHAPES[type].unfinished_claims:
        assert inside / total > 0.97
    assert room / total > 0.8


def test_vocalisations_are_counted_spread_and_never_collide() -> None:
    for type in TYPES:
        spec = make_spec(type, 4, turns=14, claims=3, backchannels=9, laughs=2, words=330)
        script, _ = write_script(spec, ScriptSettings(writer="template"))
        sounds = [act for act in script.acts if isinstance(act, VocalisationAct)]
        assert sum(act.kind == "laughter" for act in sounds) == 2
        assert all((act.text == LAUGHTER) == (act.kind == "laughter") for act in sounds)
        assert len({act.during for act in sounds}) >= 5
        assert len({(act.during, act.landing, act.speaker) for act in sounds}) == len(sounds)


def test_the_lexicon_is_rich_short_and_sayable() -> None:
    lexicon = load_lexicon()
    said = [sound.say for sound in lexicon.sounds]
    assert len(set(said)) == len(said) >= 30
    assert all(len(words(say)) <= 3 and line_faults(say) == [] for say in said)
    assert set(lexicon.types) == set(TYPES)


def test_a_sound_suits_what_was_heard() -> None:
    lexicon, rng = load_lexicon(), np.random.default_rng(1)
    moods = {sound.say: sound.mood for sound in lexicon.sounds}

    def share(heard: str) -> float:
        drawn = [moods[lexicon.draw("narrative", heard.split(), set(), rng)] for _ in range(400)]
        return drawn.count("sympathy") / 400

    assert share("and then my dog was sick") > 2 * share("and we sat down")


def test_generic_points_and_cut_ins_can_be_said() -> None:
    reactions = load_reactions()
    for type in TYPES:
        assert len({reaction.say for reaction in reactions.reactions[type]}) >= 14
        assert all(line_faults(reaction.say) == [] for reaction in reactions.reactions[type])
        assert all(line_faults(say) == [] for say in reactions.cut_ins[type])


# ---------------------------------------------------------------- lines

NOTE = re.compile(r"\[(\w+) ([^\]:]+?)(?:: ([^\]]+))?\]\n\w+:[^\n]*$")


def parrot(body: dict[str, Any]) -> Answer:
    """A model that says the note's point in its own order."""
    match = NOTE.search(body["prompt"])
    assert match, body["prompt"][-200:]
    say = match.group(3) or f"hold on {len(body['prompt'])} there"
    head, _, tail = say.partition(" ")
    if "briefly" in match.group(2):
        tail = " ".join(tail.split()[:6])
    return Answer(completion(f" Well, {tail}, {head}{'?' if 'asks' in match.group(2) else '.'}\n"))


def write_lines(fake: FakeEndpoint, spec: ConversationSpec, **changes: Any) -> tuple[Script, tuple[Exchange, ...]]:
    client = Client(fake.settings())
    wanted = ScriptSettings(lines=LinesSettings(**changes), word_tolerance=0.5)
    with open_session(client, spec.id) as session:
        return write_script(spec, wanted, session)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_lines_are_voiced_for_every_type_and_number(type: Any, n: int) -> None:
    spec = make_spec(type, n, turns=12, claims=3, backchannels=4, laughs=1, words=220)
    with FakeEndpoint(parrot) as fake:
        script, exchanges = write_lines(fake, spec)
    assert violations(script, spec, ScriptSettings(word_tolerance=0.5)) == []
    assert script.report.requests == len(exchanges) == len(fake.requests)
    assert script.report.authored <= len(script.turns) / 3
    assert sum(turn.author == "model" for turn in script.turns) >= len(script.turns) / 2
    assert {act.author for act in script.acts if isinstance(act, VocalisationAct)} == {"lexicon"}
    assert all(turn.addressee != turn.speaker for turn in script.turns)


def test_what_the_model_cannot_do_is_spoken_as_authored_and_counted() -> None:
    spec = make_spec("casual", 3, turns=10, claims=2, words=180)
    with FakeEndpoint(Answer(completion(" As an AI language model, I cannot (sighs) do that."))) as fake:
        script, _ = write_lines(fake, spec, candidates=1, repair_rounds=2)
    assert {turn.author for turn in script.turns} == {"authored"}
    assert script.report.authored >= len(script.turns)
    assert not script.report.first_time_valid
    assert script.report.repairs >= 2 * script.report.authored
    topic = BANK.topic(spec.topic)
    assert script.turns[0].text.casefold().startswith(topic.moves[0].say[:20].casefold())


def test_a_line_is_asked_for_again_with_what_was_wrong() -> None:
    spec = make_spec("casual", 3, turns=10, claims=0, words=260)

    def stubborn(body: dict[str, Any]) -> Answer:
        note = body["prompt"].rpartition("[")[2]
        if "in plain words" in note:
            return parrot({"prompt": body["prompt"].replace(", in plain words", "")})
        return Answer(completion(" Well <speak> never mind </speak>."))

    with FakeEndpoint(stubborn) as fake:
        script, exchanges = write_lines(fake, spec, candidates=2, repair_rounds=1)
    assert {turn.author for turn in script.turns} == {"model"}
    assert script.report.repairs == len([e for e in exchanges if "round 2 candidate 1" in e.purpose])


@pytest.mark.parametrize("kept", [0.0, 1.0])
def test_a_line_may_be_freed_of_the_opener_it_was_given(kept: float) -> None:
    """The transcript that the model continues keeps it either way, so that the same is asked."""
    spec = make_spec("casual", 3, turns=10, claims=0, words=260)
    openers = {opener for some in load_reactions().openers.values() for opener in some}

    def copier(body: dict[str, Any]) -> Answer:
        match = NOTE.search(body["prompt"])
        assert match
        say = (match.group(3) or "hold on a moment there").split()
        given = body["prompt"].rstrip().endswith(tuple(openers))
        return Answer(completion(f" {' '.join([say[-1], *say[1:-1], say[0]] if given else say)}.\n"))

    with FakeEndpoint(copier) as fake:
        script, exchanges = write_lines(fake, spec, openers_kept=kept)
    begun = [turn for turn in script.turns if any(turn.text.startswith(f"{opener} ") for opener in openers)]
    assert bool(begun) == bool(kept)
    assert any(exchange.prompt.rstrip().endswith(tuple(openers)) for exchange in exchanges)


def test_a_line_that_passes_at_once_costs_one_request() -> None:
    spec = make_spec("casual", 3, turns=10, claims=0, words=260)
    with FakeEndpoint(parrot) as fake:
        script, exchanges = write_lines(fake, spec, good_enough=-9.0)
    assert script.report.first_time_valid
    assert {exchange.purpose.partition(" round ")[2] for exchange in exchanges} == {"1 candidate 1"}


def test_lines_need_completions_and_say_so() -> None:
    with FakeEndpoint(Answer("", 404)) as fake, pytest.raises(EndpointError, match="script=lines needs /completions"):
        write_lines(fake, make_spec())


def test_a_topic_of_the_users_own_words_needs_the_whole_writer() -> None:
    with FakeEndpoint(parrot) as fake, pytest.raises(InputError, match="script=whole"):
        write_lines(fake, make_spec(topic="my own words"))


def test_lines_are_replayed(tmp_path: Path) -> None:
    spec = make_spec("narrative", 3, turns=10, claims=2, words=200)
    with FakeEndpoint(parrot) as fake:
        script, exchanges = write_lines(fake, spec)
    (tmp_path / f"{spec.id}.jsonl").write_text(dump_exchanges(exchanges), encoding="utf-8")
    again, _ = write_script(spec, ScriptSettings(writer="replay", path=tmp_path, word_tolerance=0.5))
    assert again == script


def test_the_few_shot_transcript_never_shares_a_name() -> None:
    spec = make_spec()
    named = spec.speakers[0].model_copy(update={"name": CASTS[0][1]})
    spec = spec.model_copy(update={"speakers": (named, *spec.speakers[1:])})
    assert few_shot_cast(spec) == CASTS[1]
    for type in TYPES:
        shown = few_shot(make_spec(type))
        assert shown.endswith("\n\n")
        assert shown.count("== Talk: ") in (2, 3)
        lines = [line for line in shown.splitlines() if re.match(r"[A-Z][a-z]+: ", line)]
        assert all(line_faults(line.partition(": ")[2]) == [] for line in lines)
        assert len(lines) == sum(line.startswith("[") for line in shown.splitlines())


WANTED = Wanted("my sister paid four hundred for one infected paw", 8, 24, banned_names=("Ada", "Hal"))


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ("My sister paid four hundred for that infected paw alone.", None),
        (" My sister's infected paw, four hundred, that was it, honestly! ", None),
        ("My sister paid four hundred for one infected paw.", "copied"),
        ("I'm not sure what to say about any of it now.", "off_point"),
        ("Paw.", "too_short"),
        ("You know your friend paid hundred for some infected paw there.", "wrong_person"),
        ("My sister (sighs) paid four hundred for an infected paw.", "only_speech"),
        ("As an AI, my sister paid four hundred for an infected paw.", "no_assistant_talk"),
        ("Ha ha ha ha, four hundred hundred hundred paw paw paw infected.", "echo"),
        ("My sister paid fourhundred for one infected paw, she did.", "glued"),
        ("My sister paid four hundred.It was an infected paw.", "glued"),
        ("My sister, says Hal, paid four hundred for that infected paw.", "wrong_name"),
        ("My sister paid hundreds, that infected paw, and we walked home together slowly.", "echo"),
    ],
)
def test_faults_of_a_voiced_line(raw: str, fault: str | None) -> None:
    heard = Heard()
    heard.add("After that we walked home together slowly.")
    found = judged(raw, WANTED, heard).faults
    assert (fault in found) if fault else found == ()


def test_a_voiced_line_is_tidied() -> None:
    heard = Heard()
    long = "Ada: \"my sister paid four hundred for that infected paw. 'It hurts,' she said. And the weather was fine"
    assert judged(long, WANTED, heard).text == "My sister paid four hundred for that infected paw."
    closer = judged("My sister paid four hundred for an infected paw, and then she", WANTED, heard)
    assert closer.text == "My sister paid four hundred for an infected paw."


def test_stops_suit_the_words() -> None:
    heard = Heard()
    asked = judged("My sister paid four hundred for an infected paw?", WANTED, heard).text
    assert asked.endswith("paw.")
    for question in (
        "So did my sister really pay four hundred for that infected paw?",
        "My sister paid four hundred for an infected paw, didn't she?",
        "She paid four hundred, and what was it for, an infected paw?",
    ):
        assert judged(question, WANTED, heard).text == question
    assert judged("And my sister paid?", WANTED, heard).text == "And my sister paid?"
    heard.add("Four hundred!")
    assert "!" not in judged("My sister paid four hundred for an infected paw!", WANTED, heard).text
    for line in ("Well, I never.", "So it goes.", "That was that."):
        heard.add(line)
    assert judged("My sister paid four hundred for an infected paw!", WANTED, heard).text.endswith("paw!")


def test_the_better_line_wins() -> None:
    heard = Heard()
    good = judged("My sister paid four hundred for that one paw, infected, and that was that.", WANTED, heard)
    stiff = judged("I completely agree that my sister paid four hundred for an infected paw.", WANTED, heard)
    vague = judged("My sister paid a lot, four hundred or so, I'm told, for something like that.", WANTED, heard)
    assert good.score > stiff.score
    assert good.score > vague.score


# ---------------------------------------------------------------- whole


def test_the_reply_schema_is_made_from_the_records() -> None:
    schema = reply_schema(make_spec(n=3))
    variants = schema["properties"]["acts"]["items"]["anyOf"]
    assert [variant["properties"]["act"]["enum"] for variant in variants] == [[kind] for kind in KINDS]
    for variant, record in zip(variants, KINDS.values(), strict=True):
        assert set(variant["properties"]) == set(record.model_fields) - {"author", "addressing"}
        # What strict servers ask of a schema.
        assert variant["required"] == list(variant["properties"])
        assert variant["additionalProperties"] is False
        assert variant["properties"]["speaker"]["enum"] == ["s1", "s2", "s3"]
    assert not {"pattern", "default", "title", "discriminator"} & set(re.findall(r'"(\w+)":', json.dumps(schema)))


# ---------------------------------------------------------------- file


MINE = """
- {speaker: s1, text: "So, who has the tickets, because I haven't seen them since Tuesday?"}
- {act: claim, speaker: s2, text: "I do!", landing: "the tickets,"}
- {speaker: s2, text: "They're in my coat, both of them, and the coat is in the car.", follows: after_pause}
- {act: vocalisation, kind: backchannel, speaker: s1, text: "Phew.", landing: "my coat,"}
- {act: vocalisation, kind: laughter, speaker: s1, text: "(laughs)", landing: "is in"}
"""


def test_a_users_script_needs_little(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE, encoding="utf-8")
    script, _ = write_script(make_spec(n=2), ScriptSettings(writer="file", path=path))
    assert [act.act for act in script.acts] == ["turn", "claim", "turn", "vocalisation", "vocalisation"]
    assert {act.author for act in script.acts} == {"user"}
    assert script.acts[1].during == script.acts[0].id  # type: ignore[union-attr]
    assert isinstance(script.acts[2], TurnAct)
    assert script.acts[2].follows == "after_pause"


def test_a_script_of_a_corpus_is_taken_as_it_is(tmp_path: Path) -> None:
    spec = make_spec()
    script, _ = write_script(spec, ScriptSettings(writer="template"))
    folder = tmp_path / "conversations" / spec.id
    folder.mkdir(parents=True)
    (folder / "script.json").write_text(script.to_json(), encoding="utf-8")
    assert write_script(spec, ScriptSettings(writer="file", path=tmp_path))[0] == script


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a valid Script"),
        ("{", "not a readable script"),
        ("[]", "first_act_is_turn"),
        ("- hello", "not a valid Script"),
        ("acts: 7", "not a valid Script"),
        ("- {speaker: s1}", "acts.0.turn.text: Field required"),
        ("- {act: shout, speaker: s1, text: hey}", "not a valid Script"),
        ("- {speaker: bob, text: hey there}", "known_speakers: found 'bob'"),
        ("- {speaker: s1, text: hey there, at: 3.0}", "acts.0.turn.at: Extra inputs are not permitted"),
        ("- {speaker: s1, text: 'hey (coughs) there'}", "only_speech"),
        ("- {act: claim, speaker: s2, text: hey, landing: x}", "acts.0.claim.during: Field required"),
        (
            MINE.replace('landing: "the tickets,"', 'landing: "the trousers"'),
            "landing_words_occur: found 'the trousers'",
        ),
        (MINE.replace("act: claim, speaker: s2", "act: claim, speaker: s1"), "not_in_own_turn"),
        ("&a [*a]", "not a"),
        ("!!python/object/apply:os.system ['true']", "not a readable script"),
    ],
)
def test_a_fault_in_a_users_script_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c0000.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PipelineError) as error:
        write_script(make_spec(n=2), ScriptSettings(writer="file", path=tmp_path))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_script_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no script for c"):
        write_script(make_spec(), ScriptSettings(writer="file", path=tmp_path))
    with pytest.raises(InputError, match=r"script=file needs script.path"):
        write_script(make_spec(), ScriptSettings(writer="file"))


# ---------------------------------------------------------------- configuration


@pytest.mark.parametrize("writer", ["lines", "whole", "replay", "file", "template"])
def test_every_writer_is_a_configuration_with_the_settings_defaults(writer: Any) -> None:
    group = OmegaConf.to_container(composed([f"script={writer}"]).script, resolve=True)
    assert ScriptSettings.model_validate(group) == ScriptSettings(writer=writer)


@pytest.mark.parametrize("name", ["embedded", "openai", "vllm", "ollama", "llamacpp"])
def test_every_endpoint_is_a_configuration_without_a_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret")
    for variable in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    group = OmegaConf.to_container(composed([f"llm={name}"]).llm, resolve=True)
    assert isinstance(group, dict)
    chosen = LlmSettings.model_validate(group)
    assert set(group) == set(LlmSettings.model_fields) - {"slot_folder"}
    assert "secret" not in str(group)
    if name == "embedded":
        assert chosen == LlmSettings(retries=1, concurrency=1)
    else:
        assert chosen.base_url
        monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere:1/v1")
        assert composed([f"llm={name}"]).llm.base_url == "http://elsewhere:1/v1"


# ---------------------------------------------------------------- the real model


@pytest.mark.model
def test_the_real_model_writes_a_valid_script_whatever_came_before(tmp_path: Path) -> None:
    keys = BANK.keys(type="argumentative")
    short = {"turns": 6, "claims": 1, "backchannels": 1, "laughs": 0, "words": 80}
    one, other = (make_spec(n=2, index=index, topic=keys[index], **short) for index in range(2))  # type: ignore[arg-type]
    with open_client() as client:

        def write(spec: ConversationSpec) -> tuple[Script, tuple[Exchange, ...]]:
            with open_session(client, spec.id) as session:
                return write_script(spec, ScriptSettings(), session)

        alone, _ = write(other)
        write(one)
        after, exchanges = write(other)
    assert after == alone
    assert violations(after, other, ScriptSettings()) == []
    assert sum(turn.author == "model" for turn in after.turns) >= len(after.turns) / 2
    path = tmp_path / "exchange.jsonl"
    path.write_text(dump_exchanges(exchanges), encoding="utf-8")
    assert write_script(other, ScriptSettings(writer="replay", path=path))[0] == after


MODULES = [f"pipeline.{part}.{info.name}" for part in ("writers", "llm") for info in iter_modules([str(ROOT / part)])]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_hold(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_topic_records_round_trip() -> None:
    topic = BANK.topic(KEYS[0])
    assert Topic.from_json(topic.to_json()) == topic
