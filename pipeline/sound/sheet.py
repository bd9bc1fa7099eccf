"""A contact sheet: the spectrogram of each sound, all at one scale."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.signal import ShortTimeFFT
from scipy.signal.windows import hann

from pipeline.sound.synthesis import Samples

COLUMNS = 4
WINDOW, HOP = 1024, 256
RANGE_DB = 80.0
"""Shown below the strongest bin of a sound."""


def contact_sheet(path: Path, sounds: Mapping[str, Samples], rate: int) -> None:
    """Write a PNG at `path` with the spectrogram of each of `sounds`, under its name."""
    rows = -(-len(sounds) // COLUMNS)
    figure = Figure(figsize=(4.2 * COLUMNS, 2.4 * rows))
    axes = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True)
    for axis in axes.flat[len(sounds) :]:
        axis.set_visible(False)
    for axis, (name, samples) in zip(axes.flat, sounds.items(), strict=False):
        _spectrogram(axis, name, samples, rate)
    figure.supxlabel("time [s]")
    figure.supylabel("frequency [kHz]")
    figure.tight_layout()
    figure.savefig(path, dpi=70, metadata={"Software": None})


def _spectrogram(axis: Axes, name: str, samples: Samples, rate: int) -> None:
    transform = ShortTimeFFT(hann(WINDOW), HOP, rate)
    power = np.asarray(transform.spectrogram(samples))
    levels = 10.0 * np.log10(power / power.max() + 1e-12)
    extent = (0.0, len(samples) / rate, 0.0, rate / 2000.0)
    axis.imshow(levels, origin="lower", aspect="auto", extent=extent, vmin=-RANGE_DB, vmax=0.0, cmap="magma")
    axis.set_title(name, fontsize=10)
