"""Measure the voices of the pool and write `voices/calibration.yaml`: ``python -m pipeline.calibrate``.

For each voice: the speed that gives a natural pace, the gain to the common loudness, and the energy rule by which
the clock tells where speech starts, pauses and ends. Thresholds are fitted on one set of sentences, and the errors
reported are those on another. Sounds come from the speech cache where they are there, so that a run that broke off
continues.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyloudnorm
import yaml

from pipeline import spread
from pipeline.errors import PipelineError
from pipeline.models import load
from pipeline.models.graphs import Precision
from pipeline.records.span import Span
from pipeline.resources import resource
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Clocked, Floats
from pipeline.speech.bounds import measure_bounds, measure_silences
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.plan import HOP, inner_silences, speech_span
from pipeline.speech.voices import Calibration, EnergyRule, Voice, pool
from pipeline.speech.voices import voice as named
from pipeline.text import words_of

LOUDNESS = -28.0
"""Common loudness of the voices [LUFS, integrated], at which all of them peak below -3 dBFS."""
PACE = (175.0, 220.0)
"""Words a minute, pauses included, between which a voice speaks at its own speed."""
TOLERANCE_MS = 40.0
GUARD = to_samples(0.06)
"""An utterance is laid with this much of its sound around the planned speech, faded (`guard_s` of the timing)."""
FIT_BELOW_DB = 35.0
"""Rules are fitted to bounds this far under the loud frames. What is laid is measured more finely, since its fades
end what would linger: fitting as finely would follow breath that no listener takes for speech."""
FIT = "fit"
CHECK = "check"
TURNS = "turns"
GRID = np.arange(-6.0, 6.01, 0.25)
"""Thresholds tried, over the range of the energy curve between silence (-9.5) and loud speech (8)."""
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """One utterance of a voice: its plan, its sound, and where speech was measured in the whole of it."""

    clocked: Clocked
    sound: Floats
    bounds: Span

    @property
    def energy(self) -> Floats:
        """Energy curve of the (only) synthesis."""
        return self.clocked.pieces[0].contour.energy


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.calibrate", description=__doc__)
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


def calibrate(voice: Voice, backend: KokoroOnnx) -> Calibration:
    """Measure one voice, whatever was measured of it before."""
    voice = voice.model_copy(update={"calibration": Calibration()})
    texts = sentences()
    pace = pace_of(voice, backend, texts[TURNS], 1.0)
    speed = natural_speed(pace, lambda speed: pace_of(voice, backend, texts[TURNS], speed))
    fit = [sample(voice, backend, text, speed) for text in texts[FIT]]
    check = [sample(voice, backend, text, speed) for text in texts[CHECK]]
    rule = fit_rule(fit)
    onset, offset = errors(check, rule)
    gain, peak = level([*fit, *check])
    return Calibration(
        gain_db=round(gain, 2),
        peak_dbfs=round(peak, 2),
        pace_wpm=round(pace, 1),
        speed=speed,
        rule=rule,
        onset_error_ms=_percentiles(onset),
        offset_error_ms=_percentiles(offset),
        within_40_ms=round(float(np.mean(np.maximum(np.abs(onset), np.abs(offset)) <= TOLERANCE_MS)), 3),
        lost=round(lost_share(check, rule), 3),
        voice_sha256=next(f.sha256 for f in load()["kokoro-voices"].files if f.name == f"{voice.kokoro}.bin"),
    )


def sentences() -> dict[str, list[str]]:
    """Sentences to fit the rules on, others to check them, and turns to measure the pace."""
    texts: dict[str, list[str]] = yaml.safe_load(resource("voices", "sentences.yaml").read_text(encoding="utf-8"))
    return texts


def sample(voice: Voice, backend: KokoroOnnx, text: str, speed: float) -> Sample:
    """Clock and render one sentence, and measure where it sounds."""
    clocked = backend.clock(text, voice, speed)
    sound = backend.render(clocked)
    return Sample(clocked, sound, measure_bounds(sound, below_db=FIT_BELOW_DB))


def pace_of(voice: Voice, backend: KokoroOnnx, texts: Sequence[str], speed: float) -> float:
    """Words a minute of whole turns from onset to offset, by the clock alone."""
    turns = [backend.clock(text, voice, speed) for text in texts]
    words = sum(len(words_of(clocked.written)) for clocked in turns)
    return words / (sum(clocked.speech.length for clocked in turns) / RATE / 60)


def natural_speed(pace: float, pace_at: Callable[[float], float]) -> float:
    """Speed at which the pace comes into the natural range, in steps of 0.05; 1 where it lies there."""
    speed = 1.0
    step = 0.05 if pace < PACE[0] else -0.05
    while not PACE[0] <= pace <= PACE[1] and 0.6 < speed < 1.6:
        speed = round(speed + step, 2)
        pace = pace_at(speed)
    return speed


def fit_rule(samples: Sequence[Sample]) -> EnergyRule:
    """Thresholds and shifts that bring planned onsets and offsets nearest to the measured ones."""
    onset, onset_shift = _fit(samples, lambda s: s.bounds.start, _first_above)
    offset, offset_shift = _fit(samples, lambda s: s.bounds.end, _last_above)
    rule = EnergyRule(onset=onset, onset_shift_ms=onset_shift, offset=offset, offset_shift_ms=offset_shift)
    return rule.model_copy(update={"pause": _fit_pause(samples, rule)})


def errors(samples: Sequence[Sample], rule: EnergyRule) -> tuple[Values, Values]:
    """Measured minus planned onsets and offsets [ms], by `rule`, of the sounds as they would be laid."""
    planned = [speech_span(s.energy, rule) for s in samples]
    found = [laid_bounds(s.sound, plan) for s, plan in zip(samples, planned, strict=True)]
    onset = [bounds.start - plan.start for bounds, plan in zip(found, planned, strict=True)]
    offset = [bounds.end - plan.end for bounds, plan in zip(found, planned, strict=True)]
    return _milliseconds(onset), _milliseconds(offset)


def laid_bounds(sound: Floats, speech: Span) -> Span:
    """Bounds measured in `sound` when it is laid with the guard around `speech`, faded to both sides."""
    start, end = max(speech.start - GUARD, 0), min(speech.end + GUARD, len(sound))
    fade = np.ones(end - start, np.float32)
    for side, length in ((fade, speech.start - start), (fade[::-1], end - speech.end)):
        side[:length] = 0.5 - 0.5 * np.cos(np.pi * (np.arange(length) + 0.5) / max(length, 1))
    return measure_bounds(sound[start:end] * fade).shifted(start)


def lost_share(samples: Sequence[Sample], rule: EnergyRule) -> float:
    """Share of the utterances whose sound, at the level of the fit, goes on after the guard and is faded away."""
    ends = [speech_span(s.energy, rule).end + GUARD for s in samples]
    return float(np.mean([s.bounds.end > end for s, end in zip(samples, ends, strict=True)]))


def level(samples: Sequence[Sample]) -> tuple[float, float]:
    """Gain [dB] to the common loudness, and the peak that results [dBFS]."""
    speech = np.concatenate([s.sound[s.bounds.start : s.bounds.end] for s in samples])
    gain = LOUDNESS - float(pyloudnorm.Meter(RATE).integrated_loudness(speech.astype(np.float64)))
    peak = 20 * float(np.log10(np.abs(speech).max()))
    return gain, peak + gain


def _fit(
    samples: Sequence[Sample], measured: Callable[[Sample], int], planned: Callable[[Floats, float], int | None]
) -> tuple[float, float]:
    """Return the threshold and the shift [ms] with the fewest errors above the tolerance, then the smallest errors."""
    best = (np.inf, np.inf, 0.0, 0.0)
    for threshold in GRID:
        found = [planned(s.energy, float(threshold)) for s in samples]
        plans = [plan for plan in found if plan is not None]
        if len(plans) < len(samples):
            break
        error = _milliseconds([measured(s) - plan for s, plan in zip(samples, plans, strict=True)])
        shift = float(np.median(error))
        rest = np.abs(error - shift)
        best = min(best, (float(np.mean(rest > 0.8 * TOLERANCE_MS)), float(rest.mean()), float(threshold), shift))
    return best[2], round(best[3], 1)


def _fit_pause(samples: Sequence[Sample], rule: EnergyRule) -> float:
    """Return the threshold whose silences agree best with those of the sound (share of samples told apart)."""
    best = (np.inf, 0.0)
    for threshold in GRID:
        tried = rule.model_copy(update={"pause": float(threshold)})
        wrong = sum(_disagreement(s, inner_silences(s.energy, tried, s.bounds)) for s in samples)
        best = min(best, (wrong, float(threshold)))
    return best[1]


def _disagreement(sample: Sample, planned: Sequence[Span]) -> float:
    """Samples that are silent by the plan alone or by the sound alone."""
    marks = np.zeros((2, len(sample.sound)), bool)
    for mark, silences in zip(marks, (planned, measure_silences(sample.sound, below_db=FIT_BELOW_DB)), strict=True):
        for silence in silences:
            mark[silence.start : silence.end] = True
    return float(np.sum(marks[0] != marks[1]))


def _first_above(energy: Floats, threshold: float) -> int | None:
    above = np.flatnonzero(energy > threshold)
    return int(above[0]) * HOP if above.size else None


def _last_above(energy: Floats, threshold: float) -> int | None:
    above = np.flatnonzero(energy > threshold)
    return (int(above[-1]) + 1) * HOP if above.size else None


def _milliseconds(samples: Sequence[int]) -> Values:
    return np.asarray(samples, np.float64) / RATE * 1000


def _percentiles(values: Values) -> tuple[float, float, float]:
    low, middle, high = np.percentile(values, [10, 50, 90]).round(1)
    return float(low), float(middle), float(high)


def write(path: Path, voice: Voice, calibration: Calibration, engine: str) -> None:
    """Put the calibration of one voice into the file at `path`, and leave the others."""
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    voices = (known or {}).get("voices", {}) | {voice.kokoro: calibration.model_dump(mode="json")}
    text = yaml.safe_dump(
        {"engine": engine, "loudness_lufs": LOUDNESS, "voices": dict(sorted(voices.items()))},
        sort_keys=False,
        width=120,
    )
    temporary = path.with_suffix(".tmp")
    temporary.write_text(NOTE + text, encoding="utf-8")
    temporary.replace(path)


NOTE = """# Made by `python -m pipeline.calibrate`; see pipeline/calibrate.py for what each figure means.
# Errors are measured minus planned, 10th, 50th and 90th percentile, on sentences that no rule was fitted on.
"""
HEADER = (
    "voice kokoro       gain dB  peak dBFS  words/min  speed  onset error ms       offset error ms      "
    "within 40 ms   lost"
)


def row(voice: Voice, calibration: Calibration) -> str:
    """One line of the table."""
    onset, offset = (
        " ".join(f"{value:6.1f}" for value in error)
        for error in (calibration.onset_error_ms, calibration.offset_error_ms)
    )
    return (
        f"{voice.id:5} {voice.kokoro:12} {calibration.gain_db:7.2f} {calibration.peak_dbfs:10.2f} "
        f"{calibration.pace_wpm:10.1f} {calibration.speed:6.2f}  {onset} {offset} "
        f"{calibration.within_40_ms:12.3f} {calibration.lost:6.3f}"
    )


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
    sys.exit(main())
