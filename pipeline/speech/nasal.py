"""A hum's sound: periods of the voice's own nasal murmur at the F0 of a contour, and breath through the nose.

The murmur is taken out of rendered syllables that end in /m/, where the closed mouth leaves hardly anything above the
lowest resonance, near 250 Hz (Fujimura 1962, Analysis of nasal consonants, JASA 34).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_toeplitz
from scipy.signal import lfilter

from pipeline.records.span import Span
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Contour, Floats
from pipeline.speech.hum import PEAK
from pipeline.speech.pitch import Voiced, pitch_marks, resounded
from pipeline.speech.plan import HOP
from pipeline.speech.prosody import VOICED

VERSION = 3
"""Raised when the sound or the contour of a hum changes."""
SYLLABLES = ("h\u02c8Om.", "\u02c8\u026am.")
"""Syllables whose final /m/ may be taken: the one with the clearest murmur is."""
WINDOW = 8
"""Values of the curves (100 ms) of murmur that are taken."""
MURMUR_HZ = 500.0
"""A murmur has its energy below this."""
FAINTEST_DB = 14.0
"""Murmur fainter than this under the loudest stretch of its syllable is dying away."""
UNDER_VOWEL_DB = 4.0
"""Level of a hum under that of the vowel before the /m/."""
DB_A_UNIT = 1.5
"""Change of level with the network's energy."""
BREATH_DB = -20.0
"""Level of breath under that of the hum."""
RISE_S, FALL_S = 0.03, 0.07
"""Over which a bout of humming swells and dies away."""
EDGE_DB = -30.0
"""Level at the very edges of a bout, against its middle."""
ORDER = 16


@dataclass(frozen=True, eq=False)
class Murmur:
    """The nasal of a voice, the filter that colours breath like it, the level of a hum (RMS)."""

    voiced: Voiced
    colour: npt.NDArray[np.float64]
    rms: float
    share: float
    """Of its energy below 500 Hz."""


def murmur_of(contour: Contour, sound: Floats) -> Murmur | None:
    """The 100 ms of a syllable with the most of their energy below 500 Hz; None where none are voiced throughout."""
    starts = [at for at in range(contour.f0.size - WINDOW) if contour.f0[at : at + WINDOW].min() > VOICED]
    levels = {at: _rms(_cut(sound, at)) for at in starts}
    loudest = max(levels.values(), default=0.0)
    fit = [at for at in starts if levels[at] > loudest * 10 ** (-FAINTEST_DB / 20)]
    if not fit:
        return None
    best = max(fit, key=lambda at: low_share(_cut(sound, at)))
    period = RATE / float(np.median(contour.f0[best : best + WINDOW]))
    samples = _cut(sound, best)
    voiced = Voiced(samples, pitch_marks(samples, period), period)
    return Murmur(voiced, _prediction(samples), loudest * 10 ** (-UNDER_VOWEL_DB / 20), low_share(samples))


def low_share(samples: Floats, below: float = MURMUR_HZ) -> float:
    """Share of the energy of `samples` that lies below `below` [Hz]."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    low = np.fft.rfftfreq(len(samples), 1 / RATE) < below
    return float(power[low].sum() / max(float(power.sum()), 1e-20))


def hummed(contour: Contour, speech: Span, murmur: Murmur, rng: np.random.Generator) -> Floats:
    """Sound of a hum, 300 samples for each value of `contour`: it fills `speech` and nothing else.

    The same generator state gives the same sound.
    """
    n_samples = contour.f0.size * HOP
    at = np.arange(speech.start, speech.end)
    value = np.minimum(at // HOP, contour.f0.size - 1)
    voiced = contour.f0[value] > VOICED
    # Shifted bounds may reach a few samples beyond the voiced values: the nearest of them goes on.
    sounding = _spread(voiced, to_samples(0.04))
    out = np.zeros(n_samples)
    breath = _breath(murmur, len(at), rng)
    out[at] = np.where(sounding, 0.3, 1.0) * breath
    for start, stop in _runs(sounding):
        inside = np.flatnonzero(voiced[start:stop]) + start
        f0 = np.interp(np.arange(start, stop), inside, contour.f0[value[inside]].astype(np.float64))
        level = np.interp(np.arange(start, stop), inside, (contour.energy[value[inside]] - PEAK) * DB_A_UNIT)
        tone = resounded(murmur.voiced, f0, RATE, rng).astype(np.float64)
        tone *= murmur.rms / max(_rms(tone), 1e-9) * 10 ** (level / 20) * _swell(stop - start)
        out[at[start:stop]] += tone
    return out.astype(np.float32)


def _prediction(samples: Floats) -> npt.NDArray[np.float64]:
    """Coefficients of the linear prediction of `samples` (autocorrelation method), the first of them 1."""
    windowed = samples.astype(np.float64) * np.hanning(len(samples))
    correlation = np.correlate(windowed, windowed, "full")[len(windowed) - 1 : len(windowed) + ORDER]
    correlation[0] *= 1 + 1e-6
    return np.concatenate([[1.0], -solve_toeplitz(correlation[:-1], correlation[1:])])


def _cut(sound: Floats, at: int) -> Floats:
    return sound[at * HOP : (at + WINDOW) * HOP]


def _rms(samples: npt.NDArray[np.floating]) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def _spread(voiced: npt.NDArray[np.bool_], edge: int) -> npt.NDArray[np.bool_]:
    """`voiced`, reaching to the first and the last sample where it starts or ends within `edge` of them."""
    reaching = voiced.copy()
    known = np.flatnonzero(voiced)
    if known.size and known[0] <= edge:
        reaching[: known[0]] = True
    if known.size and len(voiced) - 1 - known[-1] <= edge:
        reaching[known[-1] :] = True
    return reaching


def _runs(mask: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask, [0]]).astype(np.int8))).reshape(-1, 2)
    return [(int(start), int(stop)) for start, stop in edges]


def _swell(size: int) -> npt.NDArray[np.float64]:
    """Level over a bout: audible from its first sample to its last."""
    lowest = 10 ** (EDGE_DB / 20)
    rise, fall = min(to_samples(RISE_S), size // 2), min(to_samples(FALL_S), size // 2)
    shape = np.ones(size)
    shape[:rise] = lowest + (1 - lowest) * np.sin(np.linspace(0, np.pi / 2, rise)) ** 2
    shape[size - fall :] = lowest + (1 - lowest) * np.cos(np.linspace(0, np.pi / 2, fall)) ** 2
    return shape


def _breath(murmur: Murmur, size: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Noise in the colour of the murmur."""
    noise = lfilter([1.0, -0.9], murmur.colour, rng.standard_normal(size + RATE // 10))[RATE // 10 :]
    return np.asarray(noise * murmur.rms * 10 ** (BREATH_DB / 20) / max(_rms(noise), 1e-12))
