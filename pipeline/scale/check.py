"""The model against runs that were measured: the same conversations with as many workers, nothing fitted to them."""

from collections.abc import Iterator

from pipeline.records import Record
from pipeline.scale.cluster import simulate
from pipeline.scale.measured import Measured, MeasuredRun, Took
from pipeline.scale.scenario import Scenario
from pipeline.scale.work import work_of


class Checked(Record):
    """A measured run beside its prediction [s]."""

    run: MeasuredRun
    wall_s: float
    cpu_s: float

    @property
    def wall(self) -> float:
        """Predicted over measured, of the wall time."""
        return self.wall_s / self.run.wall_s

    @property
    def cpu(self) -> float:
        """The same of the CPU seconds of all workers."""
        return self.cpu_s / self.run.cpu_s


def checked(measured: Measured) -> list[Checked]:
    """Each run that was measured, beside what the model says of it from single stages and bare synthesis alone.

    Bare synthesis says how fast the machine was: when the stages were measured, and beside each run.
    """
    return [_checked(run, measured) for run in measured.runs]


def _checked(run: MeasuredRun, measured: Measured) -> Checked:
    scenario = Scenario(hours=1, workers=run.workers)
    works = [work_of(_then(took, run), measured, scenario) for took in measured.conversations[: run.conversations]]
    # The run was timed between its first conversation's beginning and its last one's end.
    ran = simulate(works, measured.model_copy(update={"start_s": 0.0, "plan_s": 0.0}), scenario)
    return Checked(run=run, wall_s=ran.made_s, cpu_s=sum(worker.busy_s for worker in ran.workers))


def _then(took: Took, run: MeasuredRun) -> Took:
    """What the conversation takes while the machine is as fast as during the run."""
    return took.model_copy(update={"cpu_s": {stage: seconds * run.drift for stage, seconds in took.cpu_s.items()}})


def lines(measured: Measured) -> Iterator[str]:
    """The comparison for people."""
    yield f"{'workers':>8}{'conversations':>15}{'wall s':>10}{'predicted':>11}{'':>8}{'CPU s':>10}{'predicted':>11}"
    for one in checked(measured):
        wall = f"{one.wall_s:>11.1f}{one.wall - 1:>+8.1%}" if one.run.quiet else f"{'not quiet':>19}"
        yield (
            f"{one.run.workers:>8}{one.run.conversations:>15}{one.run.wall_s:>10.1f}{wall}"
            f"{one.run.cpu_s:>10.1f}{one.cpu_s:>11.1f}{one.cpu - 1:>+8.1%}"
        )
