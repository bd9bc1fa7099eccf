"""Boundary tones: the F0 of the last voiced speech before a pause or a yield, shaped between prosody and decoder.

Only F0 changes, so that all planned times stay. Through the window F0 follows a straight line, so that however much of
it a listener or a pitch tracker catches, the movement is the same; the voice's own curve passes into the line just
before, what is left of the sound is shifted with its end, and the next speech starts as the voice has it.

Falls and high rises end turns, plateaus and slight rises hold them: Gravano & Hirschberg (2011), Turn-taking cues in
task-oriented dialogue, Computer Speech & Language 25.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.records.timeline import ToneKind
from pipeline.samples import RATE
from pipeline.speech.backend import Floats
from pipeline.speech.plan import HOP
from pipeline.speech.prosody import VOICED
from pipeline.speech.settings import EndingSettings

STEP = 1.2
"""A change of F0 from value to value beyond this is no speech melody but the curve's slide into voicelessness
[semitones in 12.5 ms]: nobody changes pitch so fast (Xu & Sun 2002, JASA 111: at most some 60 semitones a second)."""
SHORTEST_RUN = 3
"""Voiced stretches of fewer values are left out."""
LEAST = 5
"""Fewer voiced values than this have no slope worth shaping."""
LEAD = 10
"""Values before the window over which the line is approached (125 ms)."""
OCTAVE = 12.0
"""Shaping leads no further than this from the speaker's median F0 [semitones]."""


@dataclass(frozen=True)
class Place:
    """Values of the F0 curve: the speech that ends is `start` to `stop`; the next speech is not before `until`."""

    start: int
    stop: int
    until: int


@dataclass(frozen=True, eq=False)
class Toned:
    """A shaped curve, the values `first` to `last` that were shaped, and how F0 moves over them [semitones]."""

    f0: Floats
    first: int
    last: int
    own: float
    """Movement of the voice's own F0, by linear regression."""
    semitones: float
    """Movement after shaping."""


def voiced(f0: Floats) -> npt.NDArray[np.bool_]:
    """Which values of a curve are the pitch of voiced speech, without the slides into voicelessness at its edges."""
    above = f0 > VOICED
    if above.any():
        above &= f0 > np.median(f0[above]) / 2
    edges = np.flatnonzero(np.diff(np.concatenate([[0], above, [0]]).astype(np.int8))).reshape(-1, 2)
    kept = np.zeros(f0.size, bool)
    for start, stop in edges:
        steps = np.abs(np.diff(semitones(f0[start:stop], 1.0))) > STEP
        begin, end = start, stop
        while begin < end - 1 and steps[begin - start]:
            begin += 1
        while end - 1 > begin and steps[end - 2 - start]:
            end -= 1
        kept[begin:end] = end - begin >= SHORTEST_RUN
    return kept


def semitones(f0: Floats, reference: float) -> npt.NDArray[np.float64]:
    """Distance of F0 [Hz] from a reference [Hz] in semitones."""
    return 12.0 * np.log2(np.maximum(f0.astype(np.float64), 1.0) / reference)


def median_f0(f0: Floats) -> float:
    """Median of the voiced values [Hz]; 0 where there are none."""
    heard = f0[voiced(f0)]
    return float(np.median(heard)) if heard.size else 0.0


def toned(f0: Floats, place: Place, kind: ToneKind, settings: EndingSettings, centre: float) -> Toned | None:
    """Shape the end of the speech at `place`; None where too little of it is voiced.

    Parameters
    ----------
    f0
        Curve of the whole utterance [Hz], a value for 300 samples.
    place
        Where speech ends.
    kind
        ``fall``, ``continuation`` and ``rise`` move F0 at least as far as the settings say; ``level`` brings all of
        the window to `centre`.
    settings
        Window, semitones and strength.
    centre
        Median F0 of the speaker [Hz].

    """
    heard = place.start + np.flatnonzero(voiced(f0)[place.start : place.stop])
    span = round(settings.window_s * RATE / HOP)
    window = heard[heard > heard[-1] - span] if heard.size else heard
    if window.size < LEAST:
        return None
    height = semitones(f0[window], centre)
    shift = settings.strength * (_line(kind, window, height, settings) - height)
    # What lies beyond an octave by itself stays where it is.
    shift = np.clip(height + shift, np.minimum(height, -OCTAVE), np.maximum(height, OCTAVE)) - height
    begin = min(max(place.start, int(window[0]) - LEAD), int(window[0]) - 1)
    over = np.arange(max(0, begin), place.until)
    shaped = f0.astype(np.float64)
    shaped[over] *= 2.0 ** (np.interp(over, [begin, *window], [0.0, *shift]) / 12.0)
    reach = int(window[-1] - window[0])
    return Toned(
        shaped.astype(np.float32),
        int(window[0]),
        int(window[-1]) + 1,
        slope(window, height) * reach,
        slope(window, height + shift) * reach,
    )


def slope(at: npt.NDArray[np.int64], height: npt.NDArray[np.float64]) -> float:
    """Slope of the regression line [semitones a value]."""
    centred = at - at.mean()
    return float(centred @ (height - height.mean()) / (centred @ centred))


def _line(
    kind: ToneKind, window: npt.NDArray[np.int64], height: npt.NDArray[np.float64], settings: EndingSettings
) -> npt.NDArray[np.float64]:
    """Height of each value at full strength [semitones from the median]: from where the voice's own trend starts."""
    if kind == "level":
        return np.zeros(window.size)
    own, values = slope(window, height), round(settings.window_s * RATE / HOP) - 1
    if kind == "fall":
        wanted = min(own, settings.fall_st / values)
    else:
        wanted = max(own, (settings.rise_st if kind == "rise" else settings.continuation_st) / values)
    start = height.mean() - own * (window.mean() - window[0])
    return np.asarray(start + wanted * (window - window[0]), np.float64)
