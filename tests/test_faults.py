"""After any fault a second run completes: the same bytes, nothing complete made again, nothing lost, nothing left over.

A small corpus is made in processes of their own and spoken by an endpoint that hums; `-m slow` kills it fifty times,
with sound from the real voice too.
"""

import random
import time
from pathlib import Path

import pytest
from command_support import sums
from fault_support import N, Bench, bench, complete, hum, left_over, waited, whole
from script_support import Answer

KILLS, SHORT = 50, 6


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The sums of the corpus as one undisturbed run makes it, how long that took, and what the endpoint was asked."""
    with bench(tmp_path_factory.mktemp("undisturbed")) as one:
        one.run(one.folder / "warm" / "mine", "until=script")  # the process that others are forked from is there
        started = time.monotonic()
        one.run(one.folder / "mine")
        took = time.monotonic() - started
        assert not left_over(one.folder)
        return sums(one.folder / "mine"), manifest(one.folder / "mine"), took, one.asked


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
def test_a_run_killed_at_random_moments_is_completed_by_the_next(undisturbed, tmp_path, kills):
    draw, took, asked = random.Random(kills), undisturbed[2], undisturbed[3]
    reached = set()
    for number in range(kills):
        with bench(tmp_path / str(number)) as one:
            out = one.folder / "mine"
            run = one.begin(out)
            run.wait(took * (number + draw.random()) / kills)
            run.kill()
            reached.add(len(complete(out)))
            completes(one, out, undisturbed)
            # What was being asked when the run was killed is asked again, and nothing else.
            assert one.asked <= asked + 1
    assert len(reached) > min(kills, 20) // 3, "the kills are spread over the course of the run"


def test_workers_killed_with_their_run_leave_nothing_that_the_next_does_not_complete(undisturbed, tmp_path):
    with bench(tmp_path) as one:
        out = tmp_path / "mine"
        run = one.begin(out, "executor=local", "workers=2")
        waited(lambda: list(out.glob("work/*/orchestrate.done.json")))
        run.kill()
        completes(one, out, undisturbed, "executor=local", "workers=2")


@pytest.mark.parametrize("fault", ["cut", "changed", "gone"])
@pytest.mark.parametrize(
    "name",
    [
        "work/c0001/timeline.json",
        "work/c0001/render.done.json",
        "work/c0001/stems.flac",
        "conversations/c0001/meta.json",
        "conversations/c0001/mix.flac",
    ],
)
def test_a_harmed_file_is_made_again_and_no_other_conversation(made, undisturbed, fault, name):
    one, out = made
    harm(out / name, fault)
    before = {key: when for key, when in complete(out).items() if "c0001" not in key}
    said = one.run(out)
    assert sums(out) == undisturbed[0]
    assert manifest(out) == undisturbed[1]
    assert f"(1 made, {N - 1} as they were)" in said
    assert {key: when for key, when in complete(out).items() if "c0001" not in key} == before


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A corpus that is there, and its bench."""
    with bench(tmp_path_factory.mktemp("made")) as one:
        out = one.folder / "mine"
        one.run(out)
        yield one, out


def harm(path: Path, fault: str) -> None:
    content = path.read_bytes()
    if fault == "gone":
        path.unlink()
    else:
        half = len(content) // 2
        path.write_bytes(content[:half] if fault == "cut" else content[:half] + b"\0" + content[half + 1 :])


def test_a_harmed_cache_is_asked_for_anew(undisturbed, tmp_path):
    with bench(tmp_path) as one:
        one.run(tmp_path / "mine", "until=orchestrate")
        spoken = sorted((one.cache / "said").glob("??/*.npz"))
        harm(spoken[0], "cut"), harm(spoken[1], "changed"), harm(spoken[2], "gone")
        before = one.asked
        completes(one, tmp_path / "mine", undisturbed)
        assert one.asked <= before + 3


def test_an_endpoint_that_fails_for_a_while_is_waited_for(undisturbed, tmp_path):
    with bench(tmp_path) as one:
        one.fake.answers = [hum, hum, hum, Answer("", 503), Answer(hang_up=True), Answer("", 503), hum]
        said = one.run(tmp_path / "mine")
        assert f"({N} made, 0 as they were)" in said
        assert sums(tmp_path / "mine") == undisturbed[0]
        assert one.asked == undisturbed[3] + 3


def test_an_endpoint_that_fails_for_longer_than_a_run_waits_is_asked_again_by_the_next(undisturbed, tmp_path):
    with bench(tmp_path) as one:
        out = tmp_path / "mine"
        one.fake.answers = [*[hum] * 6, Answer("", 503)]
        said = one.run(out, "tts.endpoint.retries=1", code=1)
        assert "failed:" in said
        assert "503" in said
        one.fake.answers = [hum]
        completes(one, out, undisturbed)
