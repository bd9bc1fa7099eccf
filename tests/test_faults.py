"""After any fault a second run completes: the same bytes, nothing complete made again, nothing lost, nothing left over.

A small corpus is made in processes of their own and spoken by an endpoint that hums; `-m slow` kills it fifty times,
with sound from the real voice too.
"""

import errno
import os
import platform
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_support import empty_speech_cache, sums
from fault_support import SPOKEN, Bench, N, bench_at, complete, hum, left_over, waited, whole
from script_support import Answer, FakeEndpoint

from pipeline.speech.cache import UNFINISHED, ArrayCache
from pipeline.workspace import replacing, sweep, write_text

KILLS, SHORT = 50, 6


@pytest.fixture(scope="module")
def endpoint():
    """One server for all, since its address is part of what a corpus says of its voices."""
    with FakeEndpoint(hum) as fake:
        yield fake


@pytest.fixture(scope="module")
def undisturbed(endpoint, tmp_path_factory):
    """The sums of the corpus as one undisturbed run makes it, how long that took, and what the endpoint was asked."""
    one = bench_at(endpoint, tmp_path_factory.mktemp("undisturbed"))
    one.run(one.folder / "warm" / "mine", "until=script")  # the process that others are forked from is there
    started, before = time.monotonic(), one.asked
    one.run(one.folder / "mine")
    took = time.monotonic() - started
    assert not left_over(one.folder)
    return sums(one.folder / "mine"), manifest(one.folder / "mine"), took, one.asked - before


@pytest.fixture
def one(endpoint, tmp_path):
    """A bench with nothing made yet."""
    return bench_at(endpoint, tmp_path)


def manifest(corpus: Path) -> str:
    return (corpus / "manifest.jsonl").read_text()


def completes(one: Bench, out: Path, undisturbed, *more: str) -> str:
    """A second run makes what is missing and nothing else; returns what it said."""
    expected, listed, _, _ = undisturbed
    before = complete(out)
    said = one.run(out, *more)
    assert sums(out) == expected
    assert manifest(out) == listed
    after = complete(out)
    again = [name for name in before if after[name] != before[name]]
    assert not again, "nothing that was complete was made again"
    there = len(whole(before))
    assert f"({N - there} made, {there} as they were)" in said
    assert not left_over(one.folder)
    return said


@pytest.mark.parametrize("kills", [SHORT, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_a_run_killed_at_random_moments_is_completed_by_the_next(undisturbed, endpoint, tmp_path, kills):
    draw, took, asked = random.Random(kills), undisturbed[2], undisturbed[3]
    reached = set()
    for number in range(kills):
        one = bench_at(endpoint, tmp_path / str(number))
        out = one.folder / "mine"
        run = one.begin(out)
        run.wait(took * (number + draw.random()) / kills)
        run.kill()
        reached.add(len(complete(out)))
        completes(one, out, undisturbed)
        # What was being asked when the run was killed is asked again, and nothing else.
        assert one.asked <= asked + 1
    assert len(reached) > min(kills, 20) // 3, "the kills are spread over the course of the run"


@pytest.mark.slow
@pytest.mark.speech
def test_a_run_with_the_real_voice_killed_at_random_moments_is_completed_by_the_next(endpoint, tmp_path):
    def spoken(name: str) -> Bench:
        empty_speech_cache(tmp_path / name / "cache")
        return replace(bench_at(endpoint, tmp_path / name), request=SPOKEN)

    first, draw = spoken("undisturbed"), random.Random(1)
    started = time.monotonic()
    first.run(first.folder / "mine")
    took, expected = time.monotonic() - started, sums(first.folder / "mine")
    for number in range(5):
        one = spoken(str(number))
        out = one.folder / "mine"
        run = one.begin(out)
        run.wait(took * (number + draw.random()) / 5)
        run.kill()
        before = complete(out)
        one.run(out)
        assert sums(out) == expected
        assert {name: complete(out)[name] for name in before} == before
        assert not left_over(out, one.cache / "speech")


def test_workers_killed_with_their_run_leave_nothing_that_the_next_does_not_complete(undisturbed, one, tmp_path):
    out = tmp_path / "mine"
    run = one.begin(out, "executor=local", "workers=2")
    waited(lambda: list(out.glob("work/*/orchestrate.done.json")))
    run.kill()
    completes(one, out, undisturbed, "executor=local", "workers=2")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("work/c0001/timeline.json", "cut"),
        ("work/c0001/render.done.json", "changed"),
        ("work/c0001/render.done.json", "cut"),
        ("work/c0001/stems.flac", "gone"),
        ("conversations/c0001/meta.json", "gone"),
        ("conversations/c0001/mix.flac", "changed"),
    ],
)
def test_a_harmed_file_is_made_again_and_no_other_conversation(made, undisturbed, name, fault):
    one, out = made
    harm(out / name, fault)
    before = {key: when for key, when in complete(out).items() if "c0001" not in key}
    said = one.run(out)
    assert sums(out) == undisturbed[0]
    assert manifest(out) == undisturbed[1]
    assert f"(1 made, {N - 1} as they were)" in said
    assert {key: when for key, when in complete(out).items() if "c0001" not in key} == before


