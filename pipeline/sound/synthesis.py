"""What sounds are made of: noise with a spectrum, slow drifts, struck modes, fades, a plain room.

All in double precision, so that a last-bit difference between processors does not reach the 16-bit output.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.signal import welch

from pipeline.samples import to_samples
from pipeline.sound.levels import convolve, fast_length

Samples = NDArray[np.float64]
Rng = np.random.Generator
Range = tuple[float, float]
"""Lowest and highest value of a parameter that is drawn uniformly."""

BANDS_HZ = (63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
"""Octave bands of a reference spectrum, by their centres."""
REFERENCE_BAND = BANDS_HZ.index(1000.0)
BLOCK, OVERLAP = 1 << 14, 1 << 11
"""Block of stationary noise, which resolves 1.5 Hz at 24 kHz, and the part that two blocks share."""
ROLL_OFF_DB = 18.0
"""Slope below the lowest band, a microphone's high-pass [dB an octave]."""
SEED_BITS = 53
"""Seeds that any JSON reader keeps exactly."""


def draw_seed(rng: Rng) -> int:
    """A seed for :func:`rng_of`, small enough for any JSON reader."""
    return int(rng.integers(1 << SEED_BITS))


def rng_of(seed: int) -> Rng:
    """The generator that a logged seed stands for."""
    return np.random.Generator(np.random.PCG64(seed))


def drawn(rng: Rng, within: Range) -> float:
    """A value drawn uniformly from a range."""
    return float(rng.uniform(*within))


def drawn_count(rng: Rng, within: tuple[int, int]) -> int:
    """An integer drawn uniformly from a range, both ends included."""
    return int(rng.integers(within[0], within[1] + 1))


def band_edges(rate: int) -> list[tuple[float, float]]:
    """Lower and upper edge of each octave band [Hz], the highest cut at half the rate."""
    return [(f / math.sqrt(2.0), min(f * math.sqrt(2.0), rate / 2.0)) for f in BANDS_HZ]


def band_powers(power: Samples, hz: Samples, rate: int) -> Samples:
    """Sum of `power` [..., bins] over the bins of each octave band [..., bands]."""
    return np.stack([power[..., (hz >= lo) & (hz < hi)].sum(axis=-1) for lo, hi in band_edges(rate)], axis=-1)


