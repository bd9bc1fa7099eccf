"""make musan: from a dead mirror, over a broken connection and out of a killed run to a whole directory, or none."""

import functools
import hashlib
import http.server
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import numpy as np
import pytest
from musan_support import REAL

from pipeline.errors import DownloadError, OutputError
from pipeline.models import download
from pipeline.sound.musan import MusanBank, fetch
from pipeline.sound.musan.__main__ import main
from pipeline.sound.musan.catalogue import Archive, default_folder, known
from pipeline.sound.musan.fetch import bring

quietly = functools.partial(bring, progress=lambda *_: None)


@functools.cache
def packed():
    """The clips of the tests as an archive like the published one."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.add(REAL, "musan")
    return data.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """Serves `content` with ranges; a reply is broken off after so many bytes, once for each of `cuts`."""

    def __init__(self, content, cuts=(), ranges=True, status=200):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.cuts, self.ranges, self.status = content, list(cuts), ranges, status
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_port}/musan.tar.gz"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append(wanted)
        if server.status != 200:
            self.send_error(server.status)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.ranges else 0
        body = server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.cuts.pop(0)] if server.cuts else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setattr(download, "WAIT", 0.01)
    started = []

    def start(content=None, **how):
        started.append(Server(packed() if content is None else content, **how))
        return started[-1]

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def archive(*mirrors, content=None, **changes):
    content = packed() if content is None else content
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    whole = {"name": "musan.tar.gz", "bytes": len(content), "md5": md5, "unpacked_bytes": 700_000, "folder": "musan"}
    return Archive(**{**whole, "mirrors": mirrors, **changes})


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_archive_becomes_a_directory_and_nothing_else_stays(tmp_path, serve):
    server, seen = serve(), []
    assert bring(tmp_path / "musan", archive(server.url), lambda *what: seen.append(what))
    assert left_in(tmp_path) == ["musan"]
    bank = MusanBank(tmp_path / "musan")
    assert bank.identity() == MusanBank(REAL).identity()
    assert {doing for _, _, doing in seen} == {"fetching", "checking", "unpacking"}
    assert all(done <= total == len(packed()) for done, total, _ in seen)
    assert max(done for done, _, doing in seen if doing == "fetching") == len(packed())
    assert not quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == [None]


def test_a_connection_that_breaks_is_continued_where_it_was(tmp_path, serve):
    server = serve(cuts=[100_000, 0, 50_000])
    assert quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == [None, "bytes=100000-", "bytes=100000-", "bytes=150000-"]
    assert left_in(tmp_path) == ["musan"]


def test_a_server_without_ranges_delivers_from_the_start(tmp_path, serve):
    server = serve(cuts=[100_000], ranges=False)
    assert quietly(tmp_path / "musan", archive(server.url))
    assert len(server.asked) == 2


def test_a_dead_mirror_and_one_that_has_nothing_are_passed_over_and_a_part_is_shared(tmp_path, serve):
    gone = serve()
    gone.shutdown()
    gone.server_close()
    empty, stalled, good = serve(status=404), serve(cuts=[200_000] + [0] * 4), serve()
    assert quietly(tmp_path / "musan", archive(gone.url, empty.url, stalled.url, good.url))
    assert len(empty.asked) == 1
    assert good.asked == ["bytes=200000-"]


def test_another_sum_is_discarded_and_the_next_mirror_asked_from_the_start(tmp_path, serve):
    spoilt = bytearray(packed())
    spoilt[5000] ^= 1
    wrong, good = serve(bytes(spoilt)), serve()
    assert quietly(tmp_path / "musan", archive(wrong.url, good.url))
    assert good.asked == [None]
    shutil.rmtree(tmp_path / "musan")
    with pytest.raises(DownloadError, match=r"its MD5 is \w{32}, not \w{32}; what arrived was discarded") as error:
        quietly(tmp_path / "musan", archive(wrong.url))
    assert "\n" not in str(error.value)
    assert left_in(tmp_path) == [".musan.lock"]


def test_when_no_mirror_delivers_what_came_is_kept_for_the_next_run(tmp_path, serve):
    stalled, good = serve(cuts=[300_000, 0, 0, 0, 0]), serve()
    with pytest.raises(DownloadError, match=r"broke off after 300000 of \d+ bytes.*run make musan again.*MIRROR="):
        quietly(tmp_path / "musan", archive(stalled.url))
    assert quietly(tmp_path / "musan", archive(good.url))
    assert good.asked == ["bytes=300000-"]


def test_a_file_longer_than_the_archive_is_not_continued(tmp_path, serve):
    (tmp_path / ".musan.tar.gz.part").write_bytes(b"x" * (len(packed()) + 1))
    server = serve()
    assert quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == [None]


def test_too_little_room_is_refused_before_anything_is_asked(tmp_path, serve, monkeypatch):
    server, size = serve(), len(packed())
    usage = shutil.disk_usage(tmp_path)

    def free(n):
        monkeypatch.setattr(fetch.shutil, "disk_usage", lambda _: usage._replace(free=n))

    free(size + 600_000)
    with pytest.raises(OutputError, match=r"GB are free and 0\.0 GB are needed .*make room or choose another"):
        quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == []
    assert not (tmp_path / "musan").exists()
    # What is here already is not needed again.
    (tmp_path / ".musan.tar.gz.part").write_bytes(packed()[:400_000])
    assert quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == ["bytes=400000-"]


def test_the_published_archive_asks_for_room_for_both():
    whole = known().archive
    assert (whole.bytes, whole.md5) == (11_086_114_085, "0c472d4fc0c5141eca47ad1ffeb2a7df")
    assert 12.0e9 < whole.unpacked_bytes < 13.0e9
    assert len(whole.mirrors) >= 3


def test_a_disk_that_fills_while_unpacking_leaves_no_half(tmp_path, serve, monkeypatch):
    server, extract = serve(), tarfile.TarFile.extract

    def full(self, member, *where, **how):
        if member.name.endswith("0002.wav"):
            raise OSError(28, "No space left on device")
        return extract(self, member, *where, **how)

    monkeypatch.setattr(tarfile.TarFile, "extract", full)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\): make room"):
        quietly(tmp_path / "musan", archive(server.url))
    assert left_in(tmp_path) == [".musan.lock", ".musan.tar.gz.part"]
    monkeypatch.undo()
    assert quietly(tmp_path / "musan", archive(server.url))
    assert server.asked == [None]


KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline.sound.musan.catalogue import Archive
from pipeline.sound.musan.fetch import bring

def progress(done, total, doing):
    half = Path(sys.argv[1]).parent / ".musan.unpacking" / "musan" / "noise"
    if doing == "unpacking" and half.exists():
        os.kill(os.getpid(), signal.SIGKILL)

bring(Path(sys.argv[1]), Archive.model_validate_json(sys.argv[2]), progress)
"""


