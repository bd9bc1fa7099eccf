"""The energy rule of a voice: fitted on one set of sentences, its errors found on another."""

from collections.abc import Callable, Sequence

import numpy as np

from pipeline.calibrate.samples import FIT_BELOW_DB, Sample, Values, milliseconds
from pipeline.records.span import Span
from pipeline.samples import to_samples
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import measure_bounds, measure_silences
from pipeline.speech.plan import HOP, inner_silences, speech_span
from pipeline.speech.voices import EnergyRule

TOLERANCE_MS = 40.0
GUARD = to_samples(0.06)
"""An utterance is laid with this much of its sound around the planned speech, faded (`guard_s` of the timing)."""
GRID = np.arange(-6.0, 6.01, 0.25)
"""Thresholds tried, over the range of the energy curve between silence (-9.5) and loud speech (8)."""


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
    return milliseconds(onset), milliseconds(offset)


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
        error = milliseconds([measured(s) - plan for s, plan in zip(samples, plans, strict=True)])
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
