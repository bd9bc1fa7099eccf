"""The conversations of a scenario: measured ones, drawn with replacement until there is as much audio as asked for."""

from dataclasses import dataclass

import numpy as np

from pipeline.scale.measured import Asked, Measured, Took, stage_shares
from pipeline.scale.scenario import Scenario

NOTHING = Asked(requests=0, prompt_tokens=0, completion_tokens=0)


@dataclass(frozen=True)
class Work:
    """One conversation to be made [s]."""

    audio_s: float
    script_s: float
    """What its script takes of the run's own process."""
    stages_s: tuple[float, ...]
    """What each stage after the script takes of a worker."""
    bytes: float
    asked: Asked = NOTHING
    """Of the language model."""


def drawn(measured: Measured, scenario: Scenario) -> list[Work]:
    """The conversations, by the scenario's seed; few more than one may be drawn beyond the hours asked for."""
    rng = np.random.default_rng([scenario.seed, 0])
    kinds = [work_of(one, measured, scenario) for one in measured.conversations]
    mean = sum(kind.audio_s for kind in kinds) / len(kinds)
    found: list[Work] = []
    missing = scenario.hours * 3600.0
    while missing > 0.0:
        for number in rng.integers(len(kinds), size=max(1, round(missing / mean))):
            found.append(kinds[number])
            missing -= kinds[number].audio_s
            if missing <= 0.0:
                break
    return found


def work_of(took: Took, measured: Measured, scenario: Scenario) -> Work:
    """One measured conversation as it would be in the scenario: of another length, among other workers."""
    mean = measured.audio_s / len(measured.conversations)
    longer = 1.0 if scenario.seconds is None else scenario.seconds / mean
    slower = measured.slower(scenario.workers) * longer
    asked = took.asked.get(scenario.writer, NOTHING) if scenario.writer != "none" else NOTHING
    return Work(
        audio_s=took.audio_s * longer,
        script_s=took.cpu_s.get("script", 0.0) * longer,
        stages_s=tuple(seconds * slower for seconds in stage_shares(took.cpu_s)),
        bytes=took.bytes * longer,
        asked=_longer(asked, longer, scenario),
    )


def _longer(asked: Asked, longer: float, scenario: Scenario) -> Asked:
    """A script in one reply stays one; one of many short replies has more of them, each after a longer transcript."""
    if scenario.writer == "whole":
        return asked.model_copy(update={"completion_tokens": asked.completion_tokens * longer})
    if scenario.writer == "lines":
        return Asked(
            requests=asked.requests * longer,
            prompt_tokens=asked.prompt_tokens * longer,
            completion_tokens=asked.completion_tokens * longer,
        )
    return asked
