"""The model of scale gives what can be reckoned by hand, the same for the same request, and what was measured."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.llm.settings import LlmSettings
from pipeline.scale import table
from pipeline.scale.__main__ import main
from pipeline.scale.check import checked
from pipeline.scale.cluster import simulate
from pipeline.scale.measured import SHIPPED, Asked, Measured, MeasuredRun, Took
from pipeline.scale.outcome import AT_ONCE, CORES, OWN, REQUESTS, TAIL, TOKENS, Outcome, outcome
from pipeline.scale.scenario import Scenario
from pipeline.scale.table import rows
from pipeline.scale.work import Work, drawn

STAGES = {"script": 0.0, "orchestrate": 2.0, "render": 40.0, "augment": 1.0, "assemble": 2.0}
ASKED = Asked(requests=1, prompt_tokens=700, completion_tokens=1500)
MADE_S = 45.0
"""What the stages of one of these conversations take together."""


def measured(**changed: Any) -> Measured:
    """One conversation of 100 s, that takes 45 s; nothing else takes any time unless it is asked for."""
    took = Took(audio_s=100, cpu_s=STAGES, bytes=20_000_000, asked={"whole": ASKED})
    usual = {"machine": "a test", "conversations": [took], "start_s": 0, "plan_s": 0, "finish_s": 0, "check_s": 0}
    return Measured.model_validate({**usual, **changed})


def found(hours: float = 10, *, known: Measured | None = None, **asked: Any) -> Outcome:
    """The outcome of a scenario of one worker unless it says otherwise; 10 hours are 360 conversations."""
    return outcome(known or measured(), Scenario.model_validate({"hours": hours, "workers": 1, **asked}))


def test_one_worker_takes_the_sum_of_all_times() -> None:
    known = measured(start_s=7, plan_s=0.01, finish_s=0.5)
    one = found(known=known)
    assert one.conversations == 360
    assert one.audio_h == pytest.approx(10)
    assert one.wall_h * 3600 == pytest.approx(360 * (MADE_S + 0.01 + 0.5) + 7)
    assert one.making_h * 3600 == pytest.approx(360 * (MADE_S + 0.01) + 7)
    assert one.bottleneck == CORES
    assert one.cores == pytest.approx((360 * MADE_S + 7) / (360 * (MADE_S + 0.01) + 7))
    assert one.disk_tb == pytest.approx(360 * 20e6 / 1e12)


def test_an_endpoint_without_limits_leaves_it_to_the_cores() -> None:
    """A reply takes 30 s and a conversation 45: one question at once would do for one worker, and four do for five."""
    one = found(writer="whole", concurrency=4, workers=5)
    assert one.bottleneck == CORES
    assert one.wall_h * 3600 == pytest.approx(360 / 5 * MADE_S + 30, rel=0.01)
    assert one.used[AT_ONCE] == pytest.approx(30 / MADE_S * 5 / 4, rel=0.02)


def test_an_endpoint_that_takes_few_requests_sets_the_pace() -> None:
    one = found(writer="whole", requests_a_minute=2, concurrency=50, nodes=4, workers=8)
    assert one.bottleneck == REQUESTS
    assert one.wall_h * 3600 == pytest.approx(359 * 30 + 30 + MADE_S), "the last one is asked, answered and made"
    assert one.cores == pytest.approx(MADE_S / 30 / 32, rel=0.02)


def test_an_endpoint_that_takes_few_tokens_sets_the_pace() -> None:
    one = found(writer="whole", tokens_a_minute=2200, concurrency=50, nodes=4, workers=8)
    assert one.bottleneck == TOKENS
    assert one.wall_h * 3600 == pytest.approx(359 * 60 + 30 + MADE_S), "2,200 tokens each, one a minute"
    assert (one.prompt_tokens, one.completion_tokens) == (360 * 700, 360 * 1500)


def test_few_questions_at_once_set_the_pace() -> None:
    one = found(writer="whole", concurrency=3, nodes=4, workers=8)
    assert one.bottleneck == AT_ONCE
    assert one.wall_h * 3600 == pytest.approx(360 / 3 * 30 + MADE_S)


def test_requests_that_fail_are_asked_and_paid_again() -> None:
    prices: dict[str, Any] = {"price_prompt": 2.5, "price_completion": 10.0}
    sound = found(hours=100, writer="whole", **prices)
    poor = found(hours=100, writer="whole", request_failures=0.2, **prices)
    assert sound.requests == 3600
    assert sound.cost_tokens == pytest.approx(3600 * (700 * 2.5 + 1500 * 10) / 1e6)
    assert poor.requests == pytest.approx(3600 / 0.8, rel=0.03)
    assert poor.failed_requests == poor.requests - (3600 - poor.unwritten)
    assert poor.cost_tokens == pytest.approx(sound.cost_tokens / 0.8, rel=0.03)


def test_a_script_that_is_never_had_is_missing_and_said() -> None:
    tries = 1 + LlmSettings().retries
    one = found(hours=100, writer="whole", request_failures=0.5)
    assert one.unwritten == pytest.approx(3600 * 0.5**tries, rel=0.6)
    assert one.audio_h == pytest.approx((3600 - one.unwritten) * 100 / 3600)


def test_repairs_are_further_replies() -> None:
    assert found(hours=100, writer="whole", repairs=0.5).requests == pytest.approx(3600 * 1.5, rel=0.03)


def test_a_lost_worker_does_the_stage_in_hand_again_and_no_more() -> None:
    """Of stages 2, 40, 1 and 2 s long, a loss at a random moment costs the mean of what was done of the one in hand."""
    an_hour = 2.0
    known = measured(start_s=10)
    sound, poor = found(hours=100, known=known), found(hours=100, known=known, worker_failures=an_hour, retries=10**6)
    hours = poor.making_h
    assert poor.worker_losses == pytest.approx(an_hour * hours, rel=0.15)
    redone = sum(seconds**2 / 2 for seconds in STAGES.values()) / MADE_S
    assert poor.lost_core_h * 3600 == pytest.approx(poor.worker_losses * (10 + redone), rel=0.1)
    assert poor.wall_h - sound.wall_h == pytest.approx(poor.lost_core_h)
    assert poor.audio_h == sound.audio_h


def test_a_lost_node_is_missed_until_it_is_back() -> None:
    sound = found(hours=100, nodes=4, workers=2)
    poor = found(hours=100, nodes=4, workers=2, node_failures=0.5, node_back_s=900)
    assert poor.node_losses > 5
    assert poor.worker_losses == 2 * poor.node_losses
    away_h = poor.node_losses * 900 / 3600
    more_h = 4 * (poor.making_h - sound.making_h)
    assert more_h == pytest.approx(away_h + poor.lost_core_h / 2, rel=0.25)


def test_nodes_help_until_the_endpoint_binds() -> None:
    """Eight conversations a minute: 45 s each keep six workers busy."""
    several = [found(hours=50, writer="whole", requests_a_minute=8, concurrency=64, nodes=n) for n in (1, 2, 4, 8, 16)]
    speeds = [one.audio_h_per_h for one in several]
    assert speeds[1] / speeds[0] == pytest.approx(2, rel=0.02)
    assert speeds[2] / speeds[0] == pytest.approx(4, rel=0.03)
    assert speeds[3] == pytest.approx(8 / 60 * 100, rel=0.02)
    assert speeds[4] == pytest.approx(speeds[3], rel=0.01)
    assert [one.bottleneck for one in several] == [CORES] * 3 + [REQUESTS] * 2


def test_the_runs_own_process_can_hold_them_up() -> None:
    took = Took(audio_s=100, cpu_s={**STAGES, "script": 1.0}, bytes=1)
    one = found(known=measured(conversations=[took]), nodes=100, hours=100)
    assert one.bottleneck == OWN
    assert one.making_h * 3600 == pytest.approx(3600 * 1.0 + MADE_S)


def test_the_last_conversations_are_the_tail() -> None:
    kinds = [Took(audio_s=100, cpu_s=STAGES, bytes=1), Took(audio_s=1000, cpu_s={"render": 450.0}, bytes=1)]
    one = found(hours=2, known=measured(conversations=kinds), nodes=30)
    assert one.bottleneck == TAIL
    assert one.tail_s > 300
    assert 0 < one.idle_core_h < 30 * one.tail_s / 3600


def test_shares_are_less_even_than_a_queue_and_many_shares_more_even_than_few() -> None:
    queue = found(hours=40, nodes=16)
    few = found(hours=40, nodes=16, executor="slurm")
    many = found(hours=40, nodes=16, executor="slurm", shards=160)
    assert queue.wall_h < many.wall_h < few.wall_h
    assert queue.audio_h == pytest.approx(few.audio_h) == pytest.approx(many.audio_h)
    assert few.node_h < 16 * few.wall_h, "a node is given back when its share is done"


def test_several_workers_on_a_node_are_slower_as_measured() -> None:
    known = measured(crowding={1: 1.0, 2: 1.1})
    assert known.slower(1) == 1
    assert known.slower(2) == known.slower(8) == 1.1
    alone, two = found(known=known, nodes=2), found(known=known, workers=2)
    assert two.wall_h / alone.wall_h == pytest.approx(1.1)


def test_a_measured_run_is_foretold_at_the_pace_of_its_hour() -> None:
    ran = {"workers": 2, "conversations": 2, "wall_s": 50.0, "cpu_s": 100.0}
    known = measured(crowding={1: 1.0, 2: 1.1})
    twice = known.model_copy(update={"conversations": known.conversations * 2})
    for drift in (1.0, 0.9):
        (one,) = checked(twice.model_copy(update={"runs": (MeasuredRun(**ran, drift=drift),)}))
        assert one.cpu_s == pytest.approx(2 * MADE_S * 1.1 * drift)
        assert one.wall_s == pytest.approx(MADE_S * 1.1 * drift)


def test_longer_conversations_take_more_of_all() -> None:
    usual, long = found(), found(seconds=300)
    assert long.conversations == usual.conversations / 3
    assert long.wall_h == pytest.approx(usual.wall_h)
    assert long.disk_tb == pytest.approx(usual.disk_tb)


def test_the_same_request_gives_the_same_answer_and_another_seed_another() -> None:
    kinds = [Took(audio_s=s, cpu_s={"render": s / 2 + 3}, bytes=1, asked={"whole": ASKED}) for s in (40, 90, 170)]
    asked: dict[str, Any] = {
        "writer": "whole",
        "request_failures": 0.1,
        "worker_failures": 1.0,
        "nodes": 3,
        "node_failures": 0.2,
    }
    known = measured(conversations=kinds)
    assert found(known=known, **asked) == found(known=known, **asked)
    assert found(known=known, **asked) != found(known=known, seed=2, **asked)


def test_conversations_are_drawn_until_there_is_enough() -> None:
    kinds = [Took(audio_s=s, cpu_s={"render": s}, bytes=1) for s in (50, 150)]
    works = drawn(measured(conversations=kinds), Scenario(hours=20))
    assert 20 * 3600 <= sum(work.audio_s for work in works) < 20 * 3600 + 150
    assert {work.audio_s for work in works} == {50, 150}
    assert sum(work.audio_s == 50 for work in works) / len(works) == pytest.approx(0.5, abs=0.06)


def test_each_conversation_is_made_once_whoever_is_lost() -> None:
    works = [Work(audio_s=float(2**n), script_s=0.0, stages_s=(5.0, 60.0), bytes=1) for n in range(30)]
    asked = Scenario(workers=3, nodes=2, worker_failures=20, node_failures=10, node_back_s=30)
    ran = simulate(works, measured(), asked)
    assert sum(worker.audio_s for worker in ran.workers) == 2**30 - 1
    assert sum(worker.losses for worker in ran.workers) > 5


def test_the_command_answers_in_words_and_as_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "measured.json").write_text(measured(crowding={1: 1, 2: 1.02}).to_json())
    asked = ["--measured", str(tmp_path / "measured.json"), "--hours", "5", "--nodes", "2", "--workers", "3"]
    endpoint = ["--writer", "whole", "--requests-a-minute", "6", "--price-node-hour", "0.4", "--price-completion", "10"]
    assert main([*asked, *endpoint]) == 0
    said = capsys.readouterr().out
    for words in ("5.0 h of audio", "done after", "tail", "bottleneck: ", "node hours", "endpoint in use", "M tokens"):
        assert words in said
    assert main([*asked, *endpoint, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["audio_h"] == pytest.approx(5)
    assert told["cost"] == pytest.approx(told["node_h"] * 0.4 + 180 * 1500 * 10 / 1e6)
    assert told["bottleneck"] in told["used"]


def test_a_sweep_is_a_table_and_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "measured.json").write_text(measured().to_json())
    asked = ["--measured", str(tmp_path / "measured.json"), "--sweep", "1,2,4", "--plot", str(tmp_path / "sweep.svg")]
    assert main([*asked, "--hours", "5"]) == 0
    head, *table = capsys.readouterr().out.splitlines()
    assert head.split() == next(rows([])).split()
    assert [row.split()[0] for row in table] == ["1", "2", "4"]
    assert "<svg" in (tmp_path / "sweep.svg").read_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--hours", "none"], "--hours: "),
        (["--nodes", "0"], "--nodes: "),
        (["--shards", "3"], "executor=slurm"),
        (["--executor", "slurm", "--worker-failures", "1"], "ends with its first lost worker"),
        (["--requests-a-minute", "3"], "choose a writer"),
        (["--measured", "/nowhere.json"], "/nowhere.json"),
    ],
)
def test_what_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str], asked: list[str], said: str) -> None:
    assert main(asked) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert said in error


def test_the_examples_of_durations_are_right() -> None:
    assert doctest.testmod(table).failed == 0


def test_the_measured_runs_are_as_predicted() -> None:
    """One and two workers, from the times of single stages and of bare synthesis alone."""
    found = checked(Measured.read(SHIPPED))
    assert {one.run.workers for one in found} == {1, 2}
    for one in found:
        assert one.cpu == pytest.approx(1, abs=0.1)
        assert not one.run.quiet or one.wall == pytest.approx(1, abs=0.1)


def test_the_shipped_measurement_was_taken_from_a_machine_at_rest() -> None:
    known = Measured.read(SHIPPED)
    assert len(known.conversations) >= 2
    assert 0.2 < known.seconds("render") < 1.5
    assert known.start_s > 0
    assert known.finish_s > 0