@pytest.fixture(scope="module")
def made(endpoint, tmp_path_factory):
    """A corpus that is there, and its bench."""
    one = bench_at(endpoint, tmp_path_factory.mktemp("made"))
    one.run(one.folder / "mine")
    return one, one.folder / "mine"


def harm(path: Path, fault: str) -> None:
    content = path.read_bytes()
    if fault == "gone":
        path.unlink()
    else:
        half = len(content) // 2
        path.write_bytes(content[:half] if fault == "cut" else content[:half] + b"\0" + content[half + 1 :])


def test_a_harmed_cache_is_asked_for_anew(undisturbed, one, tmp_path):
    one.run(tmp_path / "mine", "until=orchestrate")
    spoken = sorted((one.cache / "said").glob("??/*.npz"))
    harm(spoken[0], "cut"), harm(spoken[1], "changed"), harm(spoken[2], "gone")
    before = one.asked
    completes(one, tmp_path / "mine", undisturbed)
    assert one.asked <= before + 3


def test_an_endpoint_that_fails_for_a_while_is_waited_for(undisturbed, one, tmp_path):
    one.fake.answers = [hum, hum, hum, Answer("", 503), Answer(hang_up=True), Answer("", 503), hum]
    said = one.run(tmp_path / "mine")
    assert f"({N} made, 0 as they were)" in said
    assert sums(tmp_path / "mine") == undisturbed[0]
    assert one.asked == undisturbed[3] + 3


def test_an_endpoint_that_fails_for_longer_than_a_run_waits_is_asked_again_by_the_next(undisturbed, one, tmp_path):
    out = tmp_path / "mine"
    one.fake.answers = [*[hum] * 6, Answer("", 503)]
    said = one.run(out, "tts.endpoint.retries=1", code=1)
    assert "failed:" in said
    assert "503" in said
    one.fake.answers = [hum]
    completes(one, out, undisturbed)


@contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[], None]]:
    """Have `folder` on a disk of its own; yields what fills it up, all but a page."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"a file system cannot be mounted here ({mounted.stderr.decode().strip()})")
    try:
        yield lambda: fill(folder / "ballast")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass


def after(n: int, then: Callable[[], None]) -> Callable[[dict[str, Any]], Answer]:
    """Hum, and do `then` when asked for the nth time."""
    asked = [0]

    def answer(body: dict[str, Any]) -> Answer:
        asked[0] += 1
        if asked[0] == n:
            then()
        return hum(body)

    return answer


@pytest.mark.parametrize("what", ["mine", "cache"])
def test_a_disk_that_fills_up_is_told_in_a_line_and_the_next_run_completes(undisturbed, one, tmp_path, what):
    with small_disk(tmp_path / what) as fill_up:
        one.fake.answers = [after(8, fill_up)]
        out = tmp_path / "mine"
        run = one.begin(out)
        assert run.wait() in (1, 2), run.said
        assert "cannot be written (No space left on device)" in run.said
        assert "Traceback" not in run.said
        assert not left_over(tmp_path)
        (tmp_path / what / "ballast").unlink()
        completes(one, out, undisturbed)


def test_a_file_that_the_system_does_not_let_grow_is_told_in_a_line(undisturbed, one, tmp_path):
    out = tmp_path / "mine"
    one.run(out, "until=orchestrate")
    run = one.begin(out, LARGEST_FILE="60000")
    assert run.wait() in (1, 2), run.said
    assert "stems.flac: cannot be written (File too large)" in run.said
    assert "Traceback" not in run.said
    assert not left_over(tmp_path)
    completes(one, out, undisturbed)


def test_of_two_runs_at_once_the_second_is_refused_and_the_first_completes(undisturbed, one, tmp_path):
    out, refusals = tmp_path / "mine", []
    one.fake.answers = [after(8, lambda: refusals.append(one.run(out, code=2)))]
    said = one.run(out)
    assert "another run is writing this corpus; wait for it" in refusals[0]
    assert f"({N} made, 0 as they were)" in said
    assert sums(out) == undisturbed[0]
    assert manifest(out) == undisturbed[1]


def test_a_ray_worker_lost_in_the_middle_is_replaced_and_the_bytes_are_the_same(undisturbed, one, tmp_path):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    out, lost = tmp_path / "mine", []

    def lose() -> None:
        pid = worker_of(run.process.pid)
        os.kill(pid, signal.SIGKILL)
        lost.append(pid)

    one.fake.answers = [after(6, lambda: lose())]
    run = one.begin(out, "executor=ray", "executor.cpus=0.5", "workers=1")
    assert run.wait() == 0, run.said
    assert lost
    assert f"({N} made, 0 as they were)" in run.said
    assert sums(out) == undisturbed[0]
    assert manifest(out) == undisturbed[1]
    assert one.asked <= undisturbed[3] + 1
    completes(one, out, undisturbed)


def worker_of(run: int) -> int:
    """A Ray actor that works for the process `run`."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"ray::_Worker" in (place / "cmdline").read_bytes() and run in ancestors(int(place.name)):
                return int(place.name)
    raise AssertionError("no worker of this run is there")


