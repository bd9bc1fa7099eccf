"""Prosody shaped on purpose: named edits of an utterance.

Edits of F0 come between the clock and the sound and leave the durations and the energy as they are, so that all
planned times stay. Edits of durations are the clock's own (see :mod:`pipeline.speech.lengthening`).
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
    "final": "factor that F0 has moved to by its last voiced frame, over 0.4 s: above 1 a rise, below a fall",
    "final_length": "factor on the duration of the utterance's last rhyme",
    "clause_length": "factor on the duration of the last rhyme before each pause at a clause boundary",
}
LENGTHS = frozenset({"final_length", "clause_length"})
"""Edits of durations."""
LIMITS = (0.5, 2.0)


def shaped(contour: Contour, edits: Mapping[str, float]) -> Contour:
    """Return `contour` with those of the `edits` made that are of F0 (see :data:`EDITS`).

    Raises
    ------
    ConfigError
        for an unknown edit or a factor out of range.

    """
    check(edits)
    f0 = contour.f0 * np.float32(edits.get("pitch", 1.0))
    if "final" in edits:
        f0 = f0 * _ramp(f0, edits["final"])
    return Contour(contour.frames, f0.astype(np.float32), contour.energy)


def check(edits: Mapping[str, float]) -> None:
    """ConfigError where an edit is unknown or its factor does not lie between 0.5 and 2."""
    for name, factor in edits.items():
        if name not in EDITS or not LIMITS[0] <= factor <= LIMITS[1]:
            raise ConfigError(f"prosody edit {name}={factor} is not possible: {', '.join(EDITS)} from 0.5 to 2")


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
