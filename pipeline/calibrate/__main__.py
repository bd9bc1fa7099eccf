"""Measure the voices of the pool and write `voices/calibration.yaml`: ``python -m pipeline.calibrate``.

For each voice: the speed that gives a natural pace, the gain to the common loudness, and the energy rule by which
the clock tells where speech starts, pauses and ends. Thresholds are fitted on one set of sentences, and the errors
reported are those on another. Sounds come from the speech cache where they are there, so that a run that broke off
continues.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline import spread
from pipeline.calibrate.rule import TOLERANCE_MS
from pipeline.calibrate.samples import FIT, TURNS, sentences
from pipeline.calibrate.table import HEADER, row, write
from pipeline.calibrate.voice import calibrate
from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.models.graphs import Precision
from pipeline.resources import resource
from pipeline.samples import RATE
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import Voice, pool
from pipeline.speech.voices import voice as named


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = command_parser("pipeline.calibrate", __doc__, "python -m pipeline.calibrate --spread")
    parser.add_argument("voices", nargs="*", metavar="VOICE", help="ids of voices (default: all of the pool)")
    parser.add_argument("--output", type=Path, help="where to write (default: voices/calibration.yaml)")
    parser.add_argument("--speed", action="store_true", help="measure the speed of both precisions instead")
    parser.add_argument("--spread", action="store_true", help="show pace and level of the calibrated voices instead")
    options = parser.parse_args(arguments)
    try:
        if options.speed:
            print(speed_row("float32"), speed_row("int8"), sep="\n")
            return 0
        chosen = [named(name) for name in options.voices] or list(pool().values())
        backend = KokoroOnnx(cache=ArrayCache())
        if options.spread:
            show_spread(chosen, backend)
            return 0
        print(HEADER)
        within = []
        for voice in chosen:
            calibration = calibrate(voice, backend)
            within.append(calibration.within_40_ms)
            write(options.output or resource("voices", "calibration.yaml"), voice, calibration, backend.engine())
            print(row(voice, calibration), flush=True)
        print(f"onset and offset within {TOLERANCE_MS:.0f} ms of the plan: {np.mean(within):.1%} of the utterances")
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def show_spread(voices: Sequence[Voice], backend: KokoroOnnx) -> None:
    """Print pace and level of each voice as it is calibrated, and their ranges."""
    print(spread.HEADER)
    found = []
    for voice in voices:
        found.append(spread.measure(voice, backend, sentences()[TURNS]))
        print(spread.row(found[-1]), flush=True)
    print(*spread.summary(found), sep="\n")


def speed_row(precision: Precision) -> str:
    """Measure what a second of sound costs, without the cache, on one thread and a few sentences."""
    backend, voice, texts = KokoroOnnx(precision), pool()["v07"], sentences()[FIT]
    backend.render(backend.clock(texts[0], voice))
    begin = time.process_time()
    clocked = [backend.clock(text, voice) for text in texts]
    middle = time.process_time()
    seconds = sum(len(backend.render(plan)) for plan in clocked) / RATE
    clock, voiced = middle - begin, time.process_time() - middle
    return f"{precision:8} clock {clock / seconds:.3f}, voice {voiced / seconds:.3f} CPU seconds a second of sound"


if __name__ == "__main__":
    sys.exit(ended(main))
