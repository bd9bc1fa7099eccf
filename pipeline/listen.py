"""Writes a page that plays what corpora are made of: each scene and effect, each voice, backchannel and laugh.

``python -m pipeline.listen FOLDER``, ``make listen OUT=FOLDER``
"""

import html
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import soundfile

from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.laughs import SENTENCE
from pipeline.samples import to_samples, to_seconds
from pipeline.seeds import generator
from pipeline.sound import preview
from pipeline.sound.levels import amplitude
from pipeline.speech.backend import Backend, Clocked, Floats
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.laughter import laugh
from pipeline.speech.variants import clocked_variant
from pipeline.speech.variation import PaceSettings
from pipeline.speech.voices import Voice, pool
from pipeline.workspace import write_text
from pipeline.writers.vocalising import load_lexicon

LAUGH_S = 1.6
VARIANTS = 2
"""How often each backchannel is said, by another voice or in another way."""
PAGE = "index.html"


@dataclass(frozen=True)
class Heard:
    """A row of the page."""

    section: str
    name: str
    file: str
    facts: str


def listen(folder: Path, seed: int = 0) -> Path:
    """Write the sounds as FLAC files and the page that plays them; returns the page.

    Raises
    ------
    OutputError
        when `folder` cannot be written.
    ModelError
        when the voices cannot be had.

    """
    backend = KokoroOnnx(cache=ArrayCache())
    makers = (
        _noise(folder, seed),
        _voices(folder, backend),
        _backchannels(folder, backend, seed),
        _laughs(folder, backend, seed),
    )
    rows = []
    for maker in makers:
        for row in maker:
            print(f"{row.section}: {row.name}", file=sys.stderr)
            rows.append(row)
    write_text(folder / PAGE, _page(rows))
    return folder / PAGE


def _noise(folder: Path, seed: int) -> Iterator[Heard]:
    for path in preview.preview(folder / "noise", seed=seed):
        if path.suffix == ".flac":
            kind, _, name = path.stem.partition("_")
            facts = f"{soundfile.info(str(path)).duration:.1f} s"
            yield Heard(f"{kind}s", name.replace("_", " "), f"noise/{path.name}", facts)


def _voices(folder: Path, backend: Backend) -> Iterator[Heard]:
    for voice in pool().values():
        clocked = backend.clock(SENTENCE, voice)
        facts = f"{voice.gender}, {voice.language}, {voice.style}; {voice.split}"
        yield _said(folder, backend, clocked, "voices", f"{voice.id} {voice.kokoro}", f"voice-{voice.id}", facts)


def _backchannels(folder: Path, backend: Backend, seed: int) -> Iterator[Heard]:
    """Each item of the lexicon by voices in turn, in variants as a corpus has them."""
    voices, pace = cycle(pool().values()), PaceSettings().lexicon
    for number, sound in enumerate(load_lexicon().sounds):
        for again in range(VARIANTS):
            voice = next(voices)
            rng = generator(seed, "listen", "variant", sound.say, again)
            clocked = clocked_variant(backend, sound.say, voice, rng, voice.calibration.speed * pace)
            facts = f"{voice.id} {voice.kokoro}, {to_seconds(clocked.speech.length):.2f} s"
            yield _said(folder, backend, clocked, "backchannels", sound.say, f"backchannel-{number:02}-{again}", facts)


def _laughs(folder: Path, backend: Backend, seed: int) -> Iterator[Heard]:
    for voice in pool().values():
        sound = laugh(backend, voice, to_samples(LAUGH_S), generator(seed, "listen", "laugh", voice.id))
        name = f"laugh-{voice.id}.flac"
        preview.write_clip(folder / name, _levelled(sound, voice))
        yield Heard("laughs", f"{voice.id} {voice.kokoro}", name, f"{LAUGH_S} s")


def _said(folder: Path, backend: Backend, clocked: Clocked, section: str, name: str, stem: str, facts: str) -> Heard:
    preview.write_clip(folder / f"{stem}.flac", _levelled(backend.render(clocked), clocked.voice))
    return Heard(section, name, f"{stem}.flac", facts)


def _levelled(sound: Floats, voice: Voice) -> Floats:
    return np.asarray(sound * amplitude(voice.calibration.gain_db), np.float32)


def _page(rows: list[Heard]) -> str:
    parts = []
    for section in dict.fromkeys(row.section for row in rows):
        lines = [_line(row) for row in rows if row.section == section]
        parts.append(
            f"<h2>{html.escape(section.capitalize())} ({len(lines)})</h2>\n<table>\n" + "\n".join(lines) + "\n</table>"
        )
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>What corpora are made of</title>\n'
        "<style>:root{color-scheme:light dark}body{font-family:sans-serif;margin:1rem 2rem}"
        "td{padding:2px 12px 2px 0}audio{height:2rem}</style>\n"
        f"<h1>What corpora are made of</h1>\n{body}\n</html>\n"
    )


def _line(row: Heard) -> str:
    name, file, facts = (html.escape(text) for text in (row.name, row.file, row.facts))
    player = f'<audio controls preload="none" src="{file}" aria-label="{html.escape(row.section)}: {name}"></audio>'
    return f"<tr><td>{name}</td><td>{player}</td><td>{facts}</td></tr>"


def main(argv: list[str] | None = None) -> int:
    """Command line; 2 for bad input."""
    parser = command_parser("pipeline.listen", __doc__, "python -m pipeline.listen listen")
    parser.add_argument("folder", type=Path, help="where the page and its sounds go")
    parser.add_argument("--seed", type=int, default=0, help="draws sounds (default: 0)")
    given = parser.parse_args(argv)
    try:
        print(listen(given.folder, given.seed))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
