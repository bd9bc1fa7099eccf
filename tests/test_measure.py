"""Bounds and inner pauses as the laid sound has them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import ModelError
from pipeline.measure import measured
from pipeline.records import InnerPause, Segment, Span


def a_segment(n, pause=None, at=10_000):
    spans = () if pause is None else (InnerPause(planned=pause.shifted(at)),)
    return Segment(
        id="g1", utterance_id="u1", speaker="s1", channel=0, role="floor", ending="yield", turn_id="T1", pauses=spans,
        source=Span(start=0, end=n), lay=Span(start=0, end=n), planned=Span(start=at, end=at + n),
    )  # fmt: skip


def a_sound(n, onset, offset, pause=None):
    sound = np.zeros(n, np.float32)
    sound[onset:offset] = 0.1 * np.sin(np.arange(offset - onset) * 0.05)
    if pause:
        sound[pause.start : pause.end] = 0
    return sound


@given(onset=st.integers(240, 4000), length=st.integers(4000, 20_000), start=st.integers(1300, 1900))
@settings(max_examples=40, deadline=None)
def test_bounds_and_pause_are_where_the_sound_has_them(onset, length, start):
    pause = Span(start=onset + start, end=onset + start + 1600)
    found = measured(
        a_segment(onset + length + 500, pause), a_sound(onset + length + 500, onset, onset + length, pause)
    )
    assert abs(found.measured.start - 10_000 - onset) <= 240
    assert abs(found.measured.end - 10_000 - onset - length) <= 240
    (inner,) = found.pauses
    assert abs(inner.measured.start - 10_000 - pause.start) <= 240
    assert abs(inner.measured.end - 10_000 - pause.end) <= 240


def test_a_pause_with_no_speech_after_it_is_no_inner_pause():
    """A cut-off soon after a pause may leave nothing that can be heard behind it."""
    pause = Span(start=6000, end=8000)
    assert measured(a_segment(8300, pause), a_sound(8300, 500, 6000)).pauses == ()


def test_a_planned_pause_that_the_voice_did_not_make_stays_planned():
    (inner,) = measured(a_segment(9000, Span(start=4000, end=6000)), a_sound(9000, 500, 8500)).pauses
    assert inner.measured is None


def test_two_planned_pauses_that_are_one_silence_are_one_pause():
    """A soft syllable between them may be too soft to be heard."""
    planned = (Span(start=13_000, end=14_000), Span(start=14_300, end=15_000))
    segment = a_segment(9000).model_copy(update={"pauses": tuple(InnerPause(planned=span) for span in planned)})
    (inner,) = measured(segment, a_sound(9000, 500, 8500, Span(start=2900, end=5100))).pauses
    assert inner.planned == Span(start=13_000, end=15_000)
    assert inner.measured is not None


def test_a_silent_segment_is_refused():
    with pytest.raises(ModelError, match="segment g1 of voice s1 is silent"):
        measured(a_segment(5000), np.zeros(5000, np.float32))
