"""Read from an energy curve where speech starts, pauses and ends, before there is any sound.

Kokoro's energy curve has one value per 300 samples (12.5 ms). Silence lies near -9.5 and loud speech near 8,
whatever the voice; where between them a voice becomes audible differs, and is calibrated for each.
"""

import numpy as np

from pipeline.errors import ModelError
from pipeline.records.span import Span
from pipeline.samples import to_samples
from pipeline.speech.backend import Floats
from pipeline.speech.voices import EnergyRule

HOP = 300
"""Samples for each value of the energy curve."""
SHORTEST_PAUSE = 1920
"""A silence from 80 ms on counts as a pause [samples]."""


def speech_span(energy: Floats, rule: EnergyRule) -> Span:
    """Onset and offset of the speech [samples] by the rule of the voice.

    Raises
    ------
    ModelError
        when the curve nowhere rises to speech.

    """
    loud, sounding = np.flatnonzero(energy > rule.onset), np.flatnonzero(energy > rule.offset)
    if not len(loud) or not len(sounding):
        raise ModelError("the voice model planned silence for this text: rephrase it")
    end = energy.size * HOP
    onset = int(loud[0]) * HOP + to_samples(rule.onset_shift_ms / 1000)
    offset = (int(sounding[-1]) + 1) * HOP + to_samples(rule.offset_shift_ms / 1000)
    onset = min(max(onset, 0), end - HOP)
    return Span(start=onset, end=min(max(offset, onset + HOP), end))


def inner_silences(energy: Floats, rule: EnergyRule, speech: Span) -> list[Span]:
    """Silences of 80 ms and more inside `speech` [samples]."""
    quiet = np.concatenate([[False], energy <= rule.pause, [False]])
    edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
    runs = [Span(start=int(a) * HOP, end=int(b) * HOP) for a, b in edges.reshape(-1, 2)]
    return [run for run in runs if run.length >= SHORTEST_PAUSE and speech.start < run.start and run.end < speech.end]
