"""Everything lies inside what it belongs to, and nobody sounds twice at once."""

import itertools
from collections.abc import Iterator, Sequence

from pipeline.errors import FloorError
from pipeline.invariants.reading import Rules, name_of, when
from pipeline.records import Timeline
from pipeline.samples import to_samples


def word_in_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Words, speech and pauses of an utterance lie inside it, words and pauses in order."""
    for utterance in timeline.utterances:
        for what, ranges in {
            "word": [(word.start, word.end) for word in utterance.words],
            "pause": [(pause.start, pause.end) for pause in utterance.pauses],
            "speech": [(utterance.speech.start, utterance.speech.end)],
        }.items():
            if not _in_order(ranges, 0, utterance.n_samples):
                yield FloorError(
                    "word-in-utterance",
                    f"utterance {utterance.id} of {utterance.n_samples} samples: its {what} ranges are out of order "
                    f"or outside it",
                )


def _in_order(ranges: Sequence[tuple[int, int]], low: int, high: int) -> bool:
    edges = [low, *itertools.chain.from_iterable(ranges), high]
    return all(a <= b for a, b in itertools.pairwise(edges))


def segment_in_utterance(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """What is laid of an utterance exists in it, and a segment has a length."""
    for segment in timeline.segments:
        utterance = timeline.utterance(segment.utterance_id)
        if not (segment.lay.start >= 0 and segment.lay.end <= utterance.n_samples):
            yield FloorError(
                "segment-in-utterance",
                f"segment {segment.id} lays samples {segment.lay.start} to {segment.lay.end} of {utterance.id}, "
                f"which has {utterance.n_samples}",
            )
        if segment.bounds.length <= 0 or segment.source.length <= 0:
            yield FloorError("segment-in-utterance", f"{name_of(segment, timeline)} is empty")


def inside_conversation(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Nothing sounds before the first sample or after the last."""
    for segment in timeline.segments:
        laid = segment.lay.shifted(segment.origin)
        spans = (segment.planned, segment.bounds, laid)
        if min(span.start for span in spans) < 0 or max(span.end for span in spans) > timeline.n_samples:
            yield FloorError(
                "inside-conversation",
                f"{name_of(segment, timeline)} leaves the conversation of {when(timeline, timeline.n_samples)}",
            )


def pause_in_segment(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """Inner pauses lie in order inside their segment, as planned and as measured."""
    for segment in timeline.segments:
        planned = [(p.planned.start, p.planned.end) for p in segment.pauses]
        measured = [(p.measured.start, p.measured.end) for p in segment.pauses if p.measured]
        if not (
            _in_order(planned, segment.planned.start, segment.planned.end)
            and _in_order(measured, segment.bounds.start, segment.bounds.end)
        ):
            yield FloorError("pause-in-segment", f"{name_of(segment, timeline)} has an inner pause outside it")


def no_self_overlap(timeline: Timeline, _rules: Rules) -> Iterator[FloorError]:
    """No speaker sounds twice at once."""
    for speaker in timeline.speakers:
        own = sorted(
            (s for s in timeline.segments if s.speaker == speaker.id), key=lambda s: (s.bounds.start, s.bounds.end)
        )
        for one, other in itertools.pairwise(own):
            if other.bounds.start < one.bounds.end:
                yield FloorError("no-self-overlap", f"{name_of(other, timeline)} overlaps {name_of(one, timeline)}")


def tail(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    """Silence follows the last offset."""
    last = max(segment.bounds.end for segment in timeline.segments)
    if timeline.n_samples - last < to_samples(rules.tail_s, timeline.rate):
        yield FloorError(
            "tail",
            f"the last sound ends at {when(timeline, last)}, the conversation at {when(timeline, timeline.n_samples)}: "
            f"less than {rules.tail_s} s",
        )
