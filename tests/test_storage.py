"""A corpus at a URL: the same bytes as in a folder, whole or not there, made by one run at a time; the caches, too.

The server is rclone's, S3-compatible and real; for Google Cloud Storage there is an emulator, and `file://` stands for
the stores whose writes are seen half-written.
"""

import json
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from command_support import pipeline, sums
from fault_support import KEY, N, bench, bench_at, complete, left_over, waited, whole
from store_support import environment, gcs_emulator, s3_server

from pipeline import load_corpus, run
from pipeline.compose import composed, settings_from
from pipeline.conversation import Outcome
from pipeline.errors import ConfigError, InputError, OutputError, StorageError
from pipeline.settings import Settings
from pipeline.shard import Shard
from pipeline.slurm import hand_in
from pipeline.speech.cache import ArrayCache, sweep_caches
from pipeline.storage import hold
from pipeline.storage.address import checked, is_url, scratch
from pipeline.storage.depot import Depot
from pipeline.storage.hold import held
from pipeline.storage.mirror import Mirror
from pipeline.storage.store import Store
from pipeline.storage.stored import Stored
from pipeline.workspace import Workspace, write_text

META = "conversations/c0000/meta.json"


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with s3_server(tmp_path_factory.mktemp("s3")) as server, environment(server.env):
        yield server


@pytest.fixture(scope="module")
def gs(tmp_path_factory):
    with gcs_emulator(tmp_path_factory.mktemp("gs")) as server, environment(server.env):
        yield server


@pytest.fixture(params=["s3", "gs", "file"])
def store(request, tmp_path):
    """An empty place in each kind of store."""
    if request.param == "file":
        return Store(f"file://{tmp_path}/store/mine")
    server = request.getfixturevalue(request.param)
    return Store(f"{server.url}/{tmp_path.name}/mine")


# A store by itself -----------------------------------------------------------------------------------------------


