"""Every command explains itself, ends quietly, and talks to scripts as well as to people."""

import argparse
import importlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from command_support import ROOT, pipeline
from corpus_support import example_corpus

from pipeline.command import INTERRUPTED, READER_GONE, command_parser, ended
from pipeline.output.corpus import About, finish_corpus

NOT_FOR_PEOPLE = {"pipeline/llm/serving.py", "pipeline/bench/peer_side.py"}
"""Run in processes of their own, which the pipeline starts."""


def modules():
    """The dotted names of all modules that can be run."""
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8") and name not in NOT_FOR_PEOPLE:
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")


COMMANDS = [name for name in modules() if name != "pipeline.evaluation.command"]


@pytest.fixture
def parser_of(monkeypatch):
    """The parser that a command makes, before it reads anything."""

    def made(name, *arguments):
        try:
            module = importlib.import_module(f"{name}.__main__")
        except ModuleNotFoundError:
            module = importlib.import_module(name)
        caught = []

        def caught_one(self, *_, **__):
            caught.append(self)
            raise SystemExit(0)

        for method in ("parse_args", "parse_intermixed_args"):
            monkeypatch.setattr(argparse.ArgumentParser, method, caught_one)
        with pytest.raises(SystemExit):
            module.main([*arguments])
        monkeypatch.undo()
        return caught[0]

    return made


def test_there_are_commands_and_they_are_found():
    assert {"pipeline", "pipeline.validate", "pipeline.score", "pipeline.prove", "pipeline.card"} <= set(COMMANDS)
    assert len(COMMANDS) > 25


@pytest.mark.parametrize("name", [*COMMANDS, "pipeline.annotate agreement"])
def test_help_says_what_for_with_an_example_and_the_exit_status(parser_of, name):
    module, *arguments = name.split()
    parser = parser_of(module, *arguments)
    help_text = parser.format_help()
    assert len(parser.description.split()) >= 5
    assert f"usage: python -m {name}" in help_text
    assert "``" not in help_text
    assert ":mod:" not in help_text
    assert re.search(rf"examples?:\n  python -m {re.escape(name)}\b", help_text), "an example that can be typed"
    assert re.search(r"exit status: .*\b2 .*\b130 interrupted", help_text.replace("\n", " "))
    for action in parser._actions:
        assert action.help, f"{name}: {action.option_strings or action.dest} says nothing"


def test_the_examples_can_be_parsed(parser_of):
    for name in COMMANDS:
        parser = parser_of(name)
        for line in re.findall(r"^  (python -m .+)$", parser.epilog, re.M):
            _, _, module, *arguments = shlex.split(line)
            if module != name or arguments[:1] == ["agreement"]:
                continue
            assert parser.parse_args(arguments), line


def test_paragraphs_are_filled_and_indented_lines_kept():
    parser = command_parser("some.thing", "One line\nand more of it.\n\nAnother ``word``.", "python -m some.thing x")
    told = parser.format_help()
    assert "\nOne line and more of it.\n\nAnother word.\n" in told
    assert "example:\n  python -m some.thing x\n\nexit status: 0 done" in told


# Scripts ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = example_corpus(tmp_path_factory.mktemp("corpora") / "mine")
    finish_corpus(folder, About())
    return folder


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pipeline.validate", ["CORPUS"]),
        ("pipeline.report", ["CORPUS", "--no-plots"]),
        ("pipeline.audit", ["CORPUS"]),
        ("pipeline.beside", ["CORPUS"]),
        ("pipeline.prose", ["CORPUS"]),
        ("pipeline.score", ["CORPUS", "--detectors", "rms", "--no-shortcuts"]),
        ("pipeline.prove", ["CORPUS", "--gates", "clipping,validator", "--no-page"]),
        ("pipeline.export", ["--list"]),
        ("pipeline.estimate", ["script=template", "n=2"]),
        ("pipeline.models", []),
    ],
)
def test_json_alone_is_on_standard_output(corpus, capsys, name, arguments):
    try:
        module = importlib.import_module(f"{name}.__main__")
    except ModuleNotFoundError:
        module = importlib.import_module(name)
    status = module.main([str(corpus) if one == "CORPUS" else one for one in arguments] + ["--json"])
    assert status in (0, 1)
    assert json.loads(capsys.readouterr().out)


