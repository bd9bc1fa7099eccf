"""Everything a run is told, as one frozen record made from the configuration at the edge."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from pipeline.assemble import AssembleSettings
from pipeline.design import DesignSettings
from pipeline.executors.settings import ExecutorSettings, cores
from pipeline.llm.settings import LlmSettings
from pipeline.pairs.settings import PairSettings
from pipeline.plan import Request
from pipeline.records import TYPES, InteractionType, Record, Split
from pipeline.rooms.settings import RoomSettings
from pipeline.shard import Shard
from pipeline.sound.settings import NoiseSettings
from pipeline.speech.settings import TtsSettings
from pipeline.stages import Stage
from pipeline.storage.address import checked, is_url, scratch
from pipeline.stress.settings import StressSettings
from pipeline.timing import TimingSettings
from pipeline.writers.settings import ScriptSettings


class Settings(Record):
    """The resolved configuration; its fields are the keys and groups of ``conf/config.yaml``."""

    n: int = Field(ge=1, le=10_000_000)
    type: InteractionType | Literal["all"] | tuple[InteractionType, ...]
    speakers: tuple[int, ...] = Field(min_length=1)
    split: Split | Literal["both"]
    duration: float | None = Field(ge=5, le=3600)
    seed: int = Field(ge=0, lt=2**63)
    domain: str | None
    out: Path | str | None
    """Corpus folder, or a URL such as s3://bucket/corpora/mine; null: corpora/TYPE-SPLIT-SEED."""
    workers: int | None = Field(ge=1)
    only: str | None
    shard: Shard | None = None
    until: Stage
    pairs: PairSettings = PairSettings()
    design: DesignSettings
    timing: TimingSettings
    script: ScriptSettings
    llm: LlmSettings
    tts: TtsSettings
    noise: NoiseSettings
    room: RoomSettings = RoomSettings()
    output: AssembleSettings
    executor: ExecutorSettings = ExecutorSettings()
    stress: StressSettings | None = None

    @field_validator("speakers", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        """One number, a list, or text such as `2,3`."""
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(","))
        return (value,) if isinstance(value, int) else value

    @field_validator("type", mode="before")
    @classmethod
    def _types(cls, value: Any) -> Any:
        """One type, `all`, a list, or text such as `casual,narrative`; a list of one is that one."""
        named = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
        if not isinstance(named, list | tuple):
            return named
        for name in named or [""]:
            if name not in (*TYPES, *(["all"] if len(named) == 1 else [])):
                raise ValueError(
                    f"{name!r} is no type of interaction: choose one or several of {', '.join(TYPES)}, or all"
                )
        return named[0] if len(named) == 1 else tuple(named)

    @field_validator("domain", "only", mode="before")
    @classmethod
    def _text(cls, value: Any) -> Any:
        """Names that look like numbers are names all the same."""
        return value if value is None else str(value)

    @field_validator("out", mode="before")
    @classmethod
    def _place(cls, value: Any) -> Any:
        """A URL as text, any other name as a path."""
        if value is None or isinstance(value, Path):
            return value
        return checked(value) if is_url(value) else Path(str(value))

    @property
    def request(self) -> Request:
        """What is asked of the planner."""
        return Request(
            type=self.type,
            speakers=self.speakers,
            split=self.split,
            duration_s=self.duration,
            seed=self.seed,
            domain=self.domain,
        )

    @property
    def store(self) -> str | None:
        """The URL that the corpus is kept at; None where that is a folder."""
        return self.out if isinstance(self.out, str) else None

    @property
    def place(self) -> Path | str:
        """The corpus, as the user names it."""
        return self.store or self.root

    @property
    def root(self) -> Path:
        """The corpus folder; for a corpus at a URL, the one on this machine in which it is worked on."""
        if isinstance(self.out, str):
            return scratch(self.out)
        types = self.type if isinstance(self.type, str) else "+".join(self.type)
        what = f"{types}-{self.split}-{self.seed}"
        return self.out or Path("corpora") / (f"{what}-pairs" if self.pairs.kind else what)

    @property
    def processes(self) -> int:
        """How many processes speak on this machine."""
        return 1 if self.executor.kind == "serial" else self.workers or cores()
