"""What the README tells people to type works."""

import json
import re
import subprocess
import sys

import pytest
from command_support import ROOT, pipeline

from pipeline.bench.results import Results
from pipeline.bench.table import lines as bench_lines
from pipeline.beside import read_compared, table
from pipeline.boundaries.figures import Figures
from pipeline.boundaries.table import row as table_row
from pipeline.evaluation.report import Report
from pipeline.evaluation.report import lines as score_lines
from pipeline.scale.check import lines as check_lines
from pipeline.scale.measured import SHIPPED, Measured
from pipeline.scale.outcome import Outcome, outcome
from pipeline.scale.table import rows as scale_rows

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def make(*args):
    command = ["make", "--no-print-directory", f"VENV={sys.prefix}", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_make_command_names_a_target_there_is():
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    used = set(re.findall(r"^make ([a-z-]+)", README, re.M)) | set(re.findall(r"`make ([a-z-]+)", README))
    assert {"corpus", "test", "lint", "bench"} <= used <= targets


def test_the_variables_of_make_corpus_are_those_of_the_table():
    told = re.findall(r"^\| `([A-Z]+)` \|", README, re.M)
    assert told == ["N", "TYPE", "SPEAKERS", "DURATION", "SPLIT", "SEED", "OUT", "WORKERS", "ONLY", "ARGS"]
    assert told == re.findall(
        r"^([A-Z]+) +\?=", MAKEFILE.partition("N        ?=")[1] + MAKEFILE.partition("N        ?=")[2], re.M
    )


def test_files_named_in_the_readme_exist():
    for path in re.findall(r"`((?:pipeline|tests|conf|prompts|voices|noise)/[\w./-]*)`", README):
        assert (ROOT / path).exists(), path


def test_make_help_lists_the_targets():
    said = make("help").stdout
    assert "corpus" in said
    assert "make a corpus: N conversations of TYPE" in said


@pytest.mark.speech
def test_make_corpus_passes_its_variables_on(tmp_path):
    out = tmp_path / "my corpus=1"
    args = ("N=1", "TYPE=casual", "SPEAKERS=2,3", "DURATION=12", "SPLIT=test", "SEED=3", "WORKERS=1", "ONLY=c0000")
    done = make("corpus", *args, f"OUT={out}", "ARGS=script=template noise=none")
    assert done.returncode == 0, done.stderr
    assert "1 conversations" in done.stdout
    request = (out / "corpus.yaml").read_text()
    for line in ("type: casual", "split: test", "duration: 12.0", "seed: 3", "writer: template"):
        assert line in request
    assert pipeline(str(out), module="pipeline.validate").returncode == 0


@pytest.mark.speech
@pytest.mark.model
def test_the_real_language_model_writes_and_the_real_voice_speaks(tmp_path):
    """The first command of the README at its smallest: embedded server, real model, real Kokoro."""
    out = tmp_path / "corpus"
    done = pipeline("n=1", "type=argumentative", "speakers=2", "duration=20", f"out={out}")
    assert done.returncode == 0, done.stderr
    assert pipeline(str(out), module="pipeline.validate").returncode == 0
    script = (out / "conversations/c0000/script.json").read_text()
    assert '"author": "model"' in script
    assert (out / "conversations/c0000/exchange.jsonl").read_text().count('"reply"') > 3


def test_the_table_of_the_design_is_that_of_the_kept_figures():
    lines = list(table(read_compared(ROOT / "tests" / "data" / "splits.json")))
    assert "\n".join(lines) in README
    assert all("**MISSED**" not in line for line in lines), "a miss is to be named with its cause"


def test_the_word_times_are_those_of_the_kept_figures_and_near_enough():
    figures = Figures.read(ROOT / "tests" / "data" / "boundaries.json")
    (judged,) = figures.aligners.values()
    words = judged.logged["all word times"]
    for name, one in {**figures.outer, **figures.landmarks, "all word times": words}.items():
        assert table_row(name, one) in README
    assert f"{judged.words:,} words" in README
    assert judged.words >= 1000
    assert len(judged.voices) >= 8
    assert abs(words.median_ms) <= 15
    assert words.within_60 >= 0.95
    assert all(one.within_15 >= 0.95 for one in figures.outer.values())


def test_the_scores_of_the_design_are_the_kept_ones():
    kept = Report.model_validate_json((ROOT / "tests" / "data" / "scores.json").read_text(encoding="utf-8"))
    assert "\n".join(score_lines(kept, sliced=True)) in README
    assert kept.shortcuts
    assert not kept.shortcuts.found, "a shortcut is to be countered, not shown"
    assert all(kept.shortcuts.enough.values())


def kept_outcomes():
    kept = json.loads((ROOT / "tests" / "data" / "scale.json").read_text(encoding="utf-8"))
    return [Outcome.model_validate({k: v for k, v in one.items() if k in Outcome.model_fields}) for one in kept]


def test_the_figures_of_the_benchmark_are_the_kept_ones():
    found = Results.read(ROOT / "tests" / "data" / "bench.json")
    assert "\n".join(bench_lines(found)) in README


def test_the_plan_for_many_hours_is_that_of_the_model():
    several = kept_outcomes()
    assert "\n".join(scale_rows(several)) in README
    assert "\n".join(check_lines(Measured.read(SHIPPED))) in README
    command = re.search(r"^make scale ARGS='(.*?)'", README, re.M | re.S)
    options = command[1].replace("\\", "").split()
    asked = several[0].scenario.model_dump()
    for name, value in zip(options[::2], options[1::2], strict=True):
        if name != "--sweep":
            assert str(asked[name[2:].replace("-", "_")]) in (value, f"{value}.0"), name
    assert [str(one.scenario.nodes) for one in several] == options[options.index("--sweep") + 1].split(",")


@pytest.mark.slow
def test_the_kept_plan_is_what_the_model_says_now():
    (first, *_) = kept_outcomes()
    assert outcome(Measured.read(SHIPPED), first.scenario) == first
