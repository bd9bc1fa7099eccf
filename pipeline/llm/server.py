"""The embedded server: an OpenAI-compatible server of our own on loopback, for as long as it is needed."""

import importlib.util
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import EndpointError
from pipeline.llm.settings import LlmSettings

Say = Callable[[str], None]


@contextmanager
def embedded_server(settings: LlmSettings, say: Say = lambda text: None) -> Iterator[LlmSettings]:
    """Settings that reach a server started for the purpose; it is stopped at the end, whatever happens.

    Raises
    ------
    EndpointError
        when the server's package is missing, or it does not start.
    ModelError
        when the model cannot be had.

    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise EndpointError(
            "the embedded language model needs the extra `embedded`: pip install 'turnfloor[embedded]', "
            "or choose llm=openai or script=template"
        )
    model = _model(settings)
    with tempfile.TemporaryDirectory(prefix="turnfloor-llm-") as name:
        folder = Path(name)
        child = _start(settings, model, folder)
        try:
            say(f"starting the language model {settings.model}")
            address = _ready(child, settings, folder)
            say(f"language model {settings.model} is ready")
            yield settings.model_copy(
                update={"base_url": f"{address}/v1", "slot_folder": folder, "concurrency": 1, "retries": 1}
            )
        finally:
            _stop(child)


def _model(settings: LlmSettings) -> Path:
    if settings.model_path is None:
        from pipeline.models import ensure

        return Path(ensure(settings.model))
    if not settings.model_path.is_file():
        raise EndpointError(f"llm.model_path {settings.model_path}: no such file: give the path of a GGUF model")
    return settings.model_path


def _start(settings: LlmSettings, model: Path, folder: Path) -> "subprocess.Popen[str]":
    asked = {
        "model": str(model.resolve()),
        "folder": str(folder),
        "port": _free_port(),
        "threads": settings.threads,
        "context": settings.context,
        "parent": os.getpid(),
    }
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH", "")]))
    with (folder / "log").open("w") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "pipeline.llm.serving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # Waiting threads that spin starve a shared machine down to a few tokens a second.
            env={**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONPATH": path},
            start_new_session=True,
        )
    pipe = child.stdin
    if pipe is not None:
        pipe.write(json.dumps(asked) + "\n")
        pipe.close()
    return child


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ready(child: "subprocess.Popen[str]", settings: LlmSettings, folder: Path) -> str:
    """The address that the child says it serves at."""
    deadline = time.monotonic() + settings.start_s
    pipe = child.stdout
    while pipe is not None and time.monotonic() < deadline:
        if not select.select([pipe], [], [], 0.2)[0]:
            continue
        line = pipe.readline()
        if line.startswith("READY "):
            return line.removeprefix("READY ").strip()
        if not line:
            raise EndpointError(f"the embedded server ended at its start ({_last_words(folder)}): check llm.model_path")
    raise EndpointError(f"the embedded server did not start within {settings.start_s:g} s: raise llm.start_s")


def _last_words(folder: Path) -> str:
    lines = (folder / "log").read_text(encoding="utf-8", errors="replace").split("\n")
    errors = [line for line in lines if "error" in line.lower()] or [line for line in lines if line.strip()]
    return errors[-1].strip()[:160] if errors else "no word why"


def _stop(child: "subprocess.Popen[str]") -> None:
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout:
        child.stdout.close()