def test_a_run_killed_while_unpacking_leaves_nothing_that_looks_whole(tmp_path, serve):
    server = serve()
    command = [sys.executable, "-c", KILLED, str(tmp_path / "musan"), archive(server.url).model_dump_json()]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / "musan").exists()
    assert (tmp_path / ".musan.unpacking").is_dir()
    assert quietly(tmp_path / "musan", archive(server.url))
    assert left_in(tmp_path) == ["musan"]
    assert server.asked == [None]
    assert MusanBank(tmp_path / "musan").identity() == MusanBank(REAL).identity()


def test_an_archive_of_something_else_or_one_that_reaches_outside_is_refused(tmp_path, serve):
    for name in ("music/notes.txt", "../outside.txt"):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as other:
            other.addfile(tarfile.TarInfo(name))
        server = serve(data.getvalue())
        with pytest.raises(DownloadError, match=r"holds no MUSAN directory|cannot be unpacked"):
            quietly(tmp_path / "sub" / "musan", archive(server.url, content=data.getvalue()))
    assert left_in(tmp_path) == ["sub"]
    assert not (tmp_path / "sub" / ".musan.unpacking").exists()


def test_what_stands_there_and_is_no_musan_is_not_touched(tmp_path, serve):
    (tmp_path / "musan").mkdir()
    (tmp_path / "musan" / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="is there and is no MUSAN directory: remove it or choose another"):
        quietly(tmp_path / "musan", archive(serve().url))
    assert (tmp_path / "musan" / "mine.txt").read_text() == "mine"


def test_the_archive_can_be_kept(tmp_path, serve):
    assert quietly(tmp_path / "musan", archive(serve().url), keep=True)
    assert left_in(tmp_path) == ["musan", "musan.tar.gz"]


def test_the_command_says_where_it_is_and_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "a cache"))
    assert main(["--mirror", "ftp://x/y"]) == 2
    assert "mirror 'ftp://x/y': give an address that begins with http" in capsys.readouterr().err
    shutil.copytree(REAL, default_folder())
    assert main([]) == 0
    assert capsys.readouterr().out == f"{default_folder()}: there already; use it with noise=musan\n"
    assert os.path.commonpath([default_folder(), tmp_path / "a cache"]) == str(tmp_path / "a cache")
    assert isinstance(default_folder(), Path)
    assert np.any(MusanBank(default_folder()).bed("dorm", 1000, np.random.default_rng(0)).samples)
