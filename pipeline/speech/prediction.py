"""Linear prediction: the filter that gives noise the colour of a sound."""

import numpy as np
import numpy.typing as npt

Sound = npt.NDArray[np.float64]


def burg(samples: Sound, order: int) -> Sound:
    """Coefficients [order + 1] of the prediction error filter of `samples` [n], the first one 1, by Burg's method.

    The same as `librosa.lpc` to the last bit; but that brings numba along, 90 MB and two seconds in every worker.
    J. Burg (1975), Maximum entropy spectral analysis; L. Marple (1980), A new autoregressive spectrum analysis
    algorithm, IEEE Trans. ASSP 28, whose recursion of the denominator this is.
    """
    forward, backward = samples[1:], samples[:-1]
    error = _sum(forward**2 + backward**2)
    coefficients = np.zeros(order + 1)
    coefficients[0] = 1.0
    for step in range(1, order + 1):
        reflection = _sum(backward * forward) * -2.0 / (error + np.finfo(np.float64).tiny)
        coefficients[1 : step + 1] += reflection * coefficients[step - 1 :: -1][:step]
        forward, backward = forward + reflection * backward, backward + reflection * forward
        error = (1.0 - reflection**2) * error - backward[-1] ** 2 - forward[0] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


def _sum(values: Sound) -> float:
    """Of one after the other, not by pairs: the last bits of a laugh are part of a corpus."""
    return float(np.cumsum(values)[-1])
