"""A worker: it takes one conversation after the other, and after a loss goes on behind the last finished stage."""

from collections.abc import Generator
from typing import Any, Literal

import simpy

from pipeline.scale.work import Work

Steps = Generator[simpy.Event, Any, Any]


class Worker:
    """A process that speaks. Its steps are those of the executors: start, take what is written, do its stages.

    Parameters
    ----------
    ready
        Written conversations; None says that there are no more.
    start_s
        Until it can take its first one, and once more after each loss.

    """

    def __init__(self, env: simpy.Environment, ready: simpy.Store, start_s: float) -> None:
        self._env = env
        self._ready = ready
        self._start_s = start_s
        self._asked: Any = None
        """What it waits for: a loss does not give it back."""
        self._left: tuple[float, ...] = ()
        """Stages of the conversation in hand that are not done."""
        self._work: Work | None = None
        self._state: Literal["starting", "waiting", "working"] = "starting"
        self._since = 0.0
        """Since when it is in that state."""
        self.busy_s = 0.0
        """Doing stages, those that are lost included, and starting."""
        self.lost_s = 0.0
        """Doing what was lost, and starting again."""
        self.losses = 0
        self.idle_from = 0.0
        """When it had ended its last conversation."""
        self.audio_s = 0.0
        self.bytes = 0.0
        self.made = 0
        self.process = env.process(self._run())

    def lose(self, back_s: float = 0.0) -> None:
        """End it where it is; it begins anew after `back_s`."""
        if self.process.is_alive and self.process is not self._env.active_process:
            self.process.interrupt(back_s)

    def _run(self) -> Steps:
        away_s = 0.0
        while True:
            try:
                yield self._env.timeout(away_s)
                self._enter("starting")
                yield self._env.timeout(self._start_s)
                self._started()
                yield from self._working()
            except simpy.Interrupt as loss:
                away_s = float(loss.cause or 0.0)
                self._lost()
            else:
                return

    def _enter(self, state: Literal["starting", "waiting", "working"]) -> None:
        self._state, self._since = state, float(self._env.now)

    def _started(self) -> None:
        self.busy_s += self._start_s
        if self.losses:
            self.lost_s += self._start_s

    def _working(self) -> Steps:
        while True:
            if self._work is None:
                self._enter("waiting")
                self._asked = self._asked or self._ready.get()
                work = yield self._asked
                self._asked = None
                if work is None:
                    return
                self._work, self._left = work, work.stages_s
            self._enter("working")
            yield self._env.timeout(sum(self._left))
            self._done(self._work)

    def _done(self, work: Work) -> None:
        self.busy_s += sum(self._left)
        self.audio_s += work.audio_s
        self.bytes += work.bytes
        self.made += 1
        self._work, self._left = None, ()
        self.idle_from = float(self._env.now)

    def _lost(self) -> None:
        """Keep the stages that were finished; what was done of the next one is done again."""
        self.losses += 1
        spent = 0.0 if self._state == "waiting" else float(self._env.now) - self._since
        self.busy_s += spent
        while self._state == "working" and self._left and self._left[0] <= spent:
            spent -= self._left[0]
            self._left = self._left[1:]
        self.lost_s += spent
        self._enter("waiting")
