"""What the benchmark has measured so far, part by part, in a file from which it goes on."""

from pathlib import Path

from pipeline.bench.sizes import Part, Sizes
from pipeline.errors import OutputError
from pipeline.records import Record
from pipeline.scale.measured import Asked, Asking
from pipeline.workspace import write_text


class Conversation(Record):
    """One conversation made, and spoken bare [s]."""

    audio_s: float
    speech_s: float
    """Spoken bare."""
    cpu_s: dict[str, float]
    """By stage, the script included."""
    bare_cpu_s: float
    check_s: float
    """Finding that it is done."""
    bytes: int
    asked: dict[Asking, Asked]


class Stages(Record):
    """The stages apart and together, with empty caches."""

    conversations: tuple[Conversation, ...]
    voices_s: float
    """CPU seconds of what each voice needs once, for all corpora: the syllables of its hums and laughs."""
    plan_s: float
    finish_s: float

    @property
    def audio_s(self) -> float:
        """Of all conversations."""
        return sum(one.audio_s for one in self.conversations)

    @property
    def bare_s(self) -> float:
        """Of bare synthesis."""
        return sum(one.bare_cpu_s for one in self.conversations)

    def stage_s(self, stage: str) -> float:
        """Of one stage."""
        return sum(one.cpu_s.get(stage, 0.0) for one in self.conversations)

    @property
    def made_s(self) -> float:
        """Of all stages but the script."""
        return sum(seconds for one in self.conversations for stage, seconds in one.cpu_s.items() if stage != "script")

    @property
    def whole_s(self) -> float:
        """The same with what the voices need once."""
        return self.made_s + self.voices_s

    @property
    def over_bare(self) -> float:
        """The whole over bare synthesis."""
        return self.whole_s / self.bare_s


class Crew(Record):
    """So many processes at work at once."""

    workers: int
    conversations: int
    wall_s: float
    cpu_s: float
    audio_s: float
    speed: float
    """Seconds of speech a second, while each has something to do."""
    cpu_a_speech_s: float
    """CPU seconds a second of speech."""


class Workers(Record):
    """One and two workers, of the pipeline and of bare synthesis."""

    pipeline: tuple[Crew, Crew]
    bare: tuple[Crew, Crew]
    start_s: float
    """CPU seconds until a worker of the pipeline can take its first conversation."""

    @property
    def two_over_one(self) -> float:
        """How much faster two workers of the pipeline are than one."""
        return self.pipeline[1].speed / self.pipeline[0].speed

    @property
    def beside_bare(self) -> float:
        """How fast two of the pipeline are beside two bare syntheses."""
        return self.pipeline[1].speed / self.bare[1].speed

    @property
    def crowding(self) -> float:
        """CPU seconds of two bare syntheses at once over those of one."""
        return self.bare[1].cpu_a_speech_s / self.bare[0].cpu_a_speech_s


class Renoise(Record):
    """Other noise over a corpus that stands: stages 4 and 5, and finding the others done."""

    audio_s: float
    channels: float
    """On the mean, weighted by the length."""
    cpu_s: dict[str, float]

    @property
    def real_time(self) -> float:
        """Times real time on one core."""
        return self.audio_s / sum(self.cpu_s.values())


class Planning(Record):
    """Stage 2, with an empty and with a full cache of clocked words."""

    audio_s: float
    cold_cpu_s: float
    warm_cpu_s: float

    @property
    def cold(self) -> float:
        """Times real time on one core."""
        return self.audio_s / self.cold_cpu_s

    @property
    def warm(self) -> float:
        """Times real time on one core."""
        return self.audio_s / self.warm_cpu_s


class Memory(Record):
    """Memory of a worker over many short conversations, and of bare synthesis of the first of them [MB]."""

    conversations: int
    beside: int
    """Conversations that bare synthesis spoke."""
    worker_peak_mb: float
    """After as many."""
    bare_peak_mb: float
    early_mb: float
    """Of the worker after a tenth of all: the mean of another tenth."""
    late_mb: float
    """The mean of the last tenth."""
    peak_mb: float
    """Of the worker, over all."""

    @property
    def over_bare(self) -> float:
        """Peak of a worker over that of bare synthesis of the same conversations."""
        return self.worker_peak_mb / self.bare_peak_mb

    @property
    def growth(self) -> float:
        """From the first to the last tenth, as a share."""
        return self.late_mb / self.early_mb - 1


class Side(Record):
    """One of two that speak the same words, on one thread."""

    name: str
    start_cpu_s: float | None = None
    """None: not measured apart."""
    cpu_s: float
    wall_s: float
    speech_s: float
    """By its own labels."""

    @property
    def cpu_a_speech_s(self) -> float:
        """CPU seconds a second of speech."""
        return self.cpu_s / self.speech_s


class Peer(Record):
    """The pipeline beside a peer, on the same dialogues of two in the same voices."""

    dialogues: int
    words: int
    own: Side
    eight_bit: Side | None = None
    """The pipeline with the decoder of `tts.precision=int8`."""
    peer: Side

    @property
    def ratio(self) -> float:
        """Own CPU seconds a second of speech over the peer's."""
        return self.own.cpu_a_speech_s / self.peer.cpu_a_speech_s


class Results(Record):
    """All that was measured so far with one request."""

    machine: str
    sizes: Sizes
    stages: Stages | None = None
    renoise: Renoise | None = None
    plan: Planning | None = None
    workers: Workers | None = None
    memory: Memory | None = None
    peer: Peer | None = None

    def having(self, part: Part, found: Record) -> "Results":
        """The same with a part more."""
        return self.model_copy(update={part: found})


def kept(path: Path, machine: str, sizes: Sizes) -> Results:
    """What an earlier run of the same request has measured.

    Raises
    ------
    OutputError
        when the file is of another request or another machine: it may have taken hours.

    """
    if not path.exists():
        return Results(machine=machine, sizes=sizes)
    found = Results.read(path)
    if (found.machine, found.sizes) != (machine, sizes):
        raise OutputError(f"{path}: holds what was measured of other sizes, or elsewhere; choose another --out")
    return found


def keep(path: Path, found: Results) -> None:
    """Write it."""
    write_text(path, found.to_json())
