"""Results come whatever the pool; a lost worker is a clear line, an interrupt is prompt."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from command_support import ROOT, pipeline, sums
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ConfigError, OutputError, WorkerError
from pipeline.executors import ExecutorSettings, Local, OnRay, Serial
from pipeline.locks import locked
from pipeline.progress import Note
from pipeline.shard import Shard


def double(job, notify):
    notify(Note(f"j{job}", "working"))
    return 2 * job


def die(job, notify):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def _workers_find_this_module(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))


def on_ray(**settings) -> OnRay:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    return OnRay(ExecutorSettings(kind="ray", cpus=0.5, **settings), workers=2)


@pytest.mark.parametrize("executor", [Serial, lambda: Local(2), on_ray])
def test_every_job_gives_its_result_and_its_notes(executor):
    notes = []
    assert sorted(executor().map(double, range(5), notes.append)) == [0, 2, 4, 6, 8]
    assert sorted(note.ident for note in notes) == ["j0", "j1", "j2", "j3", "j4"]


def chatter(job, notify):
    """More notes than a pipe holds."""
    for n in range(2000):
        notify(Note(f"j{job}", "x" * 50, n))
    return job


@pytest.mark.parametrize("executor", [lambda: Local(2), on_ray])
def test_a_run_whose_notes_go_nowhere_ends_with_their_error(executor):
    def gone(note):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        list(executor().map(chatter, range(6), gone))


def where(job, notify):
    return str(Path.cwd())


def test_ray_workers_take_relative_paths_as_the_run_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert set(on_ray().map(where, range(2), print)) == {str(tmp_path)}


def test_a_killed_worker_is_one_clear_line():
    with pytest.raises(WorkerError, match=r"workers=2: the system killed a worker.*fewer workers="):
        list(Local(2).map(die, range(3), lambda note: None))


def die_once(job, notify):
    marker = Path(job)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return marker.name


def test_ray_does_the_job_of_a_lost_worker_again(tmp_path):
    jobs = [str(tmp_path / name) for name in "abc"]
    assert sorted(on_ray().map(die_once, jobs, print)) == ["a", "b", "c"]


def test_a_worker_that_ray_loses_too_often_is_one_clear_line():
    with pytest.raises(WorkerError, match=r"lost more than executor.retries=1 times.*same command again"):
        list(on_ray(retries=1).map(die, range(2), print))


def test_ray_workers_are_refused_that_no_machine_can_hold():
    with pytest.raises(ConfigError, match=r"executor.gpus=64.*too few for one worker"):
        on_ray(gpus=64).ready()


@pytest.fixture
def two_machines():
    """A real cluster of two nodes with two CPUs each, and the second of them."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    second = cluster.add_node(num_cpus=2)
    yield cluster, second
    cluster.shutdown()


def test_a_worker_is_counted_where_one_machine_can_hold_it(two_machines):
    whole, wide = (OnRay(ExecutorSettings(kind="ray", cpus=cpus, address=two_machines[0].address)) for cpus in (2, 4))
    with pytest.raises(ConfigError, match="a machine of the cluster has at most 2 CPUs"):
        list(wide.map(double, range(2), print))
    assert sorted(whole.map(double, range(5), print)) == [0, 2, 4, 6, 8]


def begin(job, notify):
    """Leaves a file each time that it is begun, whoever hears of it."""
    place = Path(job)
    (place.parent / f"{place.name}-{uuid.uuid4().hex}").touch()
    notify(Note(place.name, "begun"))
    time.sleep(1.5)
    return place.name


def test_the_job_of_a_lost_machine_is_done_on_another(two_machines, tmp_path):
    cluster, second = two_machines
    told = []

    def notify(note):
        told.append(note.ident)
        if len(told) == 2:  # one on each
            cluster.remove_node(second, allow_graceful=False)

    executor = OnRay(ExecutorSettings(kind="ray", cpus=2, address=cluster.address))
    assert sorted(executor.map(begin, [str(tmp_path / name) for name in "abcd"], notify)) == list("abcd")
    assert len(list(tmp_path.iterdir())) == 5, "the one in hand was begun again"


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1"])
def test_a_cluster_that_does_not_answer_is_one_line_at_once(address, tmp_path):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    started = time.monotonic()
    done = pipeline(*PLANNED, "executor=ray", f"executor.address={address}", f"out={tmp_path}/corpus")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"executor.address={address}: no Ray cluster answers there" in done.stderr
    assert time.monotonic() - started < 60
    assert not (tmp_path / "corpus").exists()


PLANNED = ("script=template", "n=4", "duration=12", "speakers=2", "seed=9", "until=orchestrate")


