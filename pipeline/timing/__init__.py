"""The floor's timing: the settings of stage 2, the distributions they are made of, and how one measures them.

``conf/timing`` holds the profiles; ``python -m pipeline.timing FILES.rttm`` measures one from annotations.
"""

from pipeline.timing.distributions import Distribution, Quantiles, Uniform
from pipeline.timing.settings import TimingSettings

__all__ = ["Distribution", "Quantiles", "TimingSettings", "Uniform"]
