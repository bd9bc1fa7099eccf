"""Writes one clip of each scene and effect: ``python -m pipeline.sound.preview OUT_DIR``."""

import argparse
import sys
from pathlib import Path

import soundfile

from pipeline.errors import PipelineError
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.sound.beds import Scenes
from pipeline.sound.catalogue import shipped
from pipeline.sound.effects import effect_labels
from pipeline.sound.embedded import EmbeddedBank
from pipeline.sound.levels import active_rms
from pipeline.sound.synthesis import Samples

LEVEL, HIGHEST = 0.05, 0.9
"""Active RMS of a preview, and the peak that it may not pass."""


def preview(folder: Path, seconds: float = 12.0, seed: int = 0) -> list[Path]:
    """Write a FLAC file for each scene and each effect of the catalogues into `folder`; returns their paths."""
    bank = EmbeddedBank()
    folder.mkdir(parents=True, exist_ok=True)
    sounds = {
        f"scene {name}": bank.bed(name, to_samples(seconds), generator(seed, "preview", name)).samples
        for name in shipped("scenes.yaml", Scenes).scenes
    }
    for label in effect_labels():
        sounds[f"effect {label}"] = bank.effect(label, seconds, generator(seed, "preview", label)).samples
    return [_write(folder / f"{name.replace(' ', '_')}.flac", samples) for name, samples in sounds.items()]


def _write(path: Path, samples: Samples) -> Path:
    gain = min(LEVEL / active_rms(samples), HIGHEST / float(abs(samples).max()))
    soundfile.write(str(path), samples * gain, RATE, subtype="PCM_16")
    return path


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.sound.preview", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the clips go")
    parser.add_argument("--seconds", type=float, default=12.0, help="length of a scene's clip")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    try:
        print(*preview(given.folder, given.seconds, given.seed), sep="\n")
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
