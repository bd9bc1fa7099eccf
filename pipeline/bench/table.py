"""The figures of the benchmark for people, each beside its aim."""

from collections.abc import Iterator

from pipeline.bench.results import Memory, Peer, Planning, Renoise, Results, Side, Stages, Workers
from pipeline.stages import STAGES

AIMS: dict[str, tuple[str, float]] = {
    "whole / bare synthesis": ("at most", 1.05),
    "two workers / one": ("at least", 1.85),
    "two workers / two bare syntheses": ("at least", 0.95),
    "re-noising, times real time": ("at least", 150.0),
    "planning, empty cache, times real time": ("at least", 40.0),
    "planning, full cache, times real time": ("at least", 500.0),
    "memory of a worker / bare synthesis": ("at most", 1.10),
    "growth of its memory": ("at most", 0.05),
    "CPU a second of speech / the peer's": ("at most", 0.65),
}
"""By figure; what they were set to before anything was measured."""


def figures(found: Results) -> Iterator[tuple[str, float]]:
    """Those figures that were measured, by name, in the order of the aims."""
    if found.stages:
        yield "whole / bare synthesis", found.stages.over_bare
    if found.workers:
        yield "two workers / one", found.workers.two_over_one
        yield "two workers / two bare syntheses", found.workers.beside_bare
    if found.renoise:
        yield "re-noising, times real time", found.renoise.real_time
    if found.plan:
        yield "planning, empty cache, times real time", found.plan.cold
        yield "planning, full cache, times real time", found.plan.warm
    if found.memory:
        yield "memory of a worker / bare synthesis", found.memory.over_bare
        yield "growth of its memory", found.memory.growth
    if found.peer:
        yield "CPU a second of speech / the peer's", found.peer.ratio


def is_met(name: str, value: float) -> bool:
    """Whether a figure is what it was to be."""
    side, aim = AIMS[name]
    return value <= aim if side == "at most" else value >= aim


def summary(found: Results) -> Iterator[str]:
    """A line a figure, as the README has it."""
    yield f"{'figure':<42}{'measured':>10}  {'aim':<16}"
    for name, value in figures(found):
        side, aim = AIMS[name]
        missed = "" if is_met(name, value) else "MISSED"
        yield f"{name:<42}{_value(value):>10}  {f'{side} {_value(aim)}':<16}{missed}".rstrip()


def lines(found: Results) -> Iterator[str]:
    """All of it."""
    yield f"{found.machine}; one thread a process"
    for part in _parts(found):
        yield ""
        yield from part
    yield ""
    yield from summary(found)


def _parts(found: Results) -> Iterator[Iterator[str]]:
    """The lines of each part that was measured."""
    if found.stages:
        yield _stages(found.stages)
    if found.renoise:
        yield _renoise(found.renoise)
    if found.plan:
        yield _plan(found.plan)
    if found.workers:
        yield _workers(found.workers)
    if found.memory:
        yield _memory(found.memory)
    if found.peer:
        yield _peer(found.peer)


def _value(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 20 else f"{value:.3f}"


def _stages(part: Stages) -> Iterator[str]:
    audio_s, speech_s = part.audio_s, sum(one.speech_s for one in part.conversations)
    count = len(part.conversations)
    yield f"{count} conversations, {audio_s:.0f} s, {speech_s:.0f} s of synthesised speech; empty speech cache"
    yield f"{'stage':<16}{'CPU s':>9}{'x real time':>13}"
    for stage in STAGES:
        yield _row(stage, part.stage_s(stage), audio_s)
    yield f"{'voices, once':<16}{part.voices_s:>9.2f}"
    yield f"{_row('2 to 5', part.whole_s, audio_s)}   = audio hours an hour"
    yield f"{_row('bare synthesis', part.bare_s, speech_s)}   of speech"
    yield f"2 to 5 without what each voice needs once / bare synthesis: {part.made_s / part.bare_s:.3f}"
    fixed = {"planning one": part.plan_s, "finishing one": part.finish_s}
    yield "; ".join(f"{name} {seconds:.4g} CPU s" for name, seconds in fixed.items())


def _row(name: str, cpu_s: float, audio_s: float) -> str:
    return f"{name:<16}{cpu_s:>9.2f}{audio_s / cpu_s if cpu_s else 0:>13.1f}"


def _renoise(part: Renoise) -> Iterator[str]:
    spent = ", ".join(f"{name} {seconds:.2f}" for name, seconds in part.cpu_s.items())
    yield f"re-noising {part.audio_s:.0f} s of {part.channels:.1f} channels: {spent} CPU s"


def _plan(part: Planning) -> Iterator[str]:
    cold, warm = f"{part.cold_cpu_s:.2f} CPU s with an empty cache", f"{part.warm_cpu_s:.2f} with a full one"
    yield f"planning {part.audio_s:.0f} s: {cold}, {warm}"


def _workers(part: Workers) -> Iterator[str]:
    yield f"{'':<18}{'processes':>10}{'wall s':>9}{'CPU s':>9}{'s of speech a second':>22}"
    for name, crews in (("pipeline", part.pipeline), ("bare synthesis", part.bare)):
        for crew in crews:
            yield f"{name:<18}{crew.workers:>10}{crew.wall_s:>9.1f}{crew.cpu_s:>9.1f}{crew.speed:>22.2f}"
    yield f"a worker's start {part.start_s:.1f} CPU s"


def _memory(part: Memory) -> Iterator[str]:
    yield (
        f"memory over {part.conversations} conversations of 5 s: {part.early_mb:.0f} MB early, "
        f"{part.late_mb:.0f} MB late, peak {part.peak_mb:.0f} MB"
    )
    yield f"peak over {part.beside}: {part.worker_peak_mb:.0f} MB, of bare synthesis {part.bare_peak_mb:.0f} MB"


def _peer(part: Peer) -> Iterator[str]:
    yield f"{part.dialogues} dialogues of two, {part.words:,} words; one thread, start-up left out"
    yield f"{'':<18}{'CPU s':>9}{'wall s':>9}{'speech s':>10}{'CPU s a s of speech':>21}{'start-up CPU s':>16}"
    for side in _sides(part):
        start = "" if side.start_cpu_s is None else f"{side.start_cpu_s:.1f}"
        yield (
            f"{side.name:<18}{side.cpu_s:>9.1f}{side.wall_s:>9.1f}{side.speech_s:>10.1f}{side.cpu_a_speech_s:>21.3f}"
            f"{start:>16}"
        ).rstrip()
    for side in _sides(part)[:-1]:
        words = f"for the same words {side.cpu_s / part.peer.cpu_s:.3f} of its CPU s"
        yield f"{side.name} beside {part.peer.name}: {words}, {side.wall_s / part.peer.wall_s:.3f} of its wall time"


def _sides(part: Peer) -> tuple[Side, ...]:
    """The peer last."""
    return tuple(side for side in (part.own, part.eight_bit, part.peer) if side is not None)