def ancestors(pid: int) -> list[int]:
    parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return [parent, *ancestors(parent)] if parent > 1 else []


def test_what_a_killed_process_left_in_a_cache_is_cleared_and_what_is_being_written_stays(tmp_path):
    cache = ArrayCache(tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    folder = tmp_path / UNFINISHED
    folder.mkdir()
    node = platform.node()
    names = [
        f"a.npz.{node}.{gone.pid}",
        f"b.npz.{node}.{os.getpid()}",
        "c.npz.other.example.1",
        "d.npz.other.example.1",
    ]
    for name in names:
        (folder / name).touch()
    os.utime(folder / names[3], (0, 0))
    cache.sweep()
    assert sorted(path.name for path in folder.iterdir()) == names[1:3]


def test_a_cache_is_cleared_on_a_machine_whose_name_has_dots(tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "node-3.cluster.example")
    gone = subprocess.Popen(["true"])
    gone.wait()
    folder = tmp_path / UNFINISHED
    folder.mkdir()
    names = [f"a.npz.node-3.cluster.example.{process}" for process in (gone.pid, os.getpid())]
    for name in [*names, "strange.name", "b.npz.node-3.cluster.example.x"]:
        (folder / name).touch()
    ArrayCache(tmp_path).sweep()
    assert {path.name for path in folder.iterdir()} == {names[1], "strange.name", "b.npz.node-3.cluster.example.x"}


def test_shares_that_clear_a_cache_at_once_do_not_trip_over_each_other(tmp_path, monkeypatch):
    (tmp_path / UNFINISHED).mkdir()
    (tmp_path / UNFINISHED / "a.npz.other.1").touch()
    cache, stat = ArrayCache(tmp_path), Path.stat

    def just_gone(path, **options):
        if path.name == "a.npz.other.1":
            path.unlink(missing_ok=True)
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", just_gone)
    cache.sweep()
    assert not list((tmp_path / UNFINISHED).iterdir())


def test_a_cache_that_may_only_be_read_is_read(tmp_path, monkeypatch):
    cache = ArrayCache(tmp_path)
    cache.put("abcd", {"x": np.arange(3)})

    def refused(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("utime", "open", "unlink"):
        monkeypatch.setattr(os, name, refused)
    assert cache.get("abcd") is not None
    assert cache.get("none") is None


def test_containers_with_equal_process_numbers_do_not_write_into_each_others_files(tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "one.example")
    with replacing(tmp_path / "a.json") as mine:
        mine.write_text("mine")
        monkeypatch.setattr(platform, "node", lambda: "two.example")
        write_text(tmp_path / "a.json", "theirs")
        assert mine.read_text() == "mine"
    assert (tmp_path / "a.json").read_text() == "mine"
    mine.touch()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
