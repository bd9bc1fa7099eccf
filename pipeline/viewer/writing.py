"""Writes the page of a corpus: the page itself, the data of each conversation, and what is known of all."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.loader import Conversation, Corpus
from pipeline.output.statistics import count_finished
from pipeline.viewer.decisions import Entries, detectors_of
from pipeline.viewer.files import DATA, PAGE, check_free, clear, first_line, put, script, write_assets
from pipeline.viewer.overview import overview, row
from pipeline.viewer.peaks import peaks, state_of
from pipeline.viewer.talk import check_whole, talk

FOLDER = "view"
OVERVIEW = "corpus.js"


@dataclass(frozen=True)
class Written:
    """What became of it."""

    page: Path
    conversations: int
    outlines: int
    """Conversations whose channels were read anew; the outlines of the others stood there."""


def write_view(
    corpus: Corpus,
    out: Path | None = None,
    entries: Entries | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Written:
    """Write the page of a corpus into `out`, by default its folder `view`; a second time gives the same bytes.

    Parameters
    ----------
    corpus
        The conversations to show.
    out
        Where the page goes; what an earlier page left there is replaced, nothing else.
    entries
        Predictions, as :func:`pipeline.viewer.decisions.read_entries` gives them.
    say
        Is told of each conversation.

    Raises
    ------
    InputError
        when a conversation is half made or cannot be read.
    OutputError
        when something else stands at `out`, or it cannot be written.

    """
    out, entries = out or corpus.path / FOLDER, entries or {}
    check_free(out)
    for conversation in corpus:
        check_whole(conversation)
    write_assets(out)
    rows, found, drawn = [], [], 0
    kept = {OVERVIEW}
    for number, conversation in enumerate(corpus, 1):
        anew = _write_data(conversation, out, entries, kept)
        drawn += anew
        counted = count_finished(conversation.folder)
        rows.append(row(conversation, counted))
        found.append(counted)
        say(f"{conversation.id} {'drawn' if anew else 'as it was'} [{number}/{len(corpus)}]")
    first = overview(corpus.path, out, rows, found, sorted(entries))
    put(out / DATA / OVERVIEW, script("turnfloor.corpus", first))
    clear(out / DATA, kept)
    return Written(out / PAGE, len(rows), drawn)


def _write_data(conversation: Conversation, out: Path, entries: Entries, kept: set[str]) -> bool:
    """Write the data of one conversation; says whether its outlines were made anew."""
    log, sound = (out / DATA / f"{conversation.id}{ending}.js" for ending in (".log", ".peaks"))
    kept |= {log.name, sound.name}
    put(log, script(f'turnfloor.talks["{conversation.id}"]', talk(conversation, detectors_of(conversation, entries))))
    state = f"outlines of {state_of(conversation)}"
    if first_line(sound) == state:
        return False
    put(sound, script(f'turnfloor.peaks["{conversation.id}"]', peaks(conversation), state))
    return True
