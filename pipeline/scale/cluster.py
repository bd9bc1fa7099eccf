"""The machines: all of them one queue (`ray`, and `local` on one node), or shares one after the other (`slurm`)."""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import simpy

from pipeline.scale.endpoint import Bill, Endpoint
from pipeline.scale.failures import losses
from pipeline.scale.measured import Measured
from pipeline.scale.run import Run
from pipeline.scale.scenario import Scenario
from pipeline.scale.work import Work
from pipeline.scale.worker import Worker

Steps = Generator[simpy.Event, Any, Any]


@dataclass
class Ran:
    """What became of it [s]."""

    made_s: float = 0.0
    """When the last conversation was made."""
    runs: list[Run] = field(default_factory=list)
    bill: Bill = field(default_factory=Bill)
    requests_busy_s: float = 0.0
    tokens_busy_s: float = 0.0
    """How long the endpoint's limits were used altogether."""
    node_ends_s: list[float] = field(default_factory=list)
    """When each node had nothing more to do."""
    node_losses: int = 0

    @property
    def workers(self) -> list[Worker]:
        """Of all runs."""
        return [worker for run in self.runs for worker in run.workers]


def simulate(works: Sequence[Work], measured: Measured, scenario: Scenario) -> Ran:
    """Make the conversations, from the start of the command to the end of the last one; the same seed gives the same.

    Parameters
    ----------
    works
        The conversations, in their order.
    measured
        Start-up and planning.
    scenario
        Machines, endpoint, failures.

    """
    return _Cluster(works, measured, scenario).ran()


class _Cluster:
    def __init__(self, works: Sequence[Work], measured: Measured, scenario: Scenario) -> None:
        self._works, self._measured, self._scenario = works, measured, scenario
        self._env = simpy.Environment()
        asks = scenario.writer != "none"
        self._endpoint = Endpoint(self._env, scenario, self._rng("endpoint")) if asks else None
        self._ran = Ran()

    def ran(self) -> Ran:
        """Run it to its end."""
        nodes = self._shared() if self._scenario.executor == "slurm" else self._together()
        self._env.run(self._env.all_of(nodes))
        self._ran.made_s = float(self._env.now)
        if self._endpoint:
            self._ran.bill = self._endpoint.bill
            self._ran.requests_busy_s = self._endpoint.requests.busy_s
            self._ran.tokens_busy_s = self._endpoint.tokens.busy_s
        return self._ran

    def _rng(self, purpose: str) -> np.random.Generator:
        return np.random.default_rng([self._scenario.seed, 1, *purpose.encode()])

    def _run(self, works: Sequence[Work]) -> Run:
        plan_s = self._measured.plan_s * len(self._works)
        run = Run(self._env, works, plan_s, self._endpoint, self._scenario.concurrency)
        self._ran.runs.append(run)
        return run

    def _together(self) -> list[simpy.Process]:
        """One run over all nodes, which are held until it ends."""
        run, count = self._run(self._works), self._scenario.nodes * self._scenario.workers
        for node in range(self._scenario.nodes):
            self._may_fail(node, lambda node=node: run.workers[node :: self._scenario.nodes])

        def whole() -> Steps:
            yield self._env.process(run.begin(count, self._measured.start_s))
            self._ran.node_ends_s = [float(self._env.now)] * self._scenario.nodes

        return [self._env.process(whole())]

    def _shared(self) -> list[simpy.Process]:
        """Shares by the hash of the name, as Slurm starts them on the nodes that are free."""
        count = self._scenario.shards or self._scenario.nodes
        share_of = self._rng("shares").integers(count, size=len(self._works))
        waiting = deque(
            [work for work, share in zip(self._works, share_of, strict=True) if share == number]
            for number in range(count)
        )
        return [self._env.process(self._node(node, waiting)) for node in range(self._scenario.nodes)]

    def _node(self, node: int, waiting: deque[list[Work]]) -> Steps:
        mine: list[Run] = []
        self._may_fail(node, lambda: mine[-1].workers if mine else [])
        while waiting:
            mine.append(self._run(waiting.popleft()))
            yield self._env.process(mine[-1].begin(self._scenario.workers, self._measured.start_s))
        self._ran.node_ends_s.append(float(self._env.now))

    def _may_fail(self, node: int, workers: Any) -> None:
        """Losses of the node with all its workers, and of each worker's process by itself."""
        rng, back_s = self._rng(f"node {node}"), self._scenario.node_back_s

        def lose_node() -> None:
            self._ran.node_losses += 1
            for worker in workers():
                worker.lose(back_s)

        def lose_worker(place: int) -> None:
            for worker in workers()[place : place + 1]:
                worker.lose()

        losses(self._env, rng, self._scenario.node_failures, lose_node)
        for place in range(self._scenario.workers):
            losses(self._env, rng, self._scenario.worker_failures, partial(lose_worker, place))
