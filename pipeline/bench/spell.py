"""What a piece of work took of the process that did it."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from pipeline.records import Record


class Spell(Record):
    """One piece of work, such as a conversation made or spoken [s, MB]."""

    process: int
    begin_s: float
    """By a clock that all processes of the machine share."""
    end_s: float
    cpu_s: float
    start_s: float
    """CPU seconds from the start of the process until it could take the first one."""
    rss_mb: float
    """Memory of the process after it."""
    peak_mb: float
    """The most it ever had."""
    audio_s: float
    """Made."""
    speech_s: float
    """Synthesised for it."""
    stages: dict[str, float] = Field(default_factory=dict)
    """CPU seconds by stage; `check`: finding what is done already."""


class Made(Record):
    """What a piece of work gives back."""

    audio_s: float = 0.0
    speech_s: float = 0.0
    stages: dict[str, float] = Field(default_factory=dict)


def timed(work: Callable[[], Made], start_s: float) -> Spell:
    """Do it, and say what it took."""
    begin_s, begin_cpu = time.monotonic(), time.process_time()
    made = work()
    cpu_s, end_s = time.process_time() - begin_cpu, time.monotonic()
    rss, peak = _memory_mb()
    return Spell(
        process=os.getpid(),
        begin_s=begin_s,
        end_s=end_s,
        cpu_s=cpu_s,
        start_s=start_s,
        rss_mb=rss,
        peak_mb=peak,
        audio_s=made.audio_s,
        speech_s=made.speech_s,
        stages=made.stages,
    )


def wall_s(spells: Sequence[Spell]) -> float:
    """From the first one's beginning to the last one's end."""
    return max(spell.end_s for spell in spells) - min(spell.begin_s for spell in spells)


def speed(spells: Sequence[Spell]) -> float:
    """Seconds of speech a second, of all processes together while each has something to do."""
    return sum(_speed_of(process, spells) for process in {spell.process for spell in spells})


def _speed_of(process: int, spells: Sequence[Spell]) -> float:
    own = [spell for spell in spells if spell.process == process]
    return sum(spell.speech_s for spell in own) / wall_s(own)


def _memory_mb() -> tuple[float, float]:
    """Resident memory now and at most."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
    return float(fields["VmRSS"].split()[0]) / 1024, float(fields["VmHWM"].split()[0]) / 1024