def test_a_run_can_be_told_as_json(tmp_path, capsys):
    from pipeline.__main__ import main

    given = ["n=2", "script=template", "duration=12", "until=script", f"out={tmp_path / 'made'}"]
    assert main([*given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["corpus"], told["until"], told["failed"]) == (str(tmp_path / "made"), "script", [])
    assert [one["ident"] for one in told["conversations"]] == ["c0000", "c0001"]


def test_a_stress_corpus_and_what_slurm_is_told_are_json_too(tmp_path, capsys):
    from pipeline.__main__ import main
    from pipeline.stress.__main__ import main as stress

    given = ["n=1", "duration=30", "until=script", f"out={tmp_path / 'made'}"]
    assert stress(["smooth_talk", *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["failed"] == []
    slurm = ["executor=slurm", "executor.submit=false", "script=template", f"out={tmp_path / 'slurm'}"]
    assert main([*slurm, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["told"]


# The end ---------------------------------------------------------------------------------------------------


def test_an_interrupt_is_a_word_and_130(capsys):
    def main():
        raise KeyboardInterrupt

    assert ended(main) == INTERRUPTED == 130
    assert capsys.readouterr().err == "stopped\n"


def test_output_that_nobody_reads_is_no_error():
    reader = subprocess.Popen([sys.executable, "-c", "pass"], stdin=subprocess.PIPE, cwd=ROOT)
    code = (
        "import sys\nfrom pipeline.command import ended\n"
        "def main():\n    for n in range(100000):\n        print('a line of output', n)\n    return 0\n"
        "sys.exit(ended(main))"
    )
    writer = subprocess.run(
        [sys.executable, "-c", code], stdout=reader.stdin, stderr=subprocess.PIPE, check=False, cwd=ROOT, text=True
    )
    reader.wait()
    assert (writer.returncode, writer.stderr) == (READER_GONE, "")


@pytest.mark.speech
def test_an_interrupted_run_leaves_with_130_and_says_how_to_go_on(tmp_path):
    given = ["script=template", "n=40", "noise=none", f"out={tmp_path / 'made'}"]
    run = subprocess.Popen([sys.executable, "-m", "pipeline", *given], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    started = time.monotonic()
    while not list(tmp_path.glob("made/work/*/script.json")) and time.monotonic() - started < 120:
        time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert run.returncode == INTERRUPTED
    assert "the same command goes on where this one was" in said
    assert "Traceback" not in said


# Colour ----------------------------------------------------------------------------------------------------

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


def on_a_terminal(code, **env):
    """What a program writes to a terminal, to both of its outputs."""
    leader, follower = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=follower,
        stderr=follower,
        env={**plain, "TERM": "xterm-256color", **env},
        cwd=ROOT,
        check=True,
    )
    os.close(follower)
    said = b""
    while part := _read(leader):
        said += part
    os.close(leader)
    assert done.returncode == 0
    return said


def _read(leader):
    try:
        return os.read(leader, 65536)
    except OSError:  # the end of a terminal whose other side is closed
        return b""


BAR = (
    "from pipeline.progress import Display, Note\n"
    "with Display(2) as display:\n"
    "    display.say('a line')\n    display.show(Note('c0000', 'done', 3.0))\n"
)
ASKED = "from pipeline.command import in_colour\nprint(in_colour())"


def test_colours_are_for_terminals_and_not_where_no_color_is_set():
    assert COLOUR.search(on_a_terminal(BAR))
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]", on_a_terminal(BAR, NO_COLOR="1"))
    assert b"\x1b" not in on_a_terminal(BAR, TERM="dumb")
    assert b"True" in on_a_terminal(ASKED)
    assert b"False" in on_a_terminal(ASKED, NO_COLOR="1")
    assert b"False" in on_a_terminal(ASKED, TERM="dumb")
    piped = subprocess.run([sys.executable, "-c", BAR + ASKED], capture_output=True, check=True, cwd=ROOT)
    assert b"\x1b" not in piped.stdout + piped.stderr
    assert b"False" in piped.stdout


def test_a_command_in_a_pipe_has_no_colour(corpus):
    done = pipeline(str(corpus), "--no-plots", module="pipeline.report")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
