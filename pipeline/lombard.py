"""Effort in overlap: turns and claims lifted in level, tilt and pitch while another's turn or claim sounds over them.

It acts in stage 3, knows what the simulation decided and nothing else, and is recorded in the segment. Backchannels
and laughter neither compete for the floor nor make anybody raise the voice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from pipeline.records import Lift, Segment, Span, Timeline
from pipeline.samples import RATE, to_samples
from pipeline.sound.levels import amplitude, energy
from pipeline.speech.backend import Floats
from pipeline.speech.plan import HOP

LEAST_S = 0.2
"""Overlaps shorter than this are over before anybody can react."""
RAMP_S = 0.08
"""Over which a voice is raised after an overlap has begun, and let down after it has ended."""
CORNER_HZ = 1000.0
"""Where the tilt turns."""


@dataclass(frozen=True)
class Raised:
    """A stretch of an utterance that is lifted [samples from its start].

    It is raised from the first sample where its speaker comes in over another, and to the last where it stops first.
    """

    span: Span
    segment_id: str
    comes_in: bool
    stops: bool


def raised(segments: Sequence[Segment], timeline: Timeline) -> list[Raised]:
    """The stretches of an utterance's `segments` that others' turns and claims overlap, in order."""
    found = []
    for segment in segments:
        for span in _overlapped(segment, timeline):
            comes_in, stops = span.start == segment.planned.start, span.end == segment.planned.end
            found.append(Raised(span.shifted(-segment.origin), segment.id, comes_in, stops))
    return found


def _overlapped(segment: Segment, timeline: Timeline) -> list[Span]:
    """Where others' turns and claims sound during a turn or claim [samples on the channel]; meeting ones as one."""
    if segment.role not in ("floor", "claim"):
        return []
    others = (s.planned for s in timeline.segments if s.speaker != segment.speaker and s.role in ("floor", "claim"))
    own, joined = segment.planned, list[Span]()
    for other in sorted(others, key=lambda span: span.start):
        start, end = max(own.start, other.start), min(own.end, other.end)
        if start >= end:
            continue
        if joined and start <= joined[-1].end + 2 * to_samples(RAMP_S):
            joined[-1] = Span(start=joined[-1].start, end=max(end, joined[-1].end))
        else:
            joined.append(Span(start=start, end=end))
    return [span for span in joined if span.length >= to_samples(LEAST_S)]


def effort(stretches: Sequence[Raised], n_samples: int) -> npt.NDArray[np.float64]:
    """How far an utterance is lifted, 0 to 1, at each of its samples: shape (n_samples,)."""
    ramp, made = to_samples(RAMP_S), np.zeros(n_samples)
    at = np.arange(n_samples)
    for stretch in stretches:
        start, end = stretch.span.start, stretch.span.end
        rise = np.ones(n_samples) if stretch.comes_in else np.clip((at - start) / ramp, 0, 1)
        fall = np.ones(n_samples) if stretch.stops else np.clip((end + ramp - at) / ramp, 0, 1)
        # What comes before an onset, and after a stop, is another segment's, or nobody's.
        edge = np.where((at < start - ramp) | (at >= end + ramp), 0.0, 1.0)
        made = np.maximum(made, 0.5 - 0.5 * np.cos(np.pi * rise * fall * edge))
    return made


def raised_pitch(f0: Floats, made: npt.NDArray[np.float64], semitones: float) -> Floats:
    """The F0 curve [values of 300 samples, Hz] raised by `semitones` where the effort is 1."""
    sampled = np.pad(made[::HOP], (0, max(0, f0.size - made[::HOP].size)), mode="edge")[: f0.size]
    return np.asarray(f0 * 2.0 ** (sampled * semitones / 12), np.float32)


def lifted(
    sound: Floats, stretches: Sequence[Raised], made: npt.NDArray[np.float64], level_db: float, tilt_db: float
) -> Floats:
    """`sound` [n] tilted, and its level raised so that each stretch has `level_db` more energy, where effort is 1."""
    tilted = _tilted(sound, tilt_db)
    gain = np.ones(len(sound))
    for stretch in stretches:
        start, end = stretch.span.start, stretch.span.end
        was, now = energy(sound[start:end]), energy(tilted[start:end])
        lift = amplitude(level_db) * (was / now) ** 0.5 if now else 1.0
        reach = slice(max(0, start - to_samples(RAMP_S)), end + to_samples(RAMP_S))
        gain[reach] = lift
    return np.asarray(sound * (1.0 - made) + tilted * gain * made, np.float32)


def _tilted(sound: Floats, tilt_db: float) -> npt.NDArray[np.float64]:
    """What lies above the corner raised by `tilt_db` against what lies below: a causal shelf of first order."""
    k = float(np.tan(np.pi * CORNER_HZ / RATE))
    high = lfilter([1 / (1 + k), -1 / (1 + k)], [1.0, (k - 1) / (k + 1)], sound.astype(np.float64))
    return np.asarray(sound + (amplitude(tilt_db) - 1.0) * high)


def with_lifts(segments: Sequence[Segment], stretches: Sequence[Raised], lift: dict[str, float]) -> list[Segment]:
    """The segments with the lifts of their stretches recorded."""
    made = []
    for segment in segments:
        spans = [s.span.shifted(segment.origin) for s in stretches if s.segment_id == segment.id]
        lifts = tuple(Lift(span=span, **lift) for span in spans)
        made.append(segment.model_copy(update={"lifts": lifts}) if lifts else segment)
    return made


def lifts_inside(lifts: Sequence[Lift], shift: int, bounds: Span) -> tuple[Lift, ...]:
    """The lifts `shift` samples later, as far as they lie within `bounds`."""
    spans = [(lift, lift.span.shifted(shift)) for lift in lifts]
    cut = [(lift, max(s.start, bounds.start), min(s.end, bounds.end)) for lift, s in spans]
    return tuple(lift.model_copy(update={"span": Span(start=a, end=b)}) for lift, a, b in cut if a < b)