def bins_hz(size: int, rate: int) -> Samples:
    """Frequencies of the bins of a real transform of `size` [Hz]."""
    return np.arange(size // 2 + 1, dtype=np.float64) * (rate / size)


def octave_powers(samples: Samples, rate: int) -> Samples:
    """Mean square of `samples` [n] in each octave band [bands].

    By Welch's method: without windows what the ends cut off would leak 60 dB down, over a quiet high band.
    """
    hz, power = welch(samples, rate, nperseg=min(BLOCK, len(samples)), scaling="spectrum", detrend=False)
    # Bins of a Hann window overlap: its noise bandwidth is one and a half bins.
    return band_powers(np.asarray(power) / 1.5, np.asarray(hz), rate)


def octave_spectrum(samples: Samples, rate: int) -> Samples:
    """Octave-band levels of `samples` [n], in dB re the 1 kHz band [bands]."""
    bands = octave_powers(samples, rate)
    return np.asarray(10.0 * np.log10(bands / bands[REFERENCE_BAND]))


def spectrum_amplitude(bands: Samples, block: int, rate: int) -> Samples:
    """Amplitude of each bin [block // 2 + 1] for noise whose octave bands have these powers [bands].

    Straight in dB over the logarithm of frequency, its corners moved until each band's sum is right.
    """
    hz = bins_hz(block, rate)
    wanted = np.maximum(bands, 1e-12)
    corners = 10.0 * np.log10(wanted / np.array(BANDS_HZ))
    for _ in range(6):
        got = band_powers(_density(corners, hz), hz, rate)
        corners += 10.0 * np.log10(np.divide(wanted, got, out=np.ones_like(got), where=got > 0.0))
    # A complex normal bin of amplitude a adds 4 a^2 / block^2 to the mean square.
    return block / 2.0 * np.sqrt(_density(corners, hz))


def _density(corners: Samples, hz: Samples) -> Samples:
    """Power a bin [bins] on straight lines through the bands' corners [dB]; none at DC."""
    octaves = np.log2(np.array(BANDS_HZ))
    x = np.log2(np.maximum(hz, 1.0))
    level = np.interp(x, octaves, corners)
    level += np.minimum(x - (octaves[0] - 0.5), 0.0) * ROLL_OFF_DB
    level += np.maximum(x - octaves[-1], 0.0) * (corners[-1] - corners[-2])
    density = 10.0 ** (level / 10.0)
    density[0] = density[-1] = 0.0
    return np.asarray(density)


def noise(amplitudes: Samples, n: int, rng: Rng, overlap: int = OVERLAP) -> Samples:
    """Gaussian noise [n] of these bin amplitudes, one row for all blocks or a row a block.

    Blocks are drawn in the frequency domain and joined under sine and cosine, whose squares add up to
    one: any length, no seam, and a longer bed begins as a shorter one does. `amplitudes` is
    [block // 2 + 1] or [:func:`blocks_for` (n, block, overlap), block // 2 + 1].
    """
    bins = amplitudes.shape[-1]
    block = 2 * (bins - 1)
    count = blocks_for(n, block, overlap)
    spectrum = rng.standard_normal((count, bins, 2)).view(np.complex128)[..., 0]
    spectrum *= amplitudes
    return joined(np.fft.irfft(spectrum, block, axis=1), overlap)[:n]


def blocks_for(n: int, block: int, overlap: int = OVERLAP) -> int:
    """Blocks that cover `n` samples, the first ramp left out."""
    return math.ceil(n / (block - overlap)) + 1


def joined(frames: Samples, overlap: int) -> Samples:
    """Frames [count, block] one after the other, each faded into the next at equal power."""
    count, block = frames.shape
    hop = block - overlap
    up = np.sin(0.5 * np.pi * (np.arange(overlap) + 0.5) / overlap)
    out = np.empty((count - 1, hop))
    out[:, : hop - overlap] = frames[:-1, overlap:hop]
    out[:, hop - overlap :] = frames[:-1, hop:] * up[::-1] + frames[1:, :overlap] * up
    return out.reshape(-1)


def drift(n: int, rate: int, hz: float, rng: Rng, step_s: float = 0.02) -> tuple[Samples, int]:
    """A smooth random curve of about `hz` on a coarse grid, with mean 0 and deviation 1.

    Returns
    -------
    tuple
        The curve [ceil(n / step) + 1] and its step in samples.

    """
    step = to_samples(step_s, rate)
    width = max(3, to_samples(1.0 / hz, rate) // step)
    kernel = np.hanning(width + 2)[1:-1]
    kernel /= math.sqrt(float(np.sum(kernel**2)))
    points = math.ceil(n / step) + 1
    return np.convolve(rng.standard_normal(points + width - 1), kernel, mode="valid"), step


def stretched(curve: Samples, step: int, n: int) -> Samples:
    """A coarse curve [points] brought to `n` samples by straight lines of `step` samples."""
    ramp = np.arange(step) / step
    lines = curve[:-1, None] + (curve[1:] - curve[:-1])[:, None] * ramp
    return lines.reshape(-1)[:n]


def modes(hz: Sequence[float], decay_s: Sequence[float], level: Sequence[float], n: int, rate: int) -> Samples:
    """A struck body [n]: sines that start together at 0 and die away, each with its time constant."""
    t = np.arange(n) / rate
    out = np.zeros(n)
    for f, tau, a in zip(hz, decay_s, level, strict=True):
        if f < rate / 2.0:
            out += a * np.exp(-t / tau) * np.sin(2.0 * np.pi * f * t)
    return out


def fade_curve(n: int) -> Samples:
    """Raised cosine from 0 to 1 [n], both ends left out so that it never repeats a sample."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * (np.arange(n) + 1.0) / (n + 1.0)))


def faded(samples: Samples, fade: int) -> Samples:
    """A copy with a raised-cosine fade of `fade` samples at either end (at most half its length)."""
    fade = min(fade, len(samples) // 2)
    out = samples.copy()
    if fade:
        curve = fade_curve(fade)
        out[:fade] *= curve
        out[-fade:] *= curve[::-1]
    return out


def laid(pieces: Sequence[tuple[int, Samples]], n: int) -> Samples:
    """Pieces added at their first samples, what passes the end cut off [n]."""
    out = np.zeros(n)
    for onset, piece in pieces:
        end = min(n, onset + len(piece))
        if end > onset:
            out[onset:end] += piece[: end - onset]
    return out


def coloured(n: int, low_hz: float, high_hz: float, rate: int, rng: Rng, order: float = 2.0) -> Samples:
    """A short burst of noise [n] between two frequencies, with skirts of 6 dB x `order` an octave."""
    size = fast_length(2 * n)
    hz = bins_hz(size, rate)
    spectrum = np.fft.rfft(rng.standard_normal(size)) * band_gain(hz, low_hz, high_hz, order)
    return np.fft.irfft(spectrum, size)[:n]


def band_gain(hz: Samples, low_hz: float, high_hz: float, order: float = 2.0) -> Samples:
    """Gain of a zero-phase band-pass at `hz`; 0 at DC."""
    safe = np.maximum(hz, 1e-9)
    high_pass = 1.0 / np.sqrt(1.0 + (low_hz / safe) ** (2.0 * order))
    return np.asarray(high_pass / np.sqrt(1.0 + (safe / high_hz) ** (2.0 * order)))


def filtered(samples: Samples, low_hz: float, high_hz: float, rate: int, order: float = 2.0) -> Samples:
    """`samples` [n] through a zero-phase band-pass, padded so that nothing wraps around."""
    size = fast_length(len(samples) + rate // 10)
    hz = bins_hz(size, rate)
    spectrum = np.fft.rfft(samples, size) * band_gain(hz, low_hz, high_hz, order)
    return np.fft.irfft(spectrum, size)[: len(samples)]


def room(samples: Samples, rt60_s: float, direct_db: float, rate: int, rng: Rng, tail_s: float = 0.0) -> Samples:
    """`samples` in a plain room: the direct sound and noise that dies away by 60 dB in `rt60_s`.

    `direct_db` is the energy of the direct sound over the room's; the result runs `tail_s` past the end.
    """
    n = to_samples(rt60_s, rate)
    t = np.arange(n) / rate
    response = rng.standard_normal(n) * 10.0 ** (-3.0 * t / rt60_s)
    response[: to_samples(0.004, rate)] = 0.0
    response /= math.sqrt(float(np.sum(response**2)))
    response[0] = 10.0 ** (direct_db / 20.0)
    return convolve(samples, response)[: len(samples) + to_samples(tail_s, rate)]
