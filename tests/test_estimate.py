"""An estimate starts nothing, asks nobody, rests on what it says, and takes what stands there for done."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_support import ROOT
from conftest import TINY
from script_support import Answer, FakeEndpoint, chat, reply_of

from pipeline.__main__ import main as run
from pipeline.compose import composed, settings_from
from pipeline.estimate.__main__ import main
from pipeline.estimate.need import REQUESTS_A_LINE, SECONDS_A_LINE_REQUEST, TOKENS_A_LINE_REPLY, TOKENS_A_WORD_BEFORE
from pipeline.records import ConversationSpec
from pipeline.run import planned
from pipeline.writers.prompting import few_shot, heading
from pipeline.writers.whole import request

FEW = ("n=3", "duration=20", "speakers=2", "seed=4")
WHOLE = (*FEW, "script=whole", "llm=openai", "llm.model=fake", "llm.structured=json_schema")
NOWHERE = "llm.base_url=http://127.0.0.1:9/v1"
ASKED = ("requests", "prompt tokens", "completion tokens", "cost")


def told(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    """The estimate as JSON."""
    assert main(["--json", *args]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def values(found: dict[str, Any]) -> dict[str, float | None]:
    return {name: figure.get("value") for name, figure in found["figures"].items()}


def specs_of(*args: str) -> list[ConversationSpec]:
    return planned(settings_from(composed(list(args))))


def test_the_table_states_each_figure_with_what_it_rests_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = ("llm.price_prompt=2.5", "llm.price_completion=10", "llm.currency=EUR")
    assert main([*WHOLE, NOWHERE, f"out={tmp_path}/corpus", *prices]) == 0
    out = capsys.readouterr().out
    first, *rows = out.splitlines()
    assert first == f"{tmp_path}/corpus: 3 conversations; still to be made, about:"
    names = ["words", "audio", *ASKED, "writing", "speaking and mixing", "disk"]
    assert [row[2:23].strip() for row in rows] == names
    assert all(len(row[37:].strip()) > 8 for row in rows), out
    assert "2.5 and 10 a million tokens" in out
    assert " EUR " in out
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_whole_scripts_are_estimated_from_their_real_messages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    prices = ("llm.price_prompt=100", "llm.price_completion=300")
    found = values(told(capsys, *WHOLE, NOWHERE, f"out={tmp_path}/corpus", *prices))
    settings = settings_from(composed([*WHOLE, NOWHERE])).script
    characters = sum(len(m["content"]) for spec in specs_of(*WHOLE, NOWHERE) for m in request(spec, settings))
    assert found["prompt tokens"] == pytest.approx(characters / 4, abs=6)
    assert found["requests"] == 3
    # 43 an act and 1.34 a word: about what a reply has by its characters, JSON with three a token.
    replies = sum(len(json.dumps(reply_of(spec))) for spec in specs_of(*WHOLE, NOWHERE))
    assert found["completion tokens"] == pytest.approx(replies / 3, rel=0.25)
    assert found["cost"] == pytest.approx(
        (100 * (found["prompt tokens"] or 0) + 300 * (found["completion tokens"] or 0)) / 1e6, rel=1e-3
    )
    assert found["writing"] is None


def test_lines_are_estimated_from_recorded_exchanges(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = told(capsys, *FEW, f"out={tmp_path}/corpus")
    figures = values(found)
    requests = [REQUESTS_A_LINE * (s.amounts.floor_turns + s.amounts.floor_claims) for s in specs_of(*FEW)]
    starts = [len(few_shot(spec) + heading(spec)) / 4 for spec in specs_of(*FEW)]
    grown = [TOKENS_A_WORD_BEFORE * 0.94 * spec.amounts.words / 2 for spec in specs_of(*FEW)]
    prompts = sum(n * (start + more) for n, start, more in zip(requests, starts, grown, strict=True))
    assert figures["requests"] == round(sum(requests))
    assert figures["prompt tokens"] == pytest.approx(prompts, rel=0.01)
    assert figures["completion tokens"] == pytest.approx(sum(requests) * TOKENS_A_LINE_REPLY, abs=1)
    assert figures["writing"] == pytest.approx(sum(requests) * SECONDS_A_LINE_REQUEST)
    assert figures["cost"] == 0
    assert found["figures"]["cost"]["basis"] == "the model runs on this machine"
    assert values(told(capsys, *FEW, "llm.model=other"))["writing"] is None
    assert values(told(capsys, *FEW, "llm=openai", NOWHERE))["cost"] is None


def test_a_serial_run_speaks_in_one_process_whatever_workers_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two, one = (told(capsys, *FEW, f"out={tmp_path}/corpus", "workers=2", f"executor={e}") for e in ("local", "serial"))
    assert values(one)["speaking and mixing"] == pytest.approx(2 * (values(two)["speaking and mixing"] or 0))
    assert one["figures"]["speaking and mixing"]["basis"].endswith("1 at once")


@pytest.mark.parametrize("writer", ["template", "reference", "file"])
def test_writers_without_a_model_ask_nothing(writer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("n=2", "type=casual", f"script={writer}", f"out={tmp_path}/corpus")
    if writer == "file":
        turns = [{"act": "turn", "speaker": f"s{1 + i % 2}", "text": f"Five words in turn {i}."} for i in range(8)]
        (tmp_path / "script.json").write_text(json.dumps(turns))
        args = (*args, "speakers=2", f"script.path={tmp_path}/script.json")
    found = told(capsys, *args)
    assert [values(found)[name] for name in ASKED] == [0, 0, 0, 0]
    assert {found["figures"][name]["basis"] for name in ASKED} == {f"script={writer} asks no model"}
    assert (values(found)["audio"] or 0) > 0
    if writer == "file":
        assert values(found)["words"] == 2 * 8 * 5
        assert values(found)["audio"] == pytest.approx(80 * 0.26 / 60, rel=0.3), "as long as its words"


@pytest.mark.speech
def test_a_corpus_that_stands_is_done_and_is_what_more_of_it_is_measured_by(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = told(capsys, *TINY, f"out={tiny}")
    assert (done["conversations"], done["written"], done["made"]) == (4, 4, 4)
    assert all(not value for value in values(done).values())
    grown = [arg.replace("n=4", "n=6") for arg in TINY]
    more, fresh = told(capsys, *grown, f"out={tiny}"), told(capsys, *grown)
    assert (more["conversations"], more["made"]) == (6, 4)
    stats = json.loads((tiny / "stats.json").read_text())["all"]
    planned_s = sum(spec.target_s for spec in specs_of(*TINY))
    for name, rate in (("audio", stats["duration_s"] / planned_s * 48 / 60), ("disk", None), ("words", None)):
        figure = more["figures"][name]
        assert (figure["measured_on"], fresh["figures"][name]["measured_on"]) == (4, 0)
        assert rate is None or figure["value"] == pytest.approx(rate, rel=0.1)
    sizes = sum(p.stat().st_size for part in ("work", "conversations") for p in (tiny / part).rglob("*") if p.is_file())
    assert more["figures"]["disk"]["value"] == pytest.approx(sizes / 2, rel=0.3)


def test_what_was_asked_for_scripts_that_stand_is_what_the_others_will_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each was asked for twice, at 300 and 100 tokens a reply."""
    base = (*WHOLE, NOWHERE, f"out={tmp_path}/corpus", "until=script")
    settings = settings_from(composed(list(base))).script
    known = {request(s, settings)[1]["content"]: json.dumps(reply_of(s)) for s in specs_of(*base)}
    usage = {"prompt_tokens": 300, "completion_tokens": 100}

    def answer(body: dict[str, Any]) -> Answer:
        first = len(body["messages"]) == 2
        return Answer(chat("no" if first else known[body["messages"][1]["content"]], usage=usage))

    with FakeEndpoint(answer) as fake:
        assert run([*base, f"llm.base_url={fake.url}", "only=c0000,c0001"]) == 0
    capsys.readouterr()
    found = told(capsys, *base)
    assert (found["conversations"], found["written"], found["made"]) == (3, 2, 2)
    figures = found["figures"]
    assert (figures["requests"]["value"], figures["requests"]["measured_on"]) == (2, 2)
    assert figures["prompt tokens"]["value"] == pytest.approx(600, rel=0.1)
    assert figures["completion tokens"]["value"] == pytest.approx(200, rel=0.35)
    assert figures["speaking and mixing"]["value"] == 0, "the run ends with the scripts"
    assert main([*base, "llm.budget_tokens=400"]) == 0
    out = capsys.readouterr().out
    assert "3 conversations (2 scripts and 2 conversations are there); still to be made" in out
    assert "times 2.00, as measured on 2 there" in out
    assert "llm.budget_tokens=400 would be spent after about 49 %" in out
    other = told(capsys, *FEW, f"out={tmp_path}/corpus")
    assert other["written"] == 0, "another writer writes them again"
    assert other["figures"]["requests"]["measured_on"] == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["type=shouting"], "type"),
        (["nonsense"], "argument 'nonsense': give key=value"),
        (["only=c0009"], "only='c0009': the corpus has c0000 to c0004"),
        (["script=file"], "script=file needs script.path"),
        (["llm.budget_tokens=0"], "greater than or equal to 1"),
    ],
)
def test_bad_input_is_one_line(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert said in line


def test_a_folder_of_something_else_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    assert main([*FEW, f"out={tmp_path}"]) == 2
    assert "the folder holds something that is not a corpus" in capsys.readouterr().err


def test_no_key_is_read_or_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert main([*WHOLE, NOWHERE, f"out={tmp_path}/corpus"]) == 0
    assert "sk-very-secret" not in "".join(capsys.readouterr())


def test_make_estimate_takes_the_variables_of_make_corpus() -> None:
    variables = ("N=2", "TYPE=casual", "SPEAKERS=2,3", "SPLIT=test", "SEED=3", "ONLY=c0000", "ARGS=script=template")

    def shown(target: str) -> str:
        command = ["make", "--no-print-directory", "--dry-run", target, "OUT=my corpus", *variables]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    assert shown("estimate").replace("pipeline.estimate", "pipeline") == shown("corpus")
