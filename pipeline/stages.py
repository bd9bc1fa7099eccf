"""The five stages, by name and in order."""

from typing import Literal, get_args

Stage = Literal["script", "orchestrate", "render", "augment", "assemble"]
STAGES: tuple[Stage, ...] = get_args(Stage)


def reaches(until: Stage, stage: Stage) -> bool:
    """Whether a run that ends with `until` runs `stage`.

    >>> reaches("orchestrate", "script"), reaches("orchestrate", "render")
    (True, False)
    """
    return STAGES.index(stage) <= STAGES.index(until)
