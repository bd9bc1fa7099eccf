"""A run of the pipeline: its own process, which plans and writes, and the workers that it hands conversations to."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import simpy

from pipeline.scale.endpoint import Endpoint
from pipeline.scale.pace import Pace
from pipeline.scale.work import Work
from pipeline.scale.worker import Worker

Steps = Generator[simpy.Event, Any, Any]


class Run:
    """One command, such as that of a whole corpus with `executor=ray`, or that of one share with `executor=slurm`.

    Parameters
    ----------
    works
        What it is to make.
    plan_s
        What planning takes before the first conversation: that of the whole corpus, also for a share.
    endpoint
        Who writes; None: nobody is asked.
    concurrency
        Conversations asked for at once.

    """

    def __init__(
        self,
        env: simpy.Environment,
        works: Sequence[Work],
        plan_s: float,
        endpoint: Endpoint | None,
        concurrency: int,
    ) -> None:
        self._env = env
        self._rest: Iterator[Work] = iter(works)
        self._plan_s = plan_s
        self._endpoint = endpoint
        self._gate = simpy.Resource(env, concurrency)
        # As many again are written ahead as are asked for at once; a script without a model is written when it is due.
        self._writers = 2 * concurrency if endpoint else 1
        self.own = Pace(env)
        """The run's own process."""
        self.ready = simpy.Store(env, capacity=1)
        self.workers: list[Worker] = []
        self.unwritten = 0
        """Conversations whose script was not had."""

    def begin(self, count: int, start_s: float) -> Steps:
        """Make all of it with `count` workers; ends when the last of them has."""
        yield self._env.timeout(self.own.take(self._plan_s) + self._plan_s)
        writers = [self._env.process(self._writing()) for _ in range(self._writers)]
        self.workers += [Worker(self._env, self.ready, start_s) for _ in range(count)]
        yield self._env.all_of(writers)
        for _ in self.workers:
            yield self.ready.put(None)
        yield self._env.all_of([worker.process for worker in self.workers])

    def _writing(self) -> Steps:
        for work in self._rest:
            had = True
            if self._endpoint:
                had = yield from self._endpoint.write(work.asked, self._gate)
            if not had:
                self.unwritten += 1
                continue
            yield self._env.timeout(self.own.take(work.script_s) + work.script_s)
            yield self.ready.put(work)
