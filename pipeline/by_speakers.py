"""A setting that is one number for all conversations, or one for each number of speakers."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

BySpeakers = Annotated[float, Field(ge=0)] | Annotated[dict[int, Annotated[float, Field(ge=0)]], Field(min_length=1)]
"""One value, or values by number of speakers."""


def value_for(setting: float | Mapping[int, float], n_speakers: int) -> float:
    """What `setting` is in a conversation of `n_speakers`: their own value, else that of the nearest number.

    >>> value_for({2: 0.07, 3: 0.06, 5: 0.05}, 4), value_for({2: 0.07, 5: 0.05}, 8), value_for(0.3, 4)
    (0.06, 0.05, 0.3)
    """
    if not isinstance(setting, Mapping):
        return setting
    return setting[min(setting, key=lambda number: (abs(number - n_speakers), number))]
