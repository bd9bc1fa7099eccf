"""How scripts read, in figures: each by its definition, the topic by lines that were labelled by hand."""

import doctest
import json
import shutil
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from script_support import make_spec

from pipeline.compose import composed, settings_from
from pipeline.llm.exchange import Exchange, Reply, dump_exchanges
from pipeline.output.diversity import distinct, distinct_in_blocks
from pipeline.output.repeats import most_repeated, repeats
from pipeline.prose import main, prose, table
from pipeline.records import ClaimAct, Script, TurnAct, VocalisationAct
from pipeline.records.script import WritingReport
from pipeline.run import planned, run
from pipeline.workspace import write_text
from pipeline.writers.on_topic import OnTopic, text_of
from pipeline.writers.topics import load_bank
from pipeline.written import read_settings

LABELLED = yaml.safe_load((Path(__file__).parent / "data" / "on_topic_lines.yaml").read_text(encoding="utf-8"))
TOPICS = {key: load_bank().topic(key) for key in load_bank().keys()}  # noqa: SIM118 - a Bank is no mapping
USED = {entry["topic"].partition("/")[0] for entry in LABELLED}
SMALLER = {key: topic for place, (key, topic) in enumerate(TOPICS.items()) if topic.slug in USED or place % 3 == 0}
"""The topics of the labels with a part of the others: what is found must not hang on the size of the bank."""
BY_CHANCE = 0.1
"""At most this share of lines may be on a topic that they were not written for; the method allows a twentieth."""


@pytest.mark.parametrize("topics", [TOPICS, SMALLER], ids=["whole bank", "smaller bank"])
def test_the_topic_is_told_as_a_reader_tells_it(topics):
    bank = OnTopic(topics)
    found = [bank.verdict(entry["line"], entry["before"], entry["topic"]) for entry in LABELLED]
    pairs = Counter(zip(found, (entry["label"] for entry in LABELLED), strict=True))
    assert len(LABELLED) == 50
    assert sum(count for (one, other), count in pairs.items() if one == other) >= 45
    assert pairs["on", "off"] + pairs["off", "on"] <= 2


def test_lines_beside_other_topics_of_their_type_are_seldom_on_them():
    bank = OnTopic(TOPICS)
    shares = []
    for entry in LABELLED:
        if entry["label"] == "on":
            others = [key for key in TOPICS if key.endswith(entry["topic"].partition("/")[2]) and key != entry["topic"]]
            shares.append(bank.verdicts(entry["line"], entry["before"], others).count("on") / len(others))
    assert len(shares) > 20
    assert sum(shares) / len(shares) < BY_CHANCE


def test_a_line_without_a_telling_word_is_neutral_and_a_short_one_is_read_with_the_line_before():
    bank = OnTopic(TOPICS)
    key = "sports_commentary/casual"
    assert bank.verdict("Yeah, go on then.", "That gull's at deep square leg.", key) == "neutral"
    assert bank.verdict("Is that a wombat?", "", key) == "off"
    assert bank.verdict("Is that a wombat?", "The gull, the umpire and the scoreboard are all out there.", key) == "on"
    assert bank.telling("okay yeah, well the and you") == frozenset()


def test_the_text_of_a_topic_is_all_that_it_says():
    topic = TOPICS["sports_commentary/casual"]
    text = text_of(topic)
    assert topic.title in text
    assert topic.setting in text
    assert all(move.say in text and (not move.cut_in or move.cut_in.say in text) for move in topic.moves)


def test_runs_of_four_words_said_again():
    said = [
        ["One two three four five.", "And one, two, THREE four!", "Two three four."],
        ["Nine two three four five?", "Nine, two, three.", "Six: nine two three four."],
    ]
    found = repeats(said)
    assert [[line.within for line in lines] for lines in found] == [[False, True, False], [False, False, True]]
    assert [[line.between for line in lines] for lines in found] == [[False, False, False], [True, False, False]]
    assert [line.either for lines in found for line in lines] == [False, True, False, True, False, True]


def test_the_most_repeated_runs_name_each_phrase_once():
    said = [["it goes on and on and on", "so it goes on and on"], ["now it goes on and off", "new words alone here"]]
    found = most_repeated(said)
    assert [(phrase.text, phrase.lines, phrase.conversations) for phrase in found] == [
        ("it goes on and", 3, 2),
        ("goes on and on", 2, 1),
    ]
    assert most_repeated(said, most=1) == found[:1]
    assert most_repeated([["it goes on and on", "a b c d e f"], ["a b c d e f"]])[0].text == "a b c d"


