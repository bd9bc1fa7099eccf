"""Same request, same bytes: whatever the workers, the order, or where a run was stopped."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from command_support import ROOT, empty_speech_cache, pipeline, sums

pytestmark = pytest.mark.speech

SMALL = ("script=template", "n=3", "duration=12", "speakers=2", "seed=9", "noise.distant.probability=1")


def made(corpus):
    """When each stage of each conversation was last done, by its marker file."""
    return {str(p.relative_to(corpus)): p.stat().st_mtime_ns for p in sorted((corpus / "work").rglob("*.done.json"))}


def clean_sums(corpus):
    """Of the clean channels alone."""
    return {name: known for name, known in sums(corpus).items() if "/clean/" in name}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The corpus as one worker makes it, with nothing in the speech cache."""
    folder = tmp_path_factory.mktemp("once")
    done = pipeline(*SMALL, "workers=1", f"out={folder}/corpus", **empty_speech_cache(folder / "cache"))
    assert done.returncode == 0, done.stderr
    return folder / "corpus"


def test_two_workers_in_another_order_make_the_same_bytes(once, tmp_path):
    env = empty_speech_cache(tmp_path / "cache")
    first = pipeline(*SMALL, "only=c0002", f"out={tmp_path}/corpus", **env)
    assert first.returncode == 0, first.stderr
    assert next(iter(sums(tmp_path / "corpus"))).startswith("c0002/")
    rest = pipeline(*SMALL, "workers=2", f"out={tmp_path}/corpus", **env)
    assert rest.returncode == 0, rest.stderr
    assert sums(tmp_path / "corpus") == sums(once)


def test_a_killed_run_goes_on_and_makes_the_same_bytes(once, tmp_path):
    env = empty_speech_cache(tmp_path / "cache")
    corpus = tmp_path / "corpus"
    command = [sys.executable, "-m", "pipeline", *SMALL, "workers=2", f"out={corpus}"]
    run = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **env}, start_new_session=True, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 300
    while not list(corpus.glob("work/*/render.done.json")):
        assert time.monotonic() < deadline, "nothing was rendered in five minutes"
        assert run.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = made(corpus)
    assert before != {}
    again = pipeline(*SMALL, "workers=2", f"out={corpus}", **env)
    assert again.returncode == 0, again.stderr
    assert sums(corpus) == sums(once)
    after = made(corpus)
    assert {name: after[name] for name in before} == before, "nothing that was done is done again"
    assert not [p for p in corpus.rglob("*") if ".part" in p.name], "no temporary file is left"


def test_an_unchanged_request_makes_nothing_again(once):
    before = made(once)
    done = pipeline(*SMALL, f"out={once}")
    assert "(0 made, 3 as they were)" in done.stdout
    assert made(once) == before


def test_a_harmed_artefact_is_made_again(once):
    expected = sums(once)
    (once / "conversations" / "c0001" / "gold.json").write_text("{}")
    (once / "work" / "c0000" / "stems.flac").unlink()
    done = pipeline(*SMALL, f"out={once}")
    assert done.returncode == 0, done.stderr
    assert "(2 made, 1 as they were)" in done.stdout
    assert sums(once) == expected


def test_changing_the_noise_repeats_stages_4_and_5_alone(once, tmp_path):
    before, clean = made(once), clean_sums(once)
    done = pipeline(*SMALL, f"out={once}", "noise.snr_db=[5,6]")
    assert done.returncode == 0, done.stderr
    changed = {name.rpartition("/")[2] for name, when in made(once).items() if before[name] != when}
    assert changed == {"augment.done.json", "assemble.done.json"}
    meta = json.loads((once / "conversations/c0000/meta.json").read_text())
    assert 5 <= meta["nuisance"]["levels"]["snr_db"] <= 6
    assert clean_sums(once) == clean


def test_clean_channels_are_written_again_only_where_they_are_not_what_is_due(once):
    def written():
        return {str(p.relative_to(once)): p.stat().st_mtime_ns for p in sorted(once.glob("conversations/*/clean/*"))}

    assert pipeline(*SMALL, f"out={once}").returncode == 0
    expected, before = clean_sums(once), written()
    harmed, removed = (once / f"conversations/{name}" for name in ("c0000/clean/s1.flac", "c0001/clean/s2.flac"))
    harmed.write_bytes(b"")
    removed.unlink()
    assert pipeline(*SMALL, f"out={once}", "noise.snr_db=[7,8]").returncode == 0
    again = {name.split("/")[1] for name, when in written().items() if before.get(name) != when}
    assert again == {"c0000", "c0001"}
    assert clean_sums(once) == expected
    assert pipeline(*SMALL, f"out={once}", "noise.snr_db=[7,8]", "output.level_db=-30").returncode == 0
    assert {n for n, when in written().items() if before.get(n) != when} == set(before), "at another level, all are"
    assert pipeline(*SMALL, f"out={once}", "noise.snr_db=[5,6]").returncode == 0


def test_a_corpus_grows_and_keeps_what_it_has(once, tmp_path):
    before = sums(once)
    more = [arg.replace("n=3", "n=4") for arg in SMALL]
    done = pipeline(*more, f"out={once}", "noise.snr_db=[5,6]")
    assert done.returncode == 0, done.stderr
    after = sums(once)
    assert {name: after[name] for name in before} == before
    assert any(name.startswith("c0003/") for name in after)
    fewer = pipeline(*SMALL, f"out={once}")
    assert fewer.returncode == 2
    assert "a corpus can grow but not shrink" in fewer.stderr


def test_a_corpus_yaml_can_be_run_again_as_it_is(once, tmp_path):
    done = pipeline(f"--config-dir={once}", "--config-name=corpus", f"out={tmp_path}/again")
    assert done.returncode == 0, done.stderr
    assert sums(tmp_path / "again") == sums(once)


def test_two_runs_at_once_on_one_corpus_are_refused(once):
    import fcntl

    with (once / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = pipeline(*[arg.replace("n=3", "n=4") for arg in SMALL], f"out={once}")
    assert done.returncode == 2
    assert "another run is writing this corpus" in done.stderr
