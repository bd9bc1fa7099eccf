"""Pitch marks of voiced sound, and new pitch by overlap-add of its periods (TD-PSOLA).

Moulines & Charpentier (1990), Pitch-synchronous waveform processing techniques for text-to-speech synthesis using
diphones. Speech Communication 9: the spectral envelope, which makes a voice that voice, stays.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.speech.backend import Floats

SEARCH = 0.2
"""A mark may lie this share of a period beside the place expected."""


@dataclass(frozen=True, eq=False)
class Voiced:
    """Voiced sound, a sample index in each of its periods (ascending), and its mean period [samples]."""

    samples: Floats
    marks: npt.NDArray[np.int64]
    period: float


def pitch_marks(samples: Floats, period: float) -> npt.NDArray[np.int64]:
    """One index a period: the strongest peak, followed from the loudest one to both sides.

    `period` is the mean period [samples]; the sound is voiced throughout.
    """
    signed = samples if samples.max() >= -samples.min() else -samples
    first = int(np.argmax(signed))
    return np.array(sorted({*_follow(signed, first, period), *_follow(signed, first, -period)}))


def _follow(samples: Floats, mark: int, step: float) -> list[int]:
    reach = max(1, round(SEARCH * abs(step)))
    marks = [mark]
    while reach <= mark + step < len(samples) - reach:
        centre = round(mark + step)
        mark = centre - reach + int(np.argmax(samples[centre - reach : centre + reach + 1]))
        marks.append(mark)
    return marks


def resounded(voiced: Voiced, f0: npt.NDArray[np.float64], rate: int, rng: np.random.Generator) -> Floats:
    """Sound of `len(f0)` samples whose pitch follows `f0` [Hz, a value each sample], from periods of `voiced`.

    The periods are taken in their order, there and back again, with a little irregularity from `rng`.
    """
    half = round(voiced.period)
    padded = np.pad(voiced.samples, half)
    window = np.hanning(2 * half + 1)
    out = np.zeros(len(f0) + 2 * half)
    there_and_back = np.concatenate([voiced.marks, voiced.marks[-2:0:-1]])
    at, count = 0.0, int(rng.integers(len(there_and_back)))
    while at < len(f0):
        mark = int(there_and_back[count % len(there_and_back)])
        place = int(at)
        out[place : place + 2 * half + 1] += (padded[mark : mark + 2 * half + 1] * window)[: len(out) - place]
        at += rate / f0[place] * rng.normal(1.0, 0.01)
        count += 1
    return np.asarray(out[half : half + len(f0)], np.float32)
