"""The official package as a backend keeps the contract of the embedded one.

Its published weights come from a model hub; an untrained network of the same shape shows the same contract.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.speech.g2p import symbols
from pipeline.speech.voices import voice

pytest.importorskip("kokoro", reason="needs the extra turnfloor[kokoro]")
pytestmark = pytest.mark.slow

CONFIG = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "hidden_dim": 512,
    "max_dur": 50,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "dim_in": 64,
    "dropout": 0.2,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
}


def test_prosody_first_then_sound_and_the_same_sound_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from pipeline.speech.kokoro_torch import KokoroTorch

    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"vocab": symbols()}))
    torch.save({}, tmp_path / "kokoro-v1_0.pth")
    monkeypatch.setenv("TURNFLOOR_MODELS", str(tmp_path))
    backend = KokoroTorch()
    phonemes = "jes"
    contour = backend.predict(phonemes, voice("af_heart"), 1.0)
    assert len(contour.frames) == len(phonemes) + 2
    assert len(contour.f0) == len(contour.energy) == 2 * sum(contour.frames)
    again = backend.melody(phonemes, voice("af_heart"), contour.frames)
    assert np.array_equal(again.energy, contour.energy)
    sound = backend.decode(phonemes, voice("af_heart"), contour)
    assert len(sound) == 600 * sum(contour.frames)
    assert np.array_equal(sound, backend.decode(phonemes, voice("af_heart"), contour))
    assert "torch" in backend.identity()
