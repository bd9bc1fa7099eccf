"""Measures, in one run, what each stage takes and how the whole compares with bare synthesis.

CPU seconds of one thread: absolute times wander on a shared machine, and ratios within one run are what counts.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.compose import composed, settings_from
from pipeline.conversation import Job, make_conversation
from pipeline.errors import PipelineError
from pipeline.progress import Note
from pipeline.records import ConversationSpec, Timeline
from pipeline.run import planned
from pipeline.samples import to_seconds
from pipeline.settings import Settings
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.voices import voice
from pipeline.workspace import Workspace


def main(argv: list[str] | None = None) -> int:
    """Print the table; 2 for bad input."""
    parser = command_parser("pipeline.bench", __doc__, "python -m pipeline.bench -n 1 --seconds 30")
    parser.add_argument("-n", type=int, default=2, help="conversations (default: 2)")
    parser.add_argument("--seconds", type=float, default=60, help="length of each [s] (default: 60)")
    parser.add_argument("--script", default="template", help="writer, whose time is reported apart (default: template)")
    given = parser.parse_args(argv)
    try:
        overrides = [f"n={given.n}", f"duration={given.seconds}", f"script={given.script}", "seed=77", "workers=1"]
        with _empty_cache():
            for line in bench(settings_from(composed(overrides))):
                print(line, flush=True)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0


@contextmanager
def _empty_cache() -> Iterator[None]:
    """The models of the usual cache, and nothing clocked or rendered yet."""
    from pipeline.models.place import CACHE_VARIABLE, cache_dir

    usual, before = cache_dir(), os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="turnfloor-bench-") as name:
        for entry in usual.iterdir() if usual.is_dir() else []:
            if entry.name != "speech":
                (Path(name) / entry.name).symlink_to(entry)
        os.environ[CACHE_VARIABLE] = name
        try:
            yield
        finally:
            os.environ.pop(CACHE_VARIABLE)
            if before is not None:
                os.environ[CACHE_VARIABLE] = before


def bench(settings: Settings) -> Iterator[str]:
    """Make the corpus once, timing each stage, then synthesise the same utterances bare."""
    specs = planned(settings)
    with tempfile.TemporaryDirectory(prefix="turnfloor-bench-") as name:
        root = Path(name)
        spent: dict[str, float] = {"script": _seconds(lambda: _write(specs, settings, root))}
        _warm(specs[0])
        for spec in specs:
            _timed(Job(spec, settings, root), spent)
        timelines = [Timeline.read(Workspace(root, spec.id).path("timeline.json")) for spec in specs]
        audio = sum(to_seconds(timeline.n_samples) for timeline in timelines)
        bare, speech = _bare(timelines)
        yield from _table(spent, audio, bare, speech)


def _table(spent: dict[str, float], audio: float, bare: float, speech: float) -> Iterator[str]:
    yield f"{audio:.0f} s of conversation, {speech:.0f} s of synthesised speech; one thread, cold speech cache"
    yield f"{'stage':<14}{'CPU s':>9}{'x real time':>13}"
    for stage, seconds in spent.items():
        yield f"{stage:<14}{seconds:>9.2f}{audio / seconds if seconds else 0:>13.1f}"
    whole = sum(seconds for stage, seconds in spent.items() if stage != "script")
    yield f"{'2 to 5':<14}{whole:>9.2f}{audio / whole:>13.1f}   = audio hours an hour"
    yield f"{'bare synthesis':<14}{bare:>9.2f}{speech / bare:>13.1f}   of speech"
    yield f"whole / bare synthesis: {whole / bare:.3f}"


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _write(specs: list[ConversationSpec], settings: Settings, root: Path) -> None:
    from pipeline.progress import Display
    from pipeline.writing import scripts

    with Path(os.devnull).open("w") as nowhere, Display(len(specs), stream=nowhere) as display:
        list(scripts(specs, settings, root, display))


def _warm(spec: ConversationSpec) -> None:
    """Load the graphs and the phonemiser, which both sides need once."""
    backend = KokoroOnnx()
    backend.render(backend.clock("Ready.", voice(spec.speakers[0].voice)))


def _timed(job: Job, spent: dict[str, float]) -> None:
    """Make one conversation; the time from each stage's note to the next one's is that stage's."""
    marks: list[tuple[str, float]] = []

    def note(said: Note) -> None:
        marks.append((said.stage, time.process_time()))

    make_conversation(job, note)
    marks.append(("end", time.process_time()))
    for (stage, start), (_, end) in pairwise(marks):
        spent[stage] = spent.get(stage, 0.0) + end - start


def _bare(timelines: list[Timeline]) -> tuple[float, float]:
    """Seconds for nothing but synthesising the same utterances, and how much speech that is [s]."""
    backend = KokoroOnnx()
    spoken = [u for timeline in timelines for u in timeline.utterances if u.kind == "speech"]

    def speak() -> None:
        for utterance in spoken:
            backend.render(backend.clock(utterance.written, voice(utterance.voice)))

    return _seconds(speak), sum(to_seconds(u.n_samples) for u in spoken)


if __name__ == "__main__":
    sys.exit(ended(main))