def test_distinct_runs_do_not_cross_lines_and_blocks_have_the_same_number_of_words():
    assert distinct(["a b", "b a", "a b"], 1) == pytest.approx(2 / 6)
    assert distinct(["a b", "b a", "a b"], 2) == pytest.approx(2 / 3)
    assert distinct(["a", "b"], 2) is None
    # Blocks: "a b c | a", "a a b | b"; what is left of the text fills no block.
    assert distinct_in_blocks(["a b c", "a a a b", "b b"], 1, block=4) == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert distinct_in_blocks(["a b c"], 1, block=4) is None


def a_script(ident: str, said: list[tuple[str, str, str]], **report: int) -> Script:
    """A script of (kind, author, words)."""
    acts: list[TurnAct | ClaimAct | VocalisationAct] = []
    for place, (kind, author, text) in enumerate(said):
        common = {"id": f"a{place}", "speaker": f"s{place % 3 + 1}", "text": text, "author": author}
        within = {"during": "a0", "landing": said[0][2].split()[0]}
        if kind == "turn":
            acts.append(TurnAct(**common))
        elif kind == "claim":
            acts.append(ClaimAct(**common, **within))
        else:
            acts.append(VocalisationAct(**common, **within, kind="backchannel"))
    return Script(
        conversation_id=ident,
        writer="lines",
        acts=tuple(acts),
        report=WritingReport(**{"first_time_valid": not report.get("repairs"), "attempts": 1, "repairs": 0, **report}),
    )


CRICKET = [
    ("turn", "model", "The gull is on the cricket covers at deep square leg again."),
    ("claim", "authored", "No, the umpire!"),
    ("vocalisation", "lexicon", "Right."),
    ("turn", "model", "He has the enormous golf umbrella up in the rain."),
]
DRIFTING = [
    ("turn", "model", "He has the enormous helicopter, with a volcano and a syllabus."),
    ("turn", "authored", "Yeah, go on then."),
]


def publish(root: Path, place: int, script: Script, **changes: object) -> None:
    """A finished conversation, as far as its words go."""
    spec = make_spec("casual", index=place, topic="sports_commentary/casual").model_copy(update=changes)
    folder = root / "conversations" / spec.id
    write_text(folder / "script.json", script.to_json())
    write_text(folder / "meta.json", json.dumps({"spec": spec.model_dump(mode="json")}))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two conversations on a rain delay, the second of which leaves its topic, and one on no topic of the bank."""
    publish(tmp_path, 0, a_script("c0000", CRICKET, requests=9))
    publish(tmp_path, 1, a_script("c0001", DRIFTING, requests=11, repairs=3, fresh_tries=1, authored=1))
    own = {"topic": "reference/test-001", "title": "jam"}
    publish(tmp_path, 2, a_script("c0002", [("turn", "user", "The jam is boiling over.")]), type="narrative", **own)
    return tmp_path


def test_every_figure_by_its_definition(corpus):
    found = prose(corpus, seconds=90)
    whole, casual = found["all"], found["by_type"]["casual"]
    assert list(found["by_type"]) == ["casual", "narrative"]
    assert (whole["conversations"], whole["lines"], whole["claims"], whole["words"]) == (3, 6, 1, 45)
    assert (casual["conversations"], casual["lines"], casual["words"]) == (2, 5, 40)
    chance = whole["on_topic"].pop("by_chance")
    assert 0 <= chance < 0.25
    assert whole["on_topic"] == {"share": 0.75, "on": 3, "off": 1, "neutral": 1, "not_measured": 1}
    assert found["by_type"]["narrative"]["on_topic"]["share"] is None
    assert whole["said_again"] == {"within": 0.0, "between": 0.1667, "either": 0.1667}
    assert whole["authored"] == {"fallbacks": 1, "fallback_share": 0.1667, "cut_ins": 1, "cut_in_share": 0.1667}
    assert whole["writing"] == {"requests": 20, "repairs": 3, "fresh_tries": 1, "first_time_valid_share": 0.6667}
    assert casual["writing"]["first_time_valid_share"] == 0.5
    assert whole["distinct"]["3"] == pytest.approx(31 / 33, abs=1e-4)
    assert whole["distinct_in_1000"]["1"] is None
    assert found["most_repeated"] == [{"text": "he has the enormous", "lines": 2, "conversations": 2}]
    assert found["seconds_a_conversation"] == 30.0


def test_what_is_earlier_goes_by_the_index_not_by_the_name(corpus):
    publish(corpus, 3, a_script("a", DRIFTING), id="a", type="narrative")
    assert prose(corpus)["by_type"]["narrative"]["said_again"]["between"] == pytest.approx(2 / 3, abs=1e-4)
    assert prose(corpus)["by_type"]["casual"]["said_again"]["between"] == pytest.approx(1 / 5, abs=1e-4)


def test_the_command_prints_a_table_or_the_same_as_json(corpus, capsys):
    assert main([str(corpus)]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines() == "\n".join(table(prose(corpus))).splitlines()
    assert ["on", "topic", "75.0%", "75.0%", "-"] in [line.split() for line in shown.splitlines()]
    assert "  he has the enormous (2, 2)" in shown
    assert "seconds" not in shown
    assert main([str(corpus), "--json", "--seconds", "12"]) == 0
    assert json.loads(capsys.readouterr().out) == prose(corpus, 12)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six scripts of plain sentences, and nothing made of them."""
    root = tmp_path_factory.mktemp("prose") / "written"
    run(settings_from(composed(["script=template", "n=6", "seed=4", "until=script", f"out={root}"])))
    return root


