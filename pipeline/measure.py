"""From planned to measured: the bounds of every segment as its sound has them."""

from collections.abc import Iterable, Mapping, Sequence

from pipeline import label
from pipeline.errors import ModelError
from pipeline.records import InnerPause, Segment, Span, Timeline
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import measure_bounds, measure_silences

QUIET_DB = 30.0
"""An inner pause is what lies this far under the loud speech around it."""
LEAST_PAUSE_S = 0.05


def measured(segment: Segment, piece: Floats, level_until: int | None = None) -> Segment:
    """The segment with its bounds and inner pauses found on `piece`, its sound as laid [samples].

    The level of its speech is that of the first `level_until` samples; None: of all.

    Raises
    ------
    ModelError
        when nothing can be heard.

    """
    start = segment.origin + segment.lay.start
    found = measure_bounds(piece, level_until=level_until)
    if not found.length:
        raise ModelError(
            f"segment {segment.id} of voice {segment.speaker} is silent: render it again with an empty cache"
        )
    bounds = found.shifted(start)
    silences = [gap.shifted(start) for gap in measure_silences(piece, below_db=QUIET_DB, shortest_s=LEAST_PAUSE_S)]
    pauses = _joined(p.model_copy(update={"measured": _meeting(p.planned, silences)}) for p in segment.pauses)
    inside = tuple(p for p in pauses if _inside(p.measured or p.planned, bounds))
    return segment.model_copy(update={"measured": bounds, "pauses": inside})


def _joined(pauses: Iterable[InnerPause]) -> list[InnerPause]:
    """The pauses, in order; those that turned out as one silence as one pause."""
    joined: list[InnerPause] = []
    for pause in pauses:
        if joined and pause.measured is not None and joined[-1].measured == pause.measured:
            planned = Span(start=joined[-1].planned.start, end=pause.planned.end)
            joined[-1] = joined[-1].model_copy(update={"planned": planned})
        else:
            joined.append(pause)
    return joined


def _inside(pause: Span, bounds: Span) -> bool:
    """Whether speech goes on after the pause; where it was cut off too soon after it, the pause is no inner one."""
    return bounds.start < pause.start and pause.end < bounds.end


def _meeting(planned: Span, silences: Sequence[Span]) -> Span | None:
    """The longest silence that meets the planned pause; None when the voice did not pause after all."""
    return max((gap for gap in silences if gap.overlap(planned)), key=lambda gap: gap.length, default=None)


def settled(timeline: Timeline, segments: Mapping[str, Segment]) -> Timeline:
    """The timeline with measured `segments` (by id), and events and ownership that follow from them."""
    ordered = tuple(segments[segment.id] for segment in timeline.segments)
    utterances = {utterance.id: utterance for utterance in timeline.utterances}
    return timeline.model_copy(
        update={
            "segments": ordered,
            "events": label.events(ordered, timeline.turns, utterances),
            "ownership": label.ownership(ordered, timeline.turns, timeline.n_samples),
        }
    )
