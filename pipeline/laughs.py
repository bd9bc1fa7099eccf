"""What an audio tagger hears in the laughs of each voice, and in its speech: laughter or speech.

The judge is YAMNet (see :mod:`pipeline.tagger`), fetched when first used. Beside it stand the rate of the calls and
the fall of their level, both measured on the sound.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.laughter import laugh
from pipeline.speech.voices import Voice, pool, voice
from pipeline.tagger import laughter_and_speech

SENTENCE = "I told the goose to leave, and it looked at me, and then it sat down on the cake."
FRAME_S = 0.01
"""From one value of an envelope to the next."""
RATES_HZ = (3.0, 8.0)
"""Calls a second that are looked for."""


@dataclass(frozen=True)
class Heard:
    """One sound as the tagger and the envelope have it."""

    laughter: float
    """Probability, 0 to 1."""
    speech: float
    calls_per_s: float
    slope_db_s: float
    """Slope of the level [dB/s]; negative when it falls."""

    @property
    def laughs(self) -> bool:
        """Whether laughter outranks speech."""
        return self.laughter > self.speech


def main(argv: list[str] | None = None) -> int:
    """Print a row for each voice and the shares over all; 2 for bad input."""
    parser = command_parser("pipeline.laughs", __doc__, "python -m pipeline.laughs --voices v01,v02 --seeds 2")
    parser.add_argument("--seconds", type=float, default=1.5, help="length of a laugh (default: 1.5)")
    parser.add_argument("--seeds", type=int, default=8, help="laughs a voice (default: 8)")
    parser.add_argument("--voices", default="", help="such as v01,v02 (default: all)")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="keep the laughs as WAV files")
    given = parser.parse_args(argv)
    try:
        if given.seeds < 1:
            raise ConfigError(f"--seeds {given.seeds}: ask for 1 or more")
        voices = [voice(name) for name in given.voices.split(",") if name] or list(pool().values())
        table(voices, given.seconds, given.seeds, given.write)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def table(voices: list[Voice], seconds: float, seeds: int, folder: Path | None) -> None:
    """Print what is heard in `seeds` laughs of each voice, and in one sentence of it."""
    backend = KokoroOnnx(cache=ArrayCache())
    print(f"{'':18}{'laughs':^34}{'speech':^18}")
    print(f"{'voice':18}{'laughter':>9}{'speech':>8}{'calls/s':>9}{'dB/s':>8}{'laughter':>10}{'speech':>8}")
    every: list[Heard] = []
    spoken: list[Heard] = []
    for speaking in voices:
        found = list(heard_laughs(backend, speaking, seconds, seeds, folder))
        said = heard(backend.render(backend.clock(SENTENCE, speaking)))
        mean = np.mean([[one.laughter, one.speech, one.calls_per_s, one.slope_db_s] for one in found], axis=0)
        print(
            f"{speaking.id} {speaking.kokoro:14}{mean[0]:9.2f}{mean[1]:8.2f}{mean[2]:9.1f}{mean[3]:8.1f}"
            f"{said.laughter:10.2f}{said.speech:8.2f}",
            flush=True,
        )
        every += found
        spoken.append(said)
    print(f"laughter outranks speech in {sum(one.laughs for one in every)} of {len(every)} laughs")
    print(f"and in {sum(one.laughs for one in spoken)} of {len(spoken)} sentences")


def heard_laughs(
    backend: Backend, speaking: Voice, seconds: float, seeds: int, folder: Path | None = None
) -> Iterator[Heard]:
    """What is heard in laughs of `seconds` in one voice; the sounds are kept in `folder`, if there is one."""
    for seed in range(seeds):
        sound = laugh(backend, speaking, to_samples(seconds), generator(seed, speaking.id, "render", "laugh"))
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(folder / f"{speaking.id}-{speaking.kokoro}-{seed}.wav", sound, RATE)
        yield heard(sound)


def heard(sound: Floats) -> Heard:
    """What the tagger and the envelope say of `sound` at 24 kHz [n]."""
    return Heard(*laughter_and_speech(sound, RATE), call_rate(sound), level_slope(sound))


def call_rate(sound: Floats) -> float:
    """Calls a second in `sound` at 24 kHz: where the envelope's autocorrelation is highest [1/s]."""
    envelope = _envelope(sound)
    moving = envelope - envelope.mean()
    correlation = np.correlate(moving, moving, "full")[len(moving) - 1 :] / np.arange(len(moving), 0, -1)
    first, last = (round(1.0 / (rate * FRAME_S)) for rate in reversed(RATES_HZ))
    return float(1.0 / (FRAME_S * (first + int(np.argmax(correlation[first : last + 1])))))


def level_slope(sound: Floats) -> float:
    """Slope of the level of `sound` at 24 kHz, of its louder half of frames [dB/s]."""
    level = 20.0 * np.log10(_envelope(sound) + 1e-6)
    loud = np.flatnonzero(level >= np.median(level))
    return float(np.polyfit(loud * FRAME_S, level[loud], 1)[0])


def _envelope(sound: Floats) -> Floats:
    """RMS over two frames, a value a frame."""
    hop = to_samples(FRAME_S)
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(sound, hop), 2 * hop)[::hop]
    return np.asarray(np.sqrt(np.mean(frames.astype(np.float64) ** 2, axis=1)), np.float32)


if __name__ == "__main__":
    sys.exit(ended(main))
