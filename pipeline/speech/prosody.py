"""Prosody shaped on purpose: named edits of an utterance.

Edits of F0 and energy come between the clock and the sound. They leave the durations as they are, and move no energy
across the thresholds that tell speech from silence, so that all planned times stay. Edits of durations are the clock's
own (see :mod:`pipeline.speech.lengthening`).
"""

from collections.abc import Mapping

import numpy as np

from pipeline.errors import ConfigError
from pipeline.speech.backend import Contour, Floats

VOICED = 50.0
"""F0 below this stands for unvoiced [Hz]."""
FINAL = 32
"""Values of the F0 curve that a final movement takes (0.4 s)."""
EDITS = {
    "pitch": "factor on F0 over the whole utterance",
    "span": "factor on the distance of F0 from its median in semitones: above 1 livelier, below flatter",
    "final": "factor that F0 has moved to by its last voiced frame, over 0.4 s: above 1 a rise, below a fall",
    "force": "factor on the energy above silence",
    "swell": "how much more of that factor the end has than the start: above 1 swelling, below dying away",
    "final_length": "factor on the duration of the utterance's last rhyme",
    "clause_length": "factor on the duration of the last rhyme before each pause at a clause boundary",
}
LENGTHS = frozenset({"final_length", "clause_length"})
"""Edits of durations."""
LIMITS = (0.5, 2.0)


def shaped(contour: Contour, edits: Mapping[str, float], quiet: float = 0.0) -> Contour:
    """Return `contour` with those of the `edits` made that are of F0 and of energy (see :data:`EDITS`).

    Energy up to `quiet`, the highest threshold of the voice's rule, stays as it is.

    Raises
    ------
    ConfigError
        for an unknown edit or a factor out of range.

    """
    check(edits)
    f0 = _spanned(contour.f0, edits["span"]) if "span" in edits else contour.f0
    f0 = f0 * np.float32(edits.get("pitch", 1.0))
    if "final" in edits:
        f0 = f0 * _ramp(f0, edits["final"])
    energy = contour.energy
    if {"force", "swell"} & edits.keys():
        energy = _swollen(energy, edits.get("force", 1.0), edits.get("swell", 1.0), quiet)
    return Contour(contour.frames, f0.astype(np.float32), energy)


def check(edits: Mapping[str, float]) -> None:
    """ConfigError where an edit is unknown or its factor does not lie between 0.5 and 2."""
    for name, factor in edits.items():
        if name not in EDITS or not LIMITS[0] <= factor <= LIMITS[1]:
            raise ConfigError(f"prosody edit {name}={factor} is not possible: {', '.join(EDITS)} from 0.5 to 2")


def _spanned(f0: Floats, factor: float) -> Floats:
    """F0 with its distance from the median, an octave of it at most, times `factor`."""
    voiced = f0 > VOICED
    if not voiced.any():
        return f0
    octaves = np.log2(np.maximum(f0, VOICED) / np.median(f0[voiced]))
    return np.where(voiced, f0 * 2.0 ** ((factor - 1.0) * np.clip(octaves, -1.0, 1.0)), f0).astype(np.float32)


def _swollen(energy: Floats, force: float, swell: float, quiet: float) -> Floats:
    """Energy above `quiet` times `force`, and from the first such value to the last increasingly times `swell`."""
    heard = np.flatnonzero(energy > quiet)
    if not heard.size:
        return energy
    along = (heard - heard[0]) / max(1, heard[-1] - heard[0])
    louder = energy.copy()
    louder[heard] = quiet + (energy[heard] - quiet) * force * swell ** (along - 0.5)
    return louder


def _ramp(f0: Floats, factor: float) -> Floats:
    """Ones, and a linear movement to `factor` that ends with the last voiced frame."""
    ramp = np.ones(f0.size, np.float32)
    voiced = np.flatnonzero(f0 > VOICED)
    if voiced.size:
        end = int(voiced[-1]) + 1
        start = max(0, end - FINAL)
        ramp[start:end] = np.linspace(1.0, factor, end - start + 1, dtype=np.float32)[1:]
        ramp[end:] = factor
    return ramp
