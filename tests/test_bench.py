"""The benchmark measures what it says, tells its figures beside their aims, and goes on where it was stopped."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_support import ROOT, pipeline

from pipeline.bench import fixed
from pipeline.bench import stages as part
from pipeline.bench.__main__ import main
from pipeline.bench.fed import fed
from pipeline.bench.machine import machine
from pipeline.bench.results import (
    Conversation,
    Crew,
    Memory,
    Peer,
    Planning,
    Renoise,
    Results,
    Side,
    Stages,
    Workers,
    kept,
)
from pipeline.bench.sizes import SMALL, Sizes
from pipeline.bench.spell import Made, Spell, speed, timed, wall_s
from pipeline.bench.table import AIMS, figures, lines, summary
from pipeline.conversation import Job
from pipeline.errors import OutputError
from pipeline.scale.measured import Asked


def crew(workers: int, speech_a_second: float, cpu_a_speech_s: float) -> Crew:
    return Crew(
        workers=workers,
        conversations=2,
        wall_s=100.0 / workers,
        cpu_s=99.0,
        audio_s=200,
        speed=speech_a_second,
        cpu_a_speech_s=cpu_a_speech_s,
    )


def results() -> Results:
    """All parts, with figures that can be reckoned in the head."""
    cpu_s = {"script": 9.0, "orchestrate": 2.0, "render": 40.0, "augment": 0.1, "assemble": 0.4}
    asked = {"whole": Asked(requests=1, prompt_tokens=700, completion_tokens=1500)}
    one = Conversation(audio_s=100, speech_s=120, cpu_s=cpu_s, bare_cpu_s=41.0, check_s=0.2, bytes=10**7, asked=asked)
    return Results(
        machine="a test",
        sizes=SMALL,
        stages=Stages(conversations=(one, one), voices_s=1.0, plan_s=0.001, finish_s=0.02),
        renoise=Renoise(audio_s=200, channels=3, cpu_s={"check": 0.1, "augment": 0.4, "assemble": 0.5}),
        plan=Planning(audio_s=200, cold_cpu_s=4, warm_cpu_s=0.5),
        workers=Workers(
            pipeline=(crew(1, 2.0, 0.40), crew(2, 3.8, 0.42)), bare=(crew(1, 2.1, 0.39), crew(2, 4.0, 0.41)), start_s=3
        ),
        memory=Memory(
            conversations=500,
            beside=60,
            worker_peak_mb=900,
            bare_peak_mb=750,
            early_mb=700,
            late_mb=707,
            peak_mb=910,
        ),
        peer=Peer(
            dialogues=1,
            words=300,
            own=Side(name="turnfloor float32", start_cpu_s=3, cpu_s=30, wall_s=31, speech_s=100),
            eight_bit=Side(name="turnfloor int8", start_cpu_s=None, cpu_s=20, wall_s=21, speech_s=100),
            peer=Side(name="peer 1", start_cpu_s=9, cpu_s=50, wall_s=52, speech_s=90),
        ),
    )


def test_each_figure_is_the_ratio_that_its_name_says() -> None:
    found = dict(figures(results()))
    assert found == pytest.approx(
        {
            "whole / bare synthesis": (2 * 42.5 + 1) / 82,
            "two workers / one": 1.9,
            "two workers / two bare syntheses": 0.95,
            "re-noising, times real time": 200,
            "planning, empty cache, times real time": 50,
            "planning, full cache, times real time": 400,
            "memory of a worker / bare synthesis": 1.2,
            "growth of its memory": 0.01,
            "CPU a second of speech / the peer's": 0.3 / (50 / 90),
        }
    )
    assert list(found) == list(AIMS)


def test_what_misses_its_aim_is_marked() -> None:
    missed = [line.rpartition("  ")[0].strip() for line in summary(results()) if line.endswith("MISSED")]
    assert len(missed) == 2
    assert missed[0].startswith("planning, full cache")
    assert missed[1].startswith("memory of a worker")


def test_all_parts_are_told_and_none_that_was_not_measured() -> None:
    told = "\n".join(lines(results()))
    for words in (
        "bare synthesis",
        "re-noising 200 s",
        "with an empty cache",
        "MB late",
        "for the same words 0.600",
        "int8 beside peer 1: for the same words 0.400",
    ):
        assert words in told
    alone = "\n".join(lines(Results(machine="a test", sizes=SMALL, plan=results().plan)))
    assert "planning" in alone
    assert "render" not in alone


def test_the_model_of_scale_is_fed_from_single_stages_and_bare_synthesis() -> None:
    measured = fed(results())
    assert measured is not None
    assert measured.slower(2) == pytest.approx(0.41 / 0.39)
    assert (measured.start_s, measured.plan_s, measured.finish_s, measured.check_s) == (3, 0.001, 0.02, 0.2)
    assert measured.conversations[0].cpu_s["render"] == 40
    assert measured.conversations[0].asked["whole"].completion_tokens == 1500
    assert [run.workers for run in measured.runs] == [1, 2]
    beside_runs, beside_stages = 99, 2 * 41
    assert [run.drift for run in measured.runs] == pytest.approx([beside_runs / beside_stages] * 2)
    assert fed(results().model_copy(update={"workers": None})) is None


def test_results_are_kept_and_those_of_another_request_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    assert kept(path, "a test", SMALL).stages is None
    path.write_text(results().to_json())
    assert kept(path, "a test", SMALL) == results()
    for other in (("another machine", SMALL), ("a test", Sizes())):
        with pytest.raises(OutputError, match="choose another --out"):
            kept(path, *other)


def test_stages_that_were_stopped_go_on_with_the_next_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, asked = results().stages, []

    def both(job: Job, script_s: float) -> Conversation:
        if len(asked) == 1:
            asked.append("stopped")
            raise KeyboardInterrupt
        asked.append(job.spec.id)
        assert one is not None
        return one.conversations[0]

    monkeypatch.setattr(part, "_both", both)
    for name in ("voices_s", "finish_s", "plan_s"):
        monkeypatch.setattr(part, name, lambda *_: 1.0)
    with pytest.raises(KeyboardInterrupt):
        part.stages(SMALL, tmp_path, print)
    found = part.stages(SMALL, tmp_path, print)
    assert asked == ["c0000", "stopped", "c0001"]
    assert len(found.conversations) == 2
    assert not (tmp_path / part.SO_FAR).exists()


@pytest.mark.speech
def test_finishing_is_measured_on_copies_and_leaves_nothing(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished: list[int] = []

    def spent(work: Callable[[], dict[str, Any]]) -> float:
        """A second for each that is finished."""
        finished.append(work()["all"]["conversations"])
        return float(finished[-1])

    monkeypatch.setattr(fixed, "_spent", spent)
    corpus = tmp_path / "stages"
    shutil.copytree(tiny / "conversations", corpus / "conversations")
    names = [path.name for path in (corpus / "conversations").iterdir()]
    assert fixed.finish_s(corpus, names) == 1.0
    assert sorted(finished) == [fixed.COPIES * len(names), fixed.MORE_COPIES * len(names)]
    assert [path.name for path in tmp_path.iterdir()] == ["stages"]


def test_a_spell_is_timed_by_the_processor_and_by_the_clock() -> None:
    def work() -> Made:
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        time.sleep(0.3)
        return Made(speech_s=6.0)

    spell = timed(work, start_s=1.0)
    assert 0.2 <= spell.cpu_s < 0.4
    assert spell.end_s - spell.begin_s >= 0.5
    assert spell.peak_mb >= spell.rss_mb > 10
    assert spell.process == os.getpid()


def test_speed_is_that_of_all_processes_while_they_are_busy() -> None:
    """One that ends early is not made slower by another that goes on."""

    def spell(process: int, begin_s: float, end_s: float) -> Spell:
        return Spell(
            process=process,
            begin_s=begin_s,
            end_s=end_s,
            cpu_s=1,
            start_s=1,
            rss_mb=1,
            peak_mb=1,
            audio_s=0,
            speech_s=10,
        )

    spells = [spell(1, 0, 5), spell(1, 5, 10), spell(2, 0, 5)]
    assert speed(spells) == pytest.approx(20 / 10 + 10 / 5)
    assert wall_s(spells) == 10


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--only", "stages,nothing"], "nothing"),
        (["--only", "peer"], "--peer"),
        (["--stages", "2", "--workers", "9"], "ask for fewer"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    args: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*args, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert said in error


def test_what_is_no_folder_or_no_python_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["--out", str(tmp_path / "file")]) == main(["--out", str(tmp_path), "--peer", str(tmp_path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("error: --out ")
    assert second.startswith("error: --peer ")


def test_a_process_that_only_speaks_loads_no_more_than_that() -> None:
    """Else its memory would not be that of bare synthesis."""
    code = "import sys, pipeline.bench.__main__, pipeline.bench.speaking; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not {"matplotlib", "pipeline.run", "simpy", "hydra", "openai"} & set(loaded.split())


@pytest.mark.speech
def test_real_stages_are_measured_once(tmp_path: Path) -> None:
    args = ("--stages", "2", "--workers", "2", "--seconds", "6", "--only", "plan,renoise", f"--out={tmp_path}")
    done = pipeline(*args, "--json", module="pipeline.bench")
    assert done.returncode == 0, done.stderr
    found = Results.from_json(done.stdout)
    assert found.machine == machine()
    assert found.plan is not None
    assert found.plan.warm_cpu_s < found.plan.cold_cpu_s
    assert found.renoise is not None
    assert set(found.renoise.cpu_s) == {"check", "augment", "assemble"}
    assert found.renoise.real_time > 5
    again = pipeline(*args, "--json", module="pipeline.bench")
    assert "plan: measured already" in again.stderr
    assert json.loads(again.stdout) == json.loads(done.stdout)
