"""What the benchmark found, in the form that the model of scale is fed with."""

from pipeline.bench.results import Conversation, Crew, Results, Stages, Workers
from pipeline.scale.measured import Measured, MeasuredRun, Took
from pipeline.stages import STAGES


def fed(found: Results) -> Measured | None:
    """The measurement; None where the parts `stages` and `workers` are not both there."""
    if found.stages is None or found.workers is None:
        return None
    stages, workers = found.stages, found.workers
    return Measured(
        machine=found.machine,
        conversations=tuple(_took(one) for one in stages.conversations),
        start_s=workers.start_s,
        plan_s=stages.plan_s,
        finish_s=stages.finish_s,
        check_s=sum(one.check_s for one in stages.conversations) / len(stages.conversations),
        crowding={1: 1.0, 2: max(1.0, workers.crowding)},
        runs=tuple(_run(crew, _drift(stages, workers)) for crew in workers.pipeline),
    )


def _took(one: Conversation) -> Took:
    cpu_s = {stage: round(one.cpu_s[stage], 4) for stage in STAGES if stage in one.cpu_s}
    return Took(audio_s=one.audio_s, cpu_s=cpu_s, bytes=one.bytes, asked=one.asked)


def _drift(stages: Stages, workers: Workers) -> float:
    """How much slower the machine was for the workers than for the stages, by bare synthesis of one at a time."""
    alone = workers.bare[0]
    return alone.cpu_s / sum(one.bare_cpu_s for one in stages.conversations[: alone.conversations])


def _run(crew: Crew, drift: float) -> MeasuredRun:
    return MeasuredRun(
        workers=crew.workers,
        conversations=crew.conversations,
        wall_s=crew.wall_s,
        cpu_s=crew.cpu_s,
        drift=drift,
    )
