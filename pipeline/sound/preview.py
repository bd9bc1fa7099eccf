"""Writes a clip of each scene and effect, a page that plays them and a sheet of spectrograms.

``python -m pipeline.sound.preview OUT_DIR``
"""

import html
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.sound.bank import Sound
from pipeline.sound.beds import Scenes, scene_named
from pipeline.sound.catalogue import shipped
from pipeline.sound.effects import effect_labels
from pipeline.sound.embedded import EmbeddedBank
from pipeline.sound.levels import active_rms
from pipeline.sound.sheet import contact_sheet
from pipeline.sound.synthesis import Samples, octave_spectrum
from pipeline.sound.vad import speech_share
from pipeline.workspace import replacing, write_text

LEVEL, HIGHEST = 0.05, 0.9
"""Active RMS of a preview, and the peak that it may not pass."""
SHEET, PAGE = "spectrograms.png", "index.html"


def preview(folder: Path, seconds: float = 12.0, seed: int = 0) -> list[Path]:
    """Write a FLAC file of each scene and each effect of the catalogues, the page and the sheet; returns their paths.

    Raises
    ------
    OutputError
        when `folder` cannot be written.

    """
    bank = EmbeddedBank()
    sounds = {
        f"scene {name}": bank.bed(name, to_samples(seconds), generator(seed, "preview", name))
        for name in shipped("scenes.yaml", Scenes).scenes
    }
    for label in effect_labels():
        sounds[f"effect {label}"] = bank.effect(label, seconds, generator(seed, "preview", label))
    files = {name: f"{name.replace(' ', '_')}.flac" for name in sounds}
    for name, sound in sounds.items():
        _write(folder / files[name], sound.samples)
    with replacing(folder / SHEET) as temporary:
        contact_sheet(temporary, {name: sound.samples for name, sound in sounds.items()}, RATE)
    rows = [_row(name, files[name], sound) for name, sound in sounds.items()]
    write_text(folder / PAGE, _page(rows))
    return [folder / name for name in (*files.values(), SHEET, PAGE)]


def _write(path: Path, samples: Samples) -> None:
    gain = min(LEVEL / active_rms(samples), HIGHEST / float(abs(samples).max()))
    write_clip(path, samples * gain)


def write_clip(path: Path, samples: npt.NDArray[np.floating]) -> None:
    """Write one clip at 24 kHz [n] as FLAC of 16 bits, whole or not at all; OutputError when that cannot be."""
    with replacing(path) as temporary:
        soundfile.write(str(temporary), samples, RATE, subtype="PCM_16", format="FLAC")


def _row(name: str, file: str, sound: Sound) -> tuple[str, ...]:
    """Name, file, what was measured, and the terms."""
    clip = sound.clip
    measured = (
        f"{len(sound.samples) / RATE:.1f} s, speech by a detector {100 * speech_share(sound.samples, RATE):.0f} %"
    )
    if clip.kind == "bed":
        spectrum = scene_named(clip.label).spectrum
        off = float(np.abs(octave_spectrum(sound.samples, RATE) - np.array(spectrum.db)).max())
        measured += f", octave bands within {off:.1f} dB of {spectrum.source}"
    return name, file, measured, f"{clip.licence}, {clip.attribution}"


def _page(rows: list[tuple[str, ...]]) -> str:
    lines = []
    for name, file, measured, terms in (tuple(map(html.escape, row)) for row in rows):
        player = f'<audio controls preload="none" src="{file}"></audio>'
        lines.append(f"<tr><td>{name}</td><td>{player}</td><td>{measured}</td><td>{terms}</td></tr>")
    table = "\n".join(lines)
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Scenes and effects</title>\n'
        "<style>body{font-family:sans-serif}td{padding:2px 12px 2px 0}img{max-width:100%}</style>\n"
        f'<h1>Scenes and effects of the embedded bank</h1>\n<table>\n{table}\n</table>\n<img src="{SHEET}" alt="'
        'spectrogram of each sound">\n</html>\n'
    )


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = command_parser("pipeline.sound.preview", __doc__, "python -m pipeline.sound.preview noise-preview")
    parser.add_argument("folder", type=Path, help="where the clips go")
    parser.add_argument("--seconds", type=float, default=12.0, help="length of a scene's clip")
    parser.add_argument("--seed", type=int, default=0, help="draws sounds (default: 0)")
    given = parser.parse_args(arguments)
    try:
        print(*preview(given.folder, given.seconds, given.seed), sep="\n")
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
