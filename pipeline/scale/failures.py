"""Losses that come by chance: of a worker's process, and of a node with all its workers."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import simpy

Steps = Generator[simpy.Event, Any, Any]


def losses(env: simpy.Environment, rng: np.random.Generator, an_hour: float, lose: Callable[[], None]) -> None:
    """Call `lose` at the times of a Poisson process of so many an hour."""
    if an_hour > 0.0:
        env.process(_chance(env, rng, an_hour, lose))


def _chance(env: simpy.Environment, rng: np.random.Generator, an_hour: float, lose: Callable[[], None]) -> Steps:
    while True:
        yield env.timeout(rng.exponential(3600.0 / an_hour))
        lose()
