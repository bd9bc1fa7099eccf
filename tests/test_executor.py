"""Results come whatever the pool; a lost worker is a clear line, an interrupt is prompt."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_support import ROOT

from pipeline.errors import WorkerError
from pipeline.executor import Local, Serial
from pipeline.progress import Note


def double(job, notify):
    notify(Note(f"j{job}", "working"))
    return 2 * job


def die(job, notify):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("executor", [Serial(), Local(2)])
def test_every_job_gives_its_result_and_its_notes(executor):
    notes = []
    assert sorted(executor.map(double, range(5), notes.append)) == [0, 2, 4, 6, 8]
    assert sorted(note.ident for note in notes) == ["j0", "j1", "j2", "j3", "j4"]


def test_a_killed_worker_is_one_clear_line():
    with pytest.raises(WorkerError, match=r"workers=2: the system killed a worker.*fewer workers="):
        list(Local(2).map(die, range(3), lambda note: None))


def linger(folder, notify):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(120)


def test_workers_end_with_a_run_that_was_killed(tmp_path):
    script = f"import test_executor as t; list(t.Local(2).map(t.linger, [{str(tmp_path)!r}] * 2, print))"
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\nif __name__ == '__main__': {script}"
    (tmp_path / "run.py").write_text(code)
    run = subprocess.Popen([sys.executable, tmp_path / "run.py"], cwd=ROOT)
    workers = waited_for(lambda: [path for path in tmp_path.iterdir() if path.name.isdigit()], 2)
    run.kill()
    run.wait()
    left = waited_for(lambda: [path for path in workers if alive(int(path.name))], 0)
    assert not left


def waited_for(found, number):
    """What `found` gives once there are `number` of it, or after half a minute."""
    end = time.monotonic() + 30
    while len(there := found()) != number and time.monotonic() < end:
        time.sleep(0.05)
    return there


def alive(pid):
    """Whether a process runs; one that has ended and that nobody has asked about yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


@pytest.mark.speech
def test_an_interrupt_stops_the_run_at_once_and_the_next_one_goes_on(tmp_path):
    command = [sys.executable, "-m", "pipeline", "script=template", "n=4", "duration=60", f"out={tmp_path}/corpus"]
    run = subprocess.Popen(
        [*command, "workers=2"],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in run.stderr:
        if "render" in line:
            break
    start = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert time.monotonic() - start < 30
    assert "stopped; the same command goes on where this one was" in said
    assert "Traceback" not in said
