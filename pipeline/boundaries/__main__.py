"""Judges logged word and segment times: by forced alignment, its own bias taken off, and by energy.

Without a corpus, shipped scripts are made into conversations in memory until there are words and voices enough.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from pipeline.boundaries.judging import Amount, measure
from pipeline.boundaries.known import TOGETHER
from pipeline.boundaries.material import made, of_corpus, reference
from pipeline.boundaries.sphinx import Sphinx
from pipeline.boundaries.stated import Aligner
from pipeline.boundaries.table import table
from pipeline.boundaries.whisper import Whisper
from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.speech.opening import open_backend

ALIGNERS: Mapping[str, Callable[[], Aligner]] = {"pocketsphinx": Sphinx, "whisper": Whisper}


def main(argv: list[str] | None = None) -> int:
    """Print the figures; 2 for bad input."""
    parser = command_parser("pipeline.boundaries", __doc__, "python -m pipeline.boundaries corpora/mine --words 500")
    parser.add_argument("corpus", type=Path, nargs="?", help="a finished corpus (default: conversations made for this)")
    parser.add_argument("--words", type=int, default=1000, help="words to judge at least (default: 1000)")
    parser.add_argument("--voices", type=int, default=8, help="voices to hear at least (default: 8)")
    parser.add_argument("--known", type=int, default=16, help="phrases a voice with known bounds (default: 16)")
    parser.add_argument("--seed", type=int, default=1, help="draws scripts and words (default: 1)")
    parser.add_argument("--aligners", default="pocketsphinx", help=f"of {','.join(ALIGNERS)} (default: pocketsphinx)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(argv)
    try:
        amount = Amount(given.words, given.voices, given.known, given.seed)
        _check(amount)
        aligners = [_aligner(name) for name in given.aligners.split(",")]
        if given.corpus is not None:
            conversations, material = of_corpus(given.corpus), str(given.corpus)
        else:
            settings, specs = reference(given.seed)
            conversations = made(settings, specs, open_backend(settings.tts), given.voices)
            material = "shipped scripts"
        figures = measure(conversations, aligners, amount, material, lambda line: print(line, file=sys.stderr))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(figures.to_json(), end="")
    else:
        print("\n".join(table(figures)))
    return 0


def _check(amount: Amount) -> None:
    for name, value, least in (
        ("words", amount.words, 1),
        ("voices", amount.voices, 1),
        ("known", amount.known, TOGETHER),
        ("seed", amount.seed, 0),
    ):
        if value < least:
            raise ConfigError(f"--{name} {value}: give {least} or more")


def _aligner(name: str) -> Aligner:
    if name not in ALIGNERS:
        raise ConfigError(f"--aligners {name!r}: there are {', '.join(ALIGNERS)}")
    return ALIGNERS[name]()


if __name__ == "__main__":
    sys.exit(ended(main))
