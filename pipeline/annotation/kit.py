"""The kit: a folder for each annotator with clips and form, and the key beside them."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from pipeline.errors import ConfigError, OutputError
from pipeline.output.manifest import conversation_folders
from pipeline.output.page import templates
from pipeline.records import Record, Timeline
from pipeline.samples import to_seconds
from pipeline.seeds import generator, seed_for
from pipeline.workspace import write_text

from .candidates import Candidate, drawn
from .categories import CODES, WORDING
from .clips import MIX, Sound, clip_name, sounds_of, write_clips

KEY = "key.json"
FORM = "index.html"
CLIPS = "clips"


class Key(Record):
    """What the clips are: stays with whoever runs the validation."""

    schema_version: Literal[1] = 1
    kit: str
    """Which kit: answers of another one are refused."""
    corpus: str
    rate: int
    seed: int
    annotators: int
    candidates: tuple[Candidate, ...]


class Plan(Record):
    """How much is asked, and of how many."""

    annotators: int = 3
    per_kind: int = 20
    """Events of each kind; 0: all."""
    none_there: int = 20
    """Moments without an event."""
    sound: Sound = "noisy"
    seed: int = 1


def write_kit(corpus: Path, out: Path, plan: Plan, say: Callable[[str], None] = lambda line: None) -> Key:
    """Write the kit of a finished corpus into `out`, which must be empty or not there.

    Raises
    ------
    InputError
        when `corpus` is no corpus, or a file of it cannot be read.
    ConfigError
        when it has no event to ask about.
    OutputError
        when something stands at `out`, or it cannot be written.

    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{out}: is no empty folder; give another one with --out")
    folders = conversation_folders(corpus)
    timelines = [Timeline.read(folder / "timeline.json") for folder in folders]
    candidates = drawn(timelines, plan.per_kind, plan.none_there, plan.seed)
    if not candidates:
        raise ConfigError(f"{corpus}: has no event to ask about; make more conversations")
    key = Key(
        kit=f"{seed_for(plan.seed, 'kit', *(one.id for one in candidates)):016x}",
        corpus=corpus.resolve().name,
        rate=timelines[0].rate,
        seed=plan.seed,
        annotators=plan.annotators,
        candidates=tuple(candidates),
    )
    first = out / _folder(1)
    outlines: dict[str, dict[str, list[int]]] = {}
    for folder, timeline in zip(folders, timelines, strict=True):
        some = [one for one in candidates if one.conversation == timeline.conversation_id]
        sounds = sounds_of(folder, timeline, plan.sound) if some else {}
        for one in some:
            outlines[one.id] = write_clips(first / CLIPS, one, sounds, timeline.rate)
        say(f"{folder.name}: {len(some)} clips")
    _same_time(first / CLIPS)
    for number in range(1, plan.annotators + 1):
        _write_form(out / _folder(number), key, number, outlines)
        if number > 1:
            _share(first / CLIPS, out / _folder(number) / CLIPS)
    write_text(out / KEY, key.to_json())
    return key


def _folder(number: int) -> str:
    return f"annotator-{number}"


def order_for(key: Key, number: int) -> list[Candidate]:
    """The candidates in the order of one annotator, drawn by the seed."""
    rng = generator(key.seed, "annotation", "order", number)
    return [key.candidates[n] for n in rng.permutation(len(key.candidates))]


def _write_form(folder: Path, key: Key, number: int, outlines: dict[str, dict[str, list[int]]]) -> None:
    questions = [_question(one, key.rate, outlines[one.id]) for one in order_for(key, number)]
    page = templates().get_template("annotate.html.j2").render(
        data={
            "kit": key.kit,
            "annotator": str(number),
            "questions": questions,
            "categories": [
                {"value": code, "title": WORDING[name][0], "says": WORDING[name][1]} for code, name in CODES.items()
            ],
        },
    )  # fmt: skip
    write_text(folder / FORM, page)


def _question(one: Candidate, rate: int, outlines: dict[str, list[int]]) -> dict[str, Any]:
    """What the form knows of a candidate: nothing that tells what the log says."""
    letter = next(letter for letter, speaker in one.letters.items() if speaker == one.speaker)
    files = {name: f"{CLIPS}/{clip_name(one.id, name)}" for name in (MIX, *one.letters)}
    return {
        "id": one.id,
        "seconds": to_seconds(one.clip.length, rate),
        "moment": round(to_seconds(one.shown - one.clip.start, rate), 2),
        "speaker": letter,
        "files": files,
        "outlines": outlines,
    }


def _same_time(folder: Path) -> None:
    """One time for all files: clips are written kind by kind, which nobody is to see."""
    for path in _files(folder):
        os.utime(path, (0, 0))


def _share(source: Path, target: Path) -> None:
    """The same files again, without room of their own where the disk can do that."""
    target.mkdir(parents=True, exist_ok=True)
    for path in _files(source):
        try:
            os.link(path, target / path.name)
        except OSError:
            _copy(path, target / path.name)


def _copy(path: Path, target: Path) -> None:
    try:
        shutil.copyfile(path, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written ({error.strerror}); free some space") from None


def _files(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob("*.flac"))
