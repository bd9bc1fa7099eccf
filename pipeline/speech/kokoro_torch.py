"""Kokoro by the official `kokoro` package (an extra, with torch): the published weights, in full precision.

The network's own parts are called one after the other, so that the prosody comes first here as well. Its decoder
draws noise; the draw is seeded by what is said, so that the same request gives the same sound.
"""

import os
import warnings
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from kokoro import KModel

from pipeline.errors import ModelError
from pipeline.models import ensure
from pipeline.models.place import MODELS_VARIABLE, own_models
from pipeline.models.report import Progress
from pipeline.models.sums import sha256_of
from pipeline.speech.backend import Contour, Floats
from pipeline.speech.cache import key_of
from pipeline.speech.kokoro import Kokoro
from pipeline.speech.styles import STYLE, VOICES, alignment, style, tokens
from pipeline.speech.voices import Voice

REPOSITORY = "hexgrad/Kokoro-82M"
CONFIG = "config.json"


class KokoroTorch(Kokoro):
    """The official package as a backend, on one thread of the processor.

    Weights come from the folder named by TURNFLOOR_MODELS where it holds `kokoro-v1_0.pth` and `config.json`, else
    from the model hub by the package's own way.
    """

    def ready(self, progress: Progress | None = None) -> None:
        """Fetch the voices, and load the weights."""
        ensure(VOICES, progress)
        _network()

    def engine(self) -> str:
        """Name package, runtime and weights."""
        return f"kokoro-torch/{version('kokoro')}/torch-{torch.__version__}/{_weights_name()}"

    def predict(self, phonemes: str, voice: Voice, speed: float) -> Contour:
        """Prosody of one synthesis, as the network predicts it."""
        network = _network()
        with torch.no_grad():
            features, _ = _features(network, phonemes, voice)
            hidden, _ = network.predictor.lstm(features)
            durations = torch.sigmoid(network.predictor.duration_proj(hidden)).sum(dim=-1) / speed
        frames = torch.round(durations).clamp(min=1).long().flatten().tolist()
        return self.melody(phonemes, voice, frames)

    def melody(self, phonemes: str, voice: Voice, frames: Sequence[int]) -> Contour:
        """Prosody of one synthesis for durations that are given."""
        network = _network()
        with torch.no_grad():
            features, speaker = _features(network, phonemes, voice)
            f0, energy = network.predictor.F0Ntrain(features.transpose(-1, -2) @ _spread(frames), speaker)
        return Contour(tuple(frames), f0.flatten().numpy(), energy.flatten().numpy())

    def decode(self, phonemes: str, voice: Voice, contour: Contour) -> Floats:
        """Sound of one synthesis, 600 samples a frame."""
        network = _network()
        numbers, lengths, mask = _numbers(phonemes)
        seed = int(key_of(phonemes, voice.kokoro, str(contour.frames))[:15], 16)
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            sound = network.decoder(
                network.text_encoder(numbers, lengths, mask) @ _spread(contour.frames),
                torch.from_numpy(contour.f0)[None],
                torch.from_numpy(contour.energy)[None],
                torch.from_numpy(style(voice, phonemes)[:, : STYLE // 2]),
            )
        return np.asarray(sound.flatten().numpy(), np.float32)


def _features(network: Any, phonemes: str, voice: Voice) -> tuple[Any, Any]:
    """Features of the tokens, shape (1, L + 2, size), and the half of the style that they were made with."""
    numbers, lengths, mask = _numbers(phonemes)
    speaker = torch.from_numpy(style(voice, phonemes)[:, STYLE // 2 :])
    encoded = network.bert_encoder(network.bert(numbers, attention_mask=(~mask).int())).transpose(-1, -2)
    return network.predictor.text_encoder(encoded, speaker, lengths, mask), speaker


def _numbers(phonemes: str) -> tuple[Any, Any, Any]:
    """Token numbers, their count, and a mask that hides none of them."""
    numbers = torch.from_numpy(tokens(phonemes))
    return numbers, torch.tensor([numbers.shape[1]]), torch.zeros_like(numbers, dtype=torch.bool)


def _spread(frames: Sequence[int]) -> Any:
    return torch.from_numpy(alignment(frames))[None]


def _network() -> Any:
    """The network, loaded once a process."""
    return _loaded(os.getpid(), _own_weights())


@lru_cache(maxsize=1)
def _loaded(process: int, folder: Path | None) -> Any:
    torch.set_num_threads(1)
    files = [str(folder / name) for name in (CONFIG, KModel.MODEL_NAMES[REPOSITORY])] if folder else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch, about the package's way to build its layers
            return KModel(REPOSITORY, *files).eval()
    except Exception as error:  # the hub's client raises errors of many libraries
        raise ModelError(
            f"weights of {REPOSITORY} cannot be loaded ({error}): connect to the model hub, "
            f"or put its .pth and config.json into the folder named by {MODELS_VARIABLE}"
        ) from error


def _own_weights() -> Path | None:
    folder = own_models()
    names = (CONFIG, KModel.MODEL_NAMES[REPOSITORY])
    return folder if folder and all((folder / name).is_file() for name in names) else None


def _weights_name() -> str:
    folder = _own_weights()
    return _sum(folder / KModel.MODEL_NAMES[REPOSITORY]) if folder else REPOSITORY


@lru_cache(maxsize=1)
def _sum(path: Path) -> str:
    return sha256_of(path)[:16]
