"""What serves one after the other, each for a known time: a process, or a limit on requests or tokens a minute."""

import simpy


class Pace:
    """Serves in the order of asking; nothing is queued but the time at which it is free again [s]."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._free_at = 0.0
        self.busy_s = 0.0
        """For how long it has been taken altogether."""

    def take(self, seconds: float) -> float:
        """Ask for `seconds` of it; how long it is until they begin."""
        now = float(self._env.now)
        begins = max(now, self._free_at)
        self._free_at = begins + seconds
        self.busy_s += seconds
        return begins - now
