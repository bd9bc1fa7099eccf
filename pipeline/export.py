"""Writes a finished corpus in a format of another tool, into a folder of its own; the corpus stays as it is."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import __version__
from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, InputError, OutputError, PipelineError
from pipeline.exports.folder import check_free, export_folder
from pipeline.exports.job import Job
from pipeline.exports.registry import FORMATS, Format, by_name
from pipeline.loader import KINDS, Corpus, Kind, load_corpus

RATES = range(4_000, 192_001)
_NAMED = 5
"""How many of the conversations left out a message names."""


@dataclass(frozen=True)
class Exported:
    """What came of an export."""

    out: Path
    format: str
    conversations: tuple[str, ...]
    left_out: dict[str, str]
    """Why the others are not in it, by id."""

    def lines(self) -> list[str]:
        """The result as a person reads it."""
        found = [f"{len(self.conversations)} conversations as {self.format} in {self.out}"]
        for reason in dict.fromkeys(self.left_out.values()):
            ids = [ident for ident, why in self.left_out.items() if why == reason]
            more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
            found.append(f"{len(ids)} left out, {reason}: {', '.join(ids[:_NAMED])}{more}")
        return found


def export(
    corpus: Path | str | Corpus,
    name: str,
    out: Path | str | None = None,
    *,
    kind: Kind = "noisy",
    rate: int | None = None,
    notify: Callable[[str], None] = lambda _: None,
) -> Exported:
    """Write a corpus in the format `name`.

    Parameters
    ----------
    corpus
        A corpus folder, or a corpus or slice of one from :func:`pipeline.load_corpus`.
    name
        A format of :data:`pipeline.exports.registry.FORMATS`.
    out
        The folder to write, which must not exist, be empty, or hold an unchanged export of this format; None:
        the corpus folder's name with ``-FORMAT``, beside it.
    kind, rate
        Which channels, and their sample rate [Hz]; None: the format's own, or the corpus's.
    notify
        Hears what is being written.

    Raises
    ------
    ConfigError
        for a format that there is not, or whose packages are not installed.
    InputError
        for what is no corpus, or has no conversation that the format can hold.
    OutputError
        when something else stands at `out`, or it cannot be written.

    """
    form = by_name(name)
    if rate is not None and rate not in RATES:
        raise ConfigError(f"a rate of {rate} Hz: {RATES[0]} to {RATES[-1]} are possible")
    source = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    place = _beside(source.path, name) if out is None else Path(out)
    target = place.absolute()
    _check_place(place, source.path)
    check_free(target, name)
    left_out = _unfit(source, form)
    about = {"format": name, "corpus": source.path.resolve().name, "channels": kind, "turnfloor": __version__}
    with export_folder(target, about) as folder:
        job = Job(source, folder, target, kind, rate, notify, left_out)
        form.write(job)
    return Exported(place, name, tuple(job.exported), job.left_out)


def _beside(corpus: Path, name: str) -> Path:
    named = corpus.resolve() if corpus.name in ("", "..") else corpus
    return named.with_name(f"{named.name}-{name}")


def _check_place(out: Path, corpus: Path) -> None:
    place, source = out.resolve(), corpus.resolve()
    if place == source or place in source.parents or source in place.parents:
        raise OutputError(f"{out}: is, holds or lies in the corpus; name a folder outside of it")


def _unfit(corpus: Corpus, form: Format) -> dict[str, str]:
    """Which conversations have another number of speakers than the format takes."""
    if form.speakers is None:
        return {}
    reason = f"{form.name} takes conversations of {form.speakers} speakers"
    found = {one.id: reason for one in corpus if len(one.spec.speakers) != form.speakers}
    if len(found) == len(corpus):
        raise InputError(f"{corpus.path}: {reason} and there is none")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Export, and say what was written; 2 for bad input."""
    parser = _parser()
    given = parser.parse_args(argv)
    if given.list:
        print(json.dumps(_listed(), indent=1) if given.json else _table())
        return 0
    if given.corpus is None or given.format is None:
        parser.error("CORPUS and FORMAT are needed; --list shows the formats")
    try:
        corpus = load_corpus(given.corpus)
        if given.only:
            corpus = Corpus(corpus.path, [corpus[ident].id for ident in given.only.split(",")])
        done = export(corpus, given.format, given.out, kind=given.audio, rate=given.rate, notify=_say)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        said = {"out": str(done.out), "format": done.format, "conversations": done.conversations}
        print(json.dumps({**said, "left_out": done.left_out}, indent=1, ensure_ascii=False))
    else:
        print("\n".join(done.lines()))
    return 0


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _listed() -> list[dict[str, object]]:
    return [
        {
            "format": form.name,
            "writes": form.writes,
            "readers": form.readers,
            "needs": form.needs,
            "extra": form.extra,
            "missing": form.missing,
            "speakers": form.speakers,
        }
        for form in FORMATS
    ]


def _table() -> str:
    rows = [("format", "writes", "read by", "needs"), *((f.name, f.writes, f.readers, _needs(f)) for f in FORMATS)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _needs(form: Format) -> str:
    """What a format needs: an extra, and whether its packages are there; a number of speakers."""
    extra = f"[{form.extra}]" if form.needs else ""
    missing = f"(missing: {', '.join(form.missing)})" if form.missing else ""
    speakers = f"{form.speakers} speakers" if form.speakers else ""
    return " ".join(filter(None, (extra, missing, speakers)))


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.export", __doc__, "python -m pipeline.export --list", "python -m pipeline.export corpora/mine rttm"
    )
    parser.add_argument("corpus", nargs="?", type=Path, metavar="CORPUS", help="the corpus folder")
    parser.add_argument("format", nargs="?", metavar="FORMAT", help="one of those that --list shows")
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT", help="the folder to write (default: CORPUS-FORMAT)")
    parser.add_argument("--list", action="store_true", help="show the formats: who reads each, and what it needs")
    parser.add_argument("--audio", choices=KINDS, default="noisy", help="which channels (default: noisy)")
    parser.add_argument("--rate", type=int, metavar="HZ", help="sample rate of audio that is written, where it is WAV")
    parser.add_argument("--only", metavar="IDS", help="these conversations alone, separated by commas")
    parser.add_argument("--json", action="store_true", help="print what was done, or the list, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(ended(main))
