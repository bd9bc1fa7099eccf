"""How the speech before a yield and before a hold ends: boundary tones, by what the simulation decided.

Stage 3 shapes the F0 of each ending just before the decoder makes its sound, and records it in the segment:

=========  ================================================================================================
own        the voice's own endings; nothing is touched
clear      a fall before a yield, a rise where a question is yielded, a continuation (level or slight rise)
           where the speaker keeps the floor
neutral    the same level at the speaker's median before yields, holds and inner pauses: F0 does not tell
=========  ================================================================================================

Cut-offs, failed claims and vocalisations keep the voice's own prosody.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.records import BoundaryTone, Segment, Span, Utterance
from pipeline.records.timeline import ToneKind
from pipeline.samples import to_samples
from pipeline.speech.backend import Clocked, Contour, Floats
from pipeline.speech.plan import HOP
from pipeline.speech.settings import EndingSettings
from pipeline.speech.tones import Place, median_f0, toned

INNER_S = 0.15
"""In `neutral`, inner pauses planned from this length on are treated like holds: `gold.json` may count those that
measure 0.2 s."""
_CLOSING = " \"'”’)"


@dataclass(frozen=True)
class Ending:
    """One place where speech ends; `pause`: before which of its segment's inner pauses, None: the segment's end."""

    segment: Segment
    pause: int | None
    kind: ToneKind
    place: Place


def shaped_endings(
    clocked: Clocked, utterance: Utterance, segments: Sequence[Segment], settings: EndingSettings
) -> tuple[Clocked, list[Segment]]:
    """Return `clocked` with its endings shaped, and its `segments` (in order) with the tones that they got."""
    if settings.tones is None:
        return clocked, list(segments)
    f0 = f0_of(clocked)
    centre = median_f0(f0)
    noted = {segment.id: segment for segment in segments}
    for ending in _endings(utterance, segments, settings) if centre else ():
        made = toned(f0, ending.place, ending.kind, settings, centre)
        if made is None:
            continue
        f0 = made.f0
        tone = BoundaryTone(
            kind=ending.kind,
            window=Span(start=made.first * HOP, end=made.last * HOP).shifted(ending.segment.origin),
            own=round(made.own, 2),
            semitones=round(made.semitones, 2),
        )
        noted[ending.segment.id] = _with_tone(noted[ending.segment.id], ending.pause, tone)
    return with_f0(clocked, f0), [noted[segment.id] for segment in segments]


def _endings(utterance: Utterance, segments: Sequence[Segment], settings: EndingSettings) -> Iterator[Ending]:
    """The endings of an utterance that are to be shaped, in order, without overlap."""
    for number, segment in enumerate(segments):
        start = segment.source.start
        if settings.mode == "neutral" and segment.role == "floor":
            for index, pause in enumerate(segment.pauses):
                silence = pause.planned.shifted(-segment.origin)
                if silence.length >= to_samples(INNER_S):
                    yield Ending(segment, index, "level", _place(start, silence.start, silence.end))
                    start = silence.end
        kind = _kind(segment, utterance, settings)
        if kind is not None:
            last = number + 1 == len(segments)
            after = 2 * utterance.n_samples - segment.source.end if last else segments[number + 1].source.start
            yield Ending(segment, None, kind, _place(start, segment.source.end, after))


def _kind(segment: Segment, utterance: Utterance, settings: EndingSettings) -> ToneKind | None:
    """Tone of a segment's end; None where it keeps the voice's own."""
    if segment.ending not in ("yield", "hold", "continues"):
        return None
    if settings.mode == "neutral":
        return "level"
    if segment.ending != "yield":
        return "continuation"
    return "rise" if utterance.written.rstrip(_CLOSING).endswith("?") else "fall"


def _place(start: int, stop: int, after: int) -> Place:
    """Samples of the utterance as values of its F0 curve; a tone ends in the middle of the silence after it."""
    return Place(start // HOP, -(-stop // HOP), (stop + after) // 2 // HOP)


def _with_tone(segment: Segment, pause: int | None, tone: BoundaryTone) -> Segment:
    if pause is None:
        return segment.model_copy(update={"tone": tone})
    pauses = list(segment.pauses)
    pauses[pause] = pauses[pause].model_copy(update={"tone": tone})
    return segment.model_copy(update={"pauses": tuple(pauses)})


def f0_of(clocked: Clocked) -> Floats:
    """F0 over an utterance, of the used part of each of its pieces [values of 300 samples, Hz]."""
    return np.concatenate([piece.contour.f0[piece.start // HOP : piece.stop // HOP] for piece in clocked.pieces])


def with_f0(clocked: Clocked, f0: Floats) -> Clocked:
    """The utterance with the used parts of its pieces' curves replaced by `f0`."""
    made, at = [], 0
    for piece in clocked.pieces:
        start, stop = piece.start // HOP, piece.stop // HOP
        whole = piece.contour.f0.copy()
        whole[start:stop] = f0[at : at + stop - start]
        at += stop - start
        made.append(replace(piece, contour=Contour(piece.contour.frames, whole, piece.contour.energy)))
    return replace(clocked, pieces=tuple(made))