def test_what_is_written_is_read_listed_and_removed(store, tmp_path):
    assert store.listing() == {}
    assert store.read("a/b.txt") is None
    (tmp_path / "big").write_bytes(bytes(range(256)) * 4000)
    store.write("a/b.txt", b"one")
    store.upload({"a/c/d.bin": tmp_path / "big", "e.bin": tmp_path / "big"})
    store.write("a/b.txt", b"other")
    assert {key: found.bytes for key, found in store.listing().items()} == {
        "a/b.txt": 5,
        "a/c/d.bin": 1_024_000,
        "e.bin": 1_024_000,
    }
    assert set(store.listing("a")) == {"a/b.txt", "a/c/d.bin"}
    assert store.read_all(["a/b.txt", "none"]) == {"a/b.txt": b"other"}
    store.download("a/c/d.bin", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == (tmp_path / "big").read_bytes()
    store.remove(["a/b.txt", "never there"])
    assert set(store.listing()) == {"a/c/d.bin", "e.bin"}


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_the_tag_of_a_file_changes_with_its_content(kind, request):
    store = Store(f"{request.getfixturevalue(kind).url}/tags/mine")
    store.write("x", b"one")
    first = store.listing()["x"].tag
    store.write("x", b"two")
    assert first
    assert store.listing()["x"].tag != first


def test_a_store_that_cannot_be_reached_is_one_line(s3):
    with pytest.raises(
        StorageError, match=r"s3://never-made/mine: cannot be written \(.*bucket does not exist"
    ) as said:
        Store("s3://never-made/mine").write("x", b"")
    assert "\n" not in str(said.value)


@pytest.mark.parametrize(
    ("url", "why"),
    [("s3://key:secret@bucket/mine", "credentials"), ("s3://bucket", "below a bucket"), ("s3://a/../b", "below")],
)
def test_a_url_that_cannot_be_one_of_a_corpus_is_refused(url, why):
    with pytest.raises(ValueError, match=why):
        checked(url)
    with pytest.raises(ConfigError) as said:
        Mirror(url)
    assert "secret" not in str(said.value)


def test_folders_are_folders_and_urls_are_urls():
    assert not is_url("my corpus=1")
    assert not is_url(Path("a"))
    assert checked("S3://bucket//corpora/mine/") == "s3://bucket/corpora/mine"
    assert scratch("s3://bucket/corpora/mine").name == "mine"
    assert Settings._place("a b") == Path("a b")


def killed_while_writing(store: Store, key: str) -> None:
    """Have a process killed over a file of which it has written half."""
    child = os.fork()
    if not child:
        try:
            store._opened[0].mv = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
            store.write(key, b"half")
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_writing_that_fails_leaves_what_was_there_and_nothing_else(tmp_path, monkeypatch):
    store = Store(f"file://{tmp_path}/store/mine")
    store.write("a/x", b"one")
    (tmp_path / "big").write_bytes(b"two")
    monkeypatch.setattr(store._opened[0], "mv", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    for write in (lambda: store.write("a/x", b"two"), lambda: store.upload({"a/x": tmp_path / "big"})):
        with pytest.raises(StorageError, match="no space"):
            write()
    assert set(store.listing()) == {"a/x"}
    assert store.read("a/x") == b"one"


def test_what_a_killed_writing_left_is_swept_and_is_nothing_strange(tmp_path):
    depot = Depot(Store(f"file://{tmp_path}/store/mine"), tmp_path / "one")
    killed_while_writing(depot.store, "corpus.yaml")
    assert left_over(tmp_path)
    depot.bring_request()
    depot.sweep([])
    assert left_over(tmp_path), "another share may be writing it"
    depot.sweep([], alone=True)
    assert not left_over(tmp_path)


def test_what_a_killed_writing_left_in_a_shared_cache_goes_after_a_day(tmp_path, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TURNFLOOR_SHARED_CACHE", f"file://{tmp_path}/shared/mine")
    killed_while_writing(Store(f"file://{tmp_path}/shared/mine"), "speech/ab/abcd.npz")
    sweep_caches()
    assert left_over(tmp_path / "shared")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 90_000)
    sweep_caches()
    assert not left_over(tmp_path / "shared")


# Locks -----------------------------------------------------------------------------------------------------------


def test_of_two_runs_at_once_the_second_is_refused_and_the_first_goes_on(store, tmp_path):
    refused = pytest.raises(OutputError, match=r"another run is writing this corpus.*wait for it")
    with held(store, tmp_path / "one", None):
        for shard in (None, Shard(index=0, count=2)):
            with refused, held(store, tmp_path / "two", shard):
                pass
        assert len(store.listing(hold.LOCKS)) == 1
    assert store.listing() == {}


def test_shares_exclude_a_whole_run_and_the_same_share(store, tmp_path):
    refused = pytest.raises(OutputError, match="another run is writing")
    with held(store, tmp_path / "a", Shard(index=0, count=2)), held(store, tmp_path / "b", Shard(index=1, count=2)):
        for shard in (None, Shard(index=1, count=2)):
            with refused, held(store, tmp_path / "c", shard):
                pass


def test_the_lock_of_a_killed_run_is_let_go(store, tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / hold.OWNER).write_text("me")
    store.write(f"{hold.LOCKS}/whole.me", b"{}")
    with held(store, tmp_path / "one", None):
        pass  # on the same machine at once, since its scratch folder is held
    store.write(f"{hold.LOCKS}/whole.other", b"{}")
    time.sleep(1.1)
    monkeypatch.setattr(hold, "DEAD_S", 1.0)
    with held(store, tmp_path / "one", None):
        assert [key.partition(".")[2] for key in store.listing(hold.LOCKS)] == ["locks/whole.me"]
    assert store.listing() == {}


def test_a_run_that_is_alive_says_so_and_ends_when_another_took_over(store, tmp_path, monkeypatch):
    monkeypatch.setattr(hold, "RENEWED_S", 0.05)
    writes, write = [], store.write
    monkeypatch.setattr(store, "write", lambda key, content: (writes.append(key), write(key, content)))

    def taken_over() -> bool:
        if len(writes) > 2:
            store.remove(writes[:1])
        return False

    with pytest.raises(OutputError, match="another run took this corpus over"), held(store, tmp_path, None):
        waited(taken_over, seconds=60)


def test_a_run_that_nothing_interrupts_sends_nothing_once_another_took_over(store, tmp_path):
    root = tmp_path / "one"
    taken_over = pytest.raises(OutputError, match=r"another run took this corpus over.*what was made is kept")
    with held(store, root, None) as key:
        depot = Depot(store, root, key)
        make(depot, "assemble", "one")
        write_text(root / "corpus.yaml", "n: 1")
        depot.send(["c0000"])
        before = store.read("work/c0000/stored.json")
        make(depot, "assemble", "two")
        store.remove([key])
        for send in (lambda: depot.send(["c0000"]), depot.send_request, depot.send_corpus):
            with taken_over:
                send()
    assert store.read("work/c0000/stored.json") == before
    assert "corpus.yaml" not in store.listing()


@pytest.mark.parametrize("step", ["scripts", "make_conversation"])
def test_no_process_of_a_run_sends_anything_once_another_took_over(step, tmp_path, monkeypatch):
    url = f"file://{tmp_path}/store/mine"
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    until = "script" if step == "scripts" else "orchestrate"
    asked = ["script=template", "n=1", f"until={until}", "executor=serial", f"out={url}"]
    there: list[set[str]] = []

    def taken_over(*args):
        store = Store(url)
        store.remove(store.listing(hold.LOCKS))
        there.append(set(store.listing()))
        return scripts(*args) if step == "scripts" else Outcome(ident="c0000")

    scripts = run.scripts
    monkeypatch.setattr(run, "make_ready", lambda *_: None)
    monkeypatch.setattr(run, "_finish", lambda *_: {"made": 1})
    monkeypatch.setattr(run, step, taken_over)
    with pytest.raises(OutputError, match="another run took this corpus over"):
        run.run(settings_from(composed(asked)))
    assert [set(Store(url).listing())] == there


def test_what_a_run_has_to_say_is_said_though_its_lock_cannot_be_removed(tmp_path, monkeypatch):
    store = Store(f"file://{tmp_path}/store/mine")
    monkeypatch.setattr(store, "remove", lambda keys: (_ for _ in ()).throw(StorageError("gone away")))
    with pytest.raises(InputError, match="own"), held(store, tmp_path / "one", None):
        raise InputError("its own")


# A conversation in a store ---------------------------------------------------------------------------------------


def test_an_upload_that_breaks_off_leaves_no_record_and_the_next_run_clears_it(store, tmp_path, monkeypatch):
    depot = Depot(store, tmp_path / "one")
    folder = depot.root / "work" / "c0000"
    folder.mkdir(parents=True)
    (folder / "script.json").write_text("{}")
    depot.send(["c0000"])
    record = store.read("work/c0000/stored.json")
    assert record
    assert set(Stored.from_json(record).files) == {"work/c0000/script.json"}
    (folder / "script.json").write_text("{ }")
    monkeypatch.setattr(Store, "write", lambda *_: (_ for _ in ()).throw(StorageError("broken")))
    with pytest.raises(StorageError):
        depot.send(["c0000"])
    monkeypatch.undo()
    assert set(store.listing()) == {"work/c0000/script.json"}, "files that were replaced are in no record"
    other = Depot(store, tmp_path / "other")
    other.sweep(["c0001"])
    assert set(store.listing()) == {"work/c0000/script.json"}, "another conversation's"
    other.sweep(["c0000"])
    assert store.listing() == {}


@pytest.fixture
def machines(tmp_path):
    """Two machines that have a store in common, and one conversation."""
    return [Depot(Store(f"file://{tmp_path}/store/mine"), tmp_path / name) for name in ("here", "there")]


def make(depot: Depot, stage: str, text: str, name: str = META) -> None:
    """Have a stage make a file."""
    work = Workspace(depot.root, "c0000")
    write_text(depot.root / name if name == META else work.path(name), text)
    work.mark_done(stage, text, (name,))


def test_what_another_machine_made_since_replaces_what_stands_here(machines):
    here, there = machines
    for depot, text in ((here, "one"), (there, "two")):
        depot.bring(["c0000"])
        make(depot, "assemble", text)
        depot.send(["c0000"])
    here.bring(["c0000"])
    assert (here.root / META).read_text() == "two"
    assert Workspace(here.root, "c0000").is_done("assemble", "two")
    here.send(["c0000"])
    assert here.store.read(META) == b"two"


def test_what_was_made_here_since_is_kept_and_sent(machines):
    here, there = machines
    make(here, "assemble", "one")
    here.send(["c0000"])
    make(here, "assemble", "two")  # and this run was killed
    here.bring(["c0000"])
    assert Workspace(here.root, "c0000").is_done("assemble", "two")
    here.send(["c0000"])
    there.bring(["c0000"])
    assert (there.root / META).read_text() == "two"


def test_what_was_brought_by_a_run_that_was_killed_over_it_was_not_made_here(machines, monkeypatch):
    here, there = machines
    make(there, "assemble", "one")
    there.send(["c0000"])
    fetched = here._fetched

    def killed(files):
        list(fetched(files))
        raise KeyboardInterrupt

    monkeypatch.setattr(here, "_fetched", killed)
    with pytest.raises(KeyboardInterrupt):
        here.bring(["c0000"])
    monkeypatch.undo()
    assert (here.root / META).read_text() == "one"
    make(there, "assemble", "two")
    there.send(["c0000"])
    here.bring(["c0000"])
    assert (here.root / META).read_text() == "two"


def test_an_upload_that_breaks_off_takes_nothing_with_it_that_it_does_not_replace(machines, monkeypatch):
    here, there = machines
    make(here, "script", "said", "script.json")
    make(here, "assemble", "one")
    here.send(["c0000"])
    make(here, "assemble", "two")
    monkeypatch.setattr(Store, "upload", lambda *_: (_ for _ in ()).throw(StorageError("broken")))
    with pytest.raises(StorageError):
        here.send(["c0000"])
    monkeypatch.undo()
    there.sweep(["c0000"])
    there.bring(["c0000"])
    assert Workspace(there.root, "c0000").is_done("script", "said")
    assert not (there.root / META).exists()
    here.bring(["c0000"])
    here.send(["c0000"])
    there.bring(["c0000"])
    assert (there.root / META).read_text() == "two"


def test_what_stands_at_a_url_and_is_no_corpus_is_refused(store, tmp_path):
    store.write("holiday.jpg", b"")
    with pytest.raises(OutputError, match=r"holds something that is not a corpus \(holiday.jpg\)"):
        Depot(store, tmp_path / "one").bring_request()


# A corpus in a store ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(s3, tmp_path_factory):
    """The same corpus in a folder and at a URL, its bench, and the sums of the former."""
    with bench(tmp_path_factory.mktemp("made"), **s3.env) as one:
        one.run(one.folder / "mine")
        started = time.monotonic()
        one.run(f"{s3.url}/corpora/mine")
        one.took = time.monotonic() - started
        yield one, f"{s3.url}/corpora/mine", sums(one.folder / "mine")


def at(s3, url) -> Path:
    """The folder that the server keeps what is at `url` in."""
    return s3.folder / url.removeprefix("s3://")


def another_machine(one, name="elsewhere"):
    """The environment of a machine that has nothing of this."""
    (one.folder / name).mkdir(exist_ok=True)
    return {"TURNFLOOR_CACHE": str(one.folder / name)}


def test_a_corpus_at_a_url_has_the_bytes_of_one_in_a_folder(made, s3):
    one, url, expected = made
    assert sums(at(s3, url)) == expected
    folder = one.folder / "mine"
    for name in ("manifest.jsonl", "stats.json", "README.md", "index.html"):
        assert (at(s3, url) / name).read_bytes() == (folder / name).read_bytes(), name
    assert "out: s3://" in (at(s3, url) / "corpus.yaml").read_text()
    assert not left_over(s3.folder, one.folder)
    assert not [path for path in at(s3, url).rglob("*lock*/*") if path.is_file()]
    assert not list((one.cache / "stores").rglob("*.flac")), "sound is here only while it is worked on"
    secret = s3.env["AWS_SECRET_ACCESS_KEY"].encode()
    files = [path for top in (at(s3, url), one.folder) for path in top.rglob("*") if path.is_file()]
    assert not [path for path in files if secret in path.read_bytes()]


def test_the_next_run_makes_nothing_again_on_this_machine_or_another(made, s3):
    one, url, expected = made
    asked = one.asked
    for env in ({}, another_machine(one)):
        assert f"(0 made, {N} as they were)" in one.run(url, **env)
    assert one.asked <= asked + 2, "no more than whether the endpoint speaks"
    assert not list((one.folder / "elsewhere" / "stores").rglob("*.flac")), "no sound came down for it"
    assert sums(at(s3, url)) == expected


def test_a_corpus_in_google_cloud_storage_has_them_too_and_stands_on_another_machine(made, gs, tmp_path):
    one, _, expected = made
    url = f"{gs.url}/corpora/mine"
    one.run(url, **gs.env)
    done = pipeline(url, str(tmp_path / "copy"), module="pipeline.storage", **gs.env)
    assert done.returncode == 0, done.stderr
    assert sums(tmp_path / "copy") == expected
    assert f"(0 made, {N} as they were)" in one.run(url, **gs.env, **another_machine(one))


@pytest.mark.parametrize("fault", ["gone", "changed"])
@pytest.mark.parametrize("name", ["conversations/c0001/mix.flac", "work/c0001/timeline.json", "work/c0001/stored.json"])
def test_a_harmed_file_of_a_store_is_mended_and_nothing_else_made(made, s3, fault, name):
    one, url, expected = made
    store = Store(url)
    content = store.read(name)
    store.remove([name])
    if fault == "changed":
        store.write(name, b"x" + content[1:])
    said = one.run(url)
    assert f"{N - 1} as they were)" in said or f"{N} as they were)" in said
    assert sums(at(s3, url)) == expected
    assert (at(s3, url) / name).read_bytes() == content


def test_other_noise_on_another_machine_repeats_stages_4_and_5_alone(made, s3):
    one, url, _ = made
    there, copy = Store(url), Store(f"{s3.url}/corpora/noisy")
    for key, content in there.read_all(there.listing()).items():
        copy.write(key, content)
    said = one.run(f"{s3.url}/corpora/noisy", "output.level_db=-28", **another_machine(one, "third"))
    assert f"({N} made, 0 as they were)" in said
    assert "c0000 assemble" in said
    assert not [line for line in said.splitlines() if " render" in line or " orchestrate" in line]
    assert not left_over(s3.folder, one.folder)


def test_a_run_that_is_killed_is_gone_on_with_by_another_machine(made, s3):
    one, _, expected = made
    url = f"{s3.url}/killed/mine"
    run = one.begin(url)
    waited(lambda: list(at(s3, url).glob("work/*/stored.json")) and list(at(s3, url).glob("conversations/*/*.flac")))
    run.kill()
    refused = one.run(url, code=2, **another_machine(one))
    assert "another run is writing this corpus" in refused
    store = Store(url)
    store.remove(store.listing(hold.LOCKS))  # as if ten minutes had passed
    one.run(url, **another_machine(one))
    assert sums(at(s3, url)) == expected
    assert not left_over(s3.folder, one.folder)
    checked = pipeline(url, module="pipeline.validate", **s3.env, **another_machine(one))
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_run_killed_at_random_moments_is_completed_by_the_next(made, s3, tmp_path, kills):
    one, _, expected = made
    draw = random.Random(kills)
    for number in range(kills):
        other = bench_at(one.fake, tmp_path / str(number), **s3.env)
        url = f"{s3.url}/killed-{kills}-{number}/mine"
        run = other.begin(url)
        run.wait(one.took * (number + draw.random()) / kills)
        run.kill()
        there = sum(len(whole(complete(path))) for path in other.cache.glob("stores/*/mine"))
        assert f"({N - there} made, {there} as they were)" in other.run(url)
        assert sums(at(s3, url)) == expected
        assert not left_over(s3.folder, other.folder)
        store = Store(url)
        recorded = {key for key in store.listing("work") if key.endswith("stored.json")}
        known = {name for text in store.read_all(recorded).values() for name in Stored.from_json(text).files}
        assert set(store.listing("work")) | set(store.listing("conversations")) == known | recorded
        assert not store.listing(hold.LOCKS)


def test_shares_on_machines_that_have_only_the_store_in_common_make_the_same_corpus(made, s3):
    one, _, expected = made
    url = f"{s3.url}/shares/mine"
    for number in range(2):
        one.run(url, f"shard={number}/2", **another_machine(one, f"share{number}"))
    assert "(0 made, 3 as they were)" in one.run(url, **another_machine(one, "last"))
    assert sums(at(s3, url)) == expected
    assert not left_over(s3.folder, one.folder)


def test_pairs_at_a_url_are_those_in_a_folder_and_are_changed_on_another_machine(made, s3):
    one, url = made[0], f"{s3.url}/pairs/mine"
    pairs = ("pairs.kind=all", "n=1", "duration=20")
    one.run(one.folder / "pairs" / "mine", *pairs)
    one.run(url, *pairs)
    assert sums(at(s3, url)) == sums(one.folder / "pairs" / "mine")
    louder = (*pairs, "output.level_db=-28")
    one.run(one.folder / "pairs" / "mine", *louder)
    said = one.run(url, *louder, **another_machine(one, "fourth"))
    assert not [line for line in said.splitlines() if " render" in line or " orchestrate" in line]
    assert sums(at(s3, url)) == sums(one.folder / "pairs" / "mine")


def test_the_tasks_of_a_slurm_array_write_to_the_url(store, tmp_path, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    asked = ["script=template", "n=2", f"out={store.url}", "executor=slurm", "executor.submit=false"]
    settings = settings_from(composed(asked))
    assert any("array.sh" in line for line in hand_in(settings))
    assert f"out={store.url}" in (settings.root / "slurm" / "array.sh").read_text()
    assert store.read("corpus.yaml") == (settings.root / "corpus.yaml").read_bytes()


def test_a_corpus_is_loaded_by_its_url_a_conversation_at_a_time(made, s3, tmp_path, monkeypatch):
    one, url, _ = made
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path))
    here, there = load_corpus(one.folder / "mine"), load_corpus(url)
    assert there.ids == here.ids
    assert not list(tmp_path.rglob("*.flac"))
    assert np.array_equal(there["c0001"].channels(), here["c0001"].channels())
    assert {path.parent.name for path in tmp_path.rglob("*.flac")} == {"c0001", "clean", "noisy"}
    assert not list(tmp_path.rglob("c0002"))
    with pytest.raises(InputError, match="no finished corpus"):
        load_corpus(f"{s3.url}/corpora/none")


def test_a_corpus_is_brought_into_a_folder(made, s3, tmp_path):
    _, url, expected = made
    done = pipeline(url, str(tmp_path / "copy"), "--json", module="pipeline.storage", **s3.env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["conversations"] == ["c0000", "c0001", "c0002"]
    assert sums(tmp_path / "copy") == expected
    assert (tmp_path / "copy" / "report" / "index.html").is_file()


def test_a_store_that_refuses_is_one_line_and_writes_nothing(made, s3):
    one, _, _ = made
    said = one.run("s3://never-made/mine", code=2)
    assert said.splitlines()[-1].startswith("error: s3://never-made/mine: cannot be")


# Caches ----------------------------------------------------------------------------------------------------------


def test_what_one_machine_kept_another_finds(store, tmp_path, monkeypatch):
    monkeypatch.setenv("TURNFLOOR_SHARED_CACHE", store.url)
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "one"))
    ArrayCache().put("abcd", {"x": np.arange(5)})
    ArrayCache(tmp_path / "private").put("abcd", {"x": np.arange(6)})
    assert set(store.listing()) == {"speech/ab/abcd.npz"}
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "two"))
    assert ArrayCache().get("none") is None
    assert np.array_equal(ArrayCache().get("abcd")["x"], np.arange(5))
    store.remove(store.listing())
    assert ArrayCache().get("abcd") is not None, "it is kept here now"
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "three"))
    store.write("speech/ab/abcd.npz", b"nonsense")
    assert ArrayCache().get("abcd") is None


@pytest.mark.parametrize(
    ("name", "value"), [("TURNFLOOR_SHARED_CACHE", "/a/folder"), ("TURNFLOOR_CACHE", "s3://bucket/cache")]
)
def test_a_cache_of_the_wrong_kind_is_one_line(name, value, tmp_path):
    done = pipeline("script=template", "n=1", f"out={tmp_path}/c", **{**KEY, name: value})
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: {name}={value}")


def test_machines_with_a_shared_cache_ask_the_endpoint_once(s3, tmp_path):
    with bench(tmp_path, **s3.env) as one:
        shared = {"TURNFLOOR_SHARED_CACHE": f"{s3.url}/cache/mine"}
        one.run(tmp_path / "mine", "until=orchestrate", **shared)
        asked = one.asked
        one.run(tmp_path / "again" / "mine", "until=orchestrate", **shared, **another_machine(one))
        assert one.asked == asked
        assert sums(tmp_path / "mine", "work") == sums(tmp_path / "again" / "mine", "work")