def test_scripts_alone_are_measured_with_their_specs_planned_again(written):
    found = prose(written)
    assert found["all"]["conversations"] == 6
    assert len(found["by_type"]) == 6
    assert found["all"]["authored"]["fallbacks"] == 0
    # Plain sentences know nothing of the topic that their conversation is planned on.
    assert found["all"]["on_topic"]["share"] < 2 * BY_CHANCE


def test_a_corpus_of_which_part_is_finished_is_measured_whole(written, tmp_path):
    both = tmp_path / "both"
    shutil.copytree(written, both)
    script = Script.read(both / "work" / "c0000" / "script.json")
    publish(both, 0, script)
    whole, part = prose(both), prose(written)
    assert whole["all"]["lines"] == part["all"]["lines"]
    stated_as = [kind for kind in part["by_type"] if whole["by_type"].get(kind) != part["by_type"][kind]]
    assert "casual" in stated_as


def no_plan(root):
    (root / "corpus.yaml").unlink()


def broken_script(root):
    (root / "work" / "c0001" / "script.json").write_text("{")


def one_too_many(root):
    shutil.copytree(root / "work" / "c0001", root / "work" / "c0099")


def no_spec(root):
    write_text(root / "conversations" / "c0001" / "script.json", "{}")
    write_text(root / "conversations" / "c0001" / "meta.json", "{}")


def other_topic(root):
    asked = Exchange(
        conversation_id="c0001", index=0, purpose="line 1", endpoint="embedded", model="m", call="completions",
        parameters={}, prompt="== Talk: a walk to the moon\n", reply=Reply(text="Well."),
    )  # fmt: skip
    write_text(root / "work" / "c0001" / "exchange.jsonl", dump_exchanges((asked,)))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (shutil.rmtree, "no scripts there; give the folder"),
        (no_plan, "no corpus.yaml there"),
        (broken_script, "c0001/script.json: not a valid Script"),
        (one_too_many, "c0099/script.json: corpus.yaml plans no conversation of this name"),
        (no_spec, "c0001/meta.json: states no spec"),
        (other_topic, "c0001/script.json: was written about something else than corpus.yaml plans now"),
    ],
)
def test_bad_input_is_one_line(written, tmp_path, capsys, harm, said):
    root = tmp_path / "harmed"
    shutil.copytree(written, root)
    harm(root)
    assert main([str(root)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


def test_what_the_model_was_asked_about_is_known_by_its_title(written, tmp_path):
    root = tmp_path / "asked"
    shutil.copytree(written, root)
    spec = planned(read_settings(root))[1]
    asked = Exchange(
        conversation_id=spec.id, index=0, purpose="line 1", endpoint="remote", model="m", call="chat", parameters={},
        prompt=json.dumps([{"role": "user", "content": f"About:\n{spec.title}"}]), reply=Reply(text="Well."),
    )  # fmt: skip
    write_text(root / "work" / spec.id / "exchange.jsonl", dump_exchanges((asked,)))
    assert prose(root) == prose(written)


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf"])
def test_seconds_that_are_none_are_refused(corpus, capsys, seconds):
    assert main([str(corpus), f"--seconds={seconds}"]) == 2
    assert "give the seconds that writing took" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["output.diversity", "output.repeats", "writers.on_topic"])
def test_the_documentation_says_what_is_so(name):
    assert doctest.testmod(import_module(f"pipeline.{name}")).failed == 0
