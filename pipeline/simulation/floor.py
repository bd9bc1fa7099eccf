"""The floor: a resource that one participant holds, taken over by preemption."""

from dataclasses import dataclass
from typing import Any

import simpy


@dataclass(frozen=True)
class Taking:
    """One change of the floor, as it happened: `holder` None when it was given up and nobody held it."""

    at: int
    holder: str | None


class Floor:
    """A :class:`simpy.PreemptiveResource` of one place whose every taking outranks the one before.

    Whoever seizes it takes it from its holder, whose process is interrupted; what the former holder does
    then (stop, or sound to its end after a latched hand-over) is the former holder's to decide.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.log: list[Taking] = []
        self._resource = simpy.PreemptiveResource(env, capacity=1)
        self._rank = 0

    @property
    def holder(self) -> str | None:
        """Who holds the floor now."""
        return self.log[-1].holder if self.log else None

    def seize(self, speaker: str) -> Any:
        """Request that is granted at once; give it back with :meth:`release`."""
        self._rank -= 1
        request = self._resource.request(priority=self._rank, preempt=True)
        self.log.append(Taking(int(self.env.now), speaker))
        return request

    def release(self, request: Any, speaker: str) -> None:
        """Give the floor up; nothing happens when it was taken meanwhile."""
        self._resource.release(request)
        if self.holder == speaker and not self._resource.users:
            self.log.append(Taking(int(self.env.now), None))
