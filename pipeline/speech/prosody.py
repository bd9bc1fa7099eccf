"""Prosody shaped on purpose, between the clock and the sound: named edits of an utterance's F0.

Edits leave the durations and the energy as they are, so that all planned times stay.
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
}
LIMITS = (0.5, 2.0)


def shaped(contour: Contour, edits: Mapping[str, float]) -> Contour:
    """Return `contour` with `edits` made, each a factor between 0.5 and 2 (see :data:`EDITS`).

    Raises
    ------
    ConfigError
        for an unknown edit or a factor out of range.

    """
    for name, factor in edits.items():
        if name not in EDITS or not LIMITS[0] <= factor <= LIMITS[1]:
            raise ConfigError(f"prosody edit {name}={factor} is not possible: {', '.join(EDITS)} from 0.5 to 2")
    f0 = contour.f0 * np.float32(edits.get("pitch", 1.0))
    if "final" in edits:
        f0 = f0 * _ramp(f0, edits["final"])
    return Contour(contour.frames, f0.astype(np.float32), contour.energy)


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
