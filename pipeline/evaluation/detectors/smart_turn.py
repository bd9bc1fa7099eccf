"""Smart Turn v3.2: how probable it is that a turn is complete, from the last 8 s of the speaker's own channel.

EOT: asked once at each offset of speech (energy above -40 dBFS), after 0.3 s of silence, which count. INT: asked at
each onset of speech (Silero) while another channel is voiced, after 0.1 s; the score is 1 less the probability. The
network (Daily, BSD-2-Clause) is read from the model cache, which fetches it out of the package `pipecat-ai`.
"""

from functools import lru_cache

import librosa
import numpy as np
import onnxruntime

from pipeline.evaluation.decisions import Marks
from pipeline.evaluation.detectors.base import Detections
from pipeline.evaluation.detectors.rms import FRAME_S, levels_dbfs
from pipeline.evaluation.detectors.silero import FRAME_S as CHUNK_S
from pipeline.evaluation.detectors.silero import heard
from pipeline.evaluation.detectors.voicing import any_of, takeovers, turn_ends
from pipeline.evaluation.sound import NEAR_RATE, Floats, Sound
from pipeline.models import ensure
from pipeline.models.session import open_session

MODEL = "smart-turn-v3.2"
SPEECH_DBFS = -40.0
SPEECH_PROBABILITY = 0.5
WINDOW = 8 * NEAR_RATE
"""Samples that the network hears; before the beginning there is silence."""
N_FFT, HOP, BANDS = 400, 160, 80


class SmartTurn:
    """Smart Turn v3.2."""

    def hear(self, sound: Sound) -> Detections:
        """What it says of each channel."""
        voiced = {ident: p > SPEECH_PROBABILITY for ident, p in heard(sound).items()}
        found: dict[str, tuple[Marks, Marks]] = {}
        for ident, near in sound.near.items():
            ends = turn_ends(levels_dbfs(near, NEAR_RATE) > SPEECH_DBFS, FRAME_S)
            others = any_of((voiced[other] for other in voiced if other != ident), len(voiced[ident]))
            begins = takeovers(voiced[ident], others, CHUNK_S)
            found[ident] = (
                Marks(tuple(ends), tuple(completeness(near, at) for at in ends)),
                Marks(tuple(begins), tuple(1 - completeness(near, at) for at in begins)),
            )
        return {
            "eot": {ident: ends for ident, (ends, _) in found.items()},
            "interruption": {ident: begins for ident, (_, begins) in found.items()},
        }


def completeness(near: Floats, at_s: float) -> float:
    """Probability that the turn is complete, of `near` [n] at 16 kHz up to `at_s`."""
    window = near[: round(at_s * NEAR_RATE)][-WINDOW:]
    window = np.pad(window, (WINDOW - len(window), 0))
    (found,) = _session().run(None, {"input_features": log_mel(window)[None]})
    return float(np.asarray(found).reshape(-1)[0])


def log_mel(window: Floats) -> Floats:
    """Whisper's features of 8 s [80, 800]: log-mel energies of the normalised sound, 80 dB of range, scaled to about 1.

    Radford et al. (2022), Robust speech recognition via large-scale weak supervision.
    """
    normal = (window - window.mean()) / np.sqrt(window.var() + 1e-7)
    power = librosa.feature.melspectrogram(
        y=normal.astype(np.float64),
        sr=NEAR_RATE,
        n_fft=N_FFT,
        hop_length=HOP,
        n_mels=BANDS,
        fmax=NEAR_RATE / 2,
        pad_mode="reflect",
    )[:, :-1]
    levels = np.log10(np.maximum(power, 1e-10))
    return np.asarray((np.maximum(levels, levels.max() - 8.0) + 4.0) / 4.0, np.float32)


@lru_cache(maxsize=1)
def _session() -> onnxruntime.InferenceSession:
    return open_session(ensure(MODEL))
