"""The official package as a backend keeps the contract of the embedded one.

Its published weights come from a model hub. Here they are those of the embedded file, in the package's own format.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_support import pipeline

from pipeline.errors import ModelError
from pipeline.models.place import cache_dir
from pipeline.records import Timeline
from pipeline.samples import RATE
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import voice

pytest.importorskip("kokoro", reason="needs the extra turnfloor[kokoro]")
pytestmark = pytest.mark.slow

TEXT = "She sold the car, bought a bike, and never looked back."


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package's two files."""
    from checkpoint_support import write_checkpoint

    folder = tmp_path_factory.mktemp("kokoro")
    assert write_checkpoint(folder) == 546, "the graph has all but what is one or zero in the network"
    return folder


@pytest.fixture
def _own_weights(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFLOOR_MODELS", str(weights))


@pytest.mark.usefixtures("_own_weights")
@pytest.mark.parametrize("name", ["af_heart", "bm_george"])
def test_it_says_the_same_at_the_same_times_as_the_embedded_voice(name: str) -> None:
    from pipeline.speech.kokoro_torch import KokoroTorch

    official, embedded = KokoroTorch(), KokoroOnnx()
    plan, twin = official.clock(TEXT, voice(name)), embedded.clock(TEXT, voice(name))
    # The embedded clock reckons in eight bits: now and then a token lasts one frame of 25 ms more or less.
    frames = np.array(plan.token_frames) - np.array(twin.token_frames)
    assert np.abs(frames).max() <= 1
    assert np.count_nonzero(frames) <= 0.05 * len(frames)
    assert [word.text for word in plan.words] == [word.text for word in twin.words]
    assert max(abs(a.start - b.start) for a, b in zip(plan.words, twin.words, strict=True)) <= RATE * 0.0375
    (piece,) = twin.pieces
    decoded = [engine.decode(piece.phonemes, voice(name), piece.contour) for engine in (official, embedded)]
    assert np.corrcoef(decoded)[0, 1] > 0.95, "vocoder noise apart"
    sound = official.render(plan)
    assert len(sound) == plan.n_samples
    heard = measure_bounds(sound)
    assert abs(heard.start - plan.speech.start) < RATE * 0.04
    assert abs(heard.end - plan.speech.end) < RATE * 0.04


@pytest.mark.usefixtures("_own_weights")
def test_prosody_comes_first_and_can_be_shaped_and_replayed() -> None:
    from pipeline.speech.kokoro_torch import KokoroTorch

    backend = KokoroTorch()
    contour = backend.predict("jes", voice("af_heart"), 1.0)
    assert len(contour.frames) == len("jes") + 2
    assert len(contour.f0) == len(contour.energy) == 2 * sum(contour.frames)
    again = backend.melody("jes", voice("af_heart"), contour.frames)
    assert np.array_equal(again.energy, contour.energy)
    plain = backend.clock("Yes.", voice("af_heart"))
    higher = backend.clock("Yes.", voice("af_heart"), edits={"pitch": 1.3})
    assert higher.token_frames == plain.token_frames
    assert not np.array_equal(backend.render(higher), backend.render(plain))


def test_another_process_makes_the_same_bytes(weights: Path) -> None:
    code = (
        "import hashlib; from pipeline.speech.kokoro_torch import KokoroTorch; "
        "from pipeline.speech.voices import voice; "
        "b = KokoroTorch(); print(hashlib.sha256(b.render(b.clock('Sure.', voice('am_eric'))).tobytes()).hexdigest())"
    )

    def said(threads: str) -> str:
        environment = {**os.environ, "TURNFLOOR_MODELS": str(weights), "OMP_NUM_THREADS": threads}
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        ).stdout

    assert said("1") == said("2")


def test_without_weights_or_hub_it_says_what_to_do(tmp_path: Path) -> None:
    done = pipeline(
        "tts=kokoro", "script=template", "n=1", f"out={tmp_path / 'out'}", HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path)
    )
    assert done.returncode == 2
    assert "weights of hexgrad/Kokoro-82M cannot be loaded" in done.stderr
    assert "TURNFLOOR_MODELS" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_broken_checkpoint_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.speech.kokoro_torch import KokoroTorch

    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "kokoro-v1_0.pth").write_bytes(b"no checkpoint")
    monkeypatch.setenv("TURNFLOOR_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match="cannot be loaded"):
        KokoroTorch().ready()


def test_a_corpus_spoken_by_the_official_package(weights: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for part in ("models", "graphs"):
        (cache / part).symlink_to(cache_dir() / part)
    own = {"TURNFLOOR_MODELS": str(weights), "TURNFLOOR_CACHE": str(cache)}
    out = tmp_path / "corpus"
    made = pipeline("tts=kokoro", "script=template", "n=1", "duration=15", "speakers=2", f"out={out}", **own)
    assert made.returncode == 0, made.stderr
    checked = pipeline(str(out), module="pipeline.validate")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    folder = next((out / "conversations").iterdir())
    assert "kokoro-torch" in json.loads((folder / "meta.json").read_text())["voice_model"]
    assert Timeline.read(folder / "timeline.json").utterances