@pytest.fixture(scope="module")
def planned_once(tmp_path_factory):
    out = tmp_path_factory.mktemp("planned") / "corpus"
    assert pipeline(*PLANNED, f"out={out}", "executor=serial").returncode == 0
    return sums(out, "work")


@pytest.mark.speech
def test_a_ray_cluster_makes_the_same_bytes(planned_once, tmp_path):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    done = pipeline(*PLANNED, f"out={tmp_path}/corpus", "executor=ray", "executor.cpus=0.5", "workers=2")
    assert done.returncode == 0, done.stderr
    assert sums(tmp_path / "corpus", "work") == planned_once


OPTIONS = "executor.options=--partition=cpu --time=01:00:00"


@pytest.mark.speech
def test_an_array_of_shares_makes_the_same_bytes_by_plain_commands(planned_once, tmp_path):
    corpus = tmp_path / "my corpus"
    done = pipeline(*PLANNED, f"out={corpus}", "executor=slurm", "executor.shards=3", "executor.submit=false", OPTIONS)
    assert done.returncode == 0, done.stderr
    assert f"sbatch --parsable '{corpus}/slurm/array.sh'" in done.stdout
    for line in (
        f'#SBATCH --output="{corpus}/slurm/share-%a.log"',
        "#SBATCH --array=0-2",
        "#SBATCH --time=01:00:00",
        "#SBATCH --partition=cpu",
    ):
        assert line in (corpus / "slurm" / "array.sh").read_text().splitlines()
    at_once = [task(corpus / "slurm" / "array.sh", number) for number in range(3)]
    assert [one.wait() for one in at_once] == [0, 0, 0]
    assert not (corpus / "stats.json").exists(), "a share does not finish the corpus"
    assert task(corpus / "slurm" / "finish.sh").wait() == 0
    assert (corpus / "stats.json").exists()
    assert sums(corpus, "work") == planned_once


def task(script, number=0):
    """A script of the array, as Slurm would run it: by its shebang, with its number in the environment."""
    return subprocess.Popen(["bash", script], cwd=ROOT, env={**os.environ, "SLURM_ARRAY_TASK_ID": str(number)})


@given(st.lists(st.text("abc0123-", min_size=1), unique=True), st.integers(1, 40))
def test_each_conversation_is_in_one_share(idents, count):
    shares = [Shard(index=k, count=count) for k in range(count)]
    assert all(sum(share.holds(ident) for share in shares) == 1 for ident in idents)


@pytest.mark.parametrize("value", ["3", "3/3", "a/b", "-1/2", "1/0"])
def test_a_share_that_is_none_is_one_line(value, tmp_path):
    done = pipeline(*PLANNED, f"shard={value}", f"out={tmp_path}/corpus")
    assert done.returncode == 2
    assert done.stderr.startswith("error: setting shard")
    assert len(done.stderr.splitlines()) == 1


def test_a_share_waits_for_nobody_and_a_whole_run_for_all(tmp_path):
    with locked(tmp_path / "c", Shard(index=0, count=2)), locked(tmp_path / "c", Shard(index=1, count=2)):
        for other in (None, Shard(index=1, count=2)):
            with pytest.raises(OutputError, match="another run is writing this corpus"), locked(tmp_path / "c", other):
                pass
    assert not (tmp_path / "c").exists(), "nothing came of it"


def test_a_share_that_ends_leaves_the_locks_of_the_others(tmp_path):
    with locked(tmp_path / "c", Shard(index=0, count=2)):
        with locked(tmp_path / "c", Shard(index=1, count=2)):
            pass
        for other in (None, Shard(index=0, count=2)):
            with pytest.raises(OutputError, match="another run is writing this corpus"), locked(tmp_path / "c", other):
                pass


def test_a_lock_that_another_run_removed_while_it_was_taken_is_taken_again(tmp_path, monkeypatch):
    flock, removed = fcntl.flock, []

    def late(lock, how):
        if not removed:
            removed.append(shutil.rmtree(tmp_path / "c"))
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", late)
    refused = pytest.raises(OutputError, match="another run is writing this corpus")
    with locked(tmp_path / "c"), refused, locked(tmp_path / "c"):
        pass


def test_shares_hold_a_folder_on_nfs(tmp_path, monkeypatch):
    flock = fcntl.flock

    def as_nfs_has_it(lock, how):
        if not (lock.readable() if how & fcntl.LOCK_SH else lock.writable()):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", as_nfs_has_it)
    with locked(tmp_path / "c", Shard(index=0, count=2)), locked(tmp_path / "c", Shard(index=1, count=2)):
        pass


def test_a_folder_without_locks_is_not_said_to_be_another_runs(tmp_path, monkeypatch):
    def none(lock, how):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", none)
    with pytest.raises(OutputError, match=r"cannot be locked \(No locks available\); choose"), locked(tmp_path):
        pass


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
