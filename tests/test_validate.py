"""Corrupted floors are refused by the name of the invariant that they break."""

import re

import hypothesis.strategies as st
import pytest
from floor_support import (
    Floor,
    changed_event,
    changed_segment,
    changed_turn,
    changed_utterance,
    event,
    example,
    speakers,
    timelines,
    without_event,
)
from hypothesis import given, settings

import pipeline.validate
from pipeline.errors import FloorError
from pipeline.records import EVENT_KINDS, Holding, InnerPause, Links, Pause, Span, Timeline, Word
from pipeline.samples import to_samples
from pipeline.validate import GROUPS, Rules, faults, validate

EXAMPLE = example()


def moved(timeline: Timeline, ident: str, start: float, end: float) -> Timeline:
    """One segment sounds elsewhere, and its event with it; ownership as it was."""
    span = Span(start=to_samples(start), end=to_samples(end))
    timeline = changed_segment(timeline, ident, measured=span)
    for item in timeline.events:
        if item.segment_id == ident and item.kind != "turn_hold":
            timeline = changed_event(timeline, item.id, onset=span.start, offset=span.end)
    return timeline


def owned(*holdings: tuple[str | None, float, float]) -> Timeline:
    track = [Holding(holder=h, start=to_samples(a), end=to_samples(b)) for h, a, b in holdings]
    return EXAMPLE.model_copy(update={"ownership": tuple(track)})


def plus(event_) -> Timeline:
    return EXAMPLE.model_copy(update={"events": (*EXAMPLE.events, event_)})


def lasting(seconds: float) -> Timeline:
    end = to_samples(seconds)
    silence = Holding(holder=None, start=to_samples(11.2), end=end)
    return EXAMPLE.model_copy(update={"n_samples": end, "ownership": (*EXAMPLE.ownership[:-1], silence)})


def twice(field: str, number: int = 0) -> Timeline:
    items = getattr(EXAMPLE, field)
    return EXAMPLE.model_copy(update={field: (*items, items[number])})


def said(text: str) -> Timeline:
    return changed_utterance(EXAMPLE, "u2", written=text)


def pauses(*seconds: tuple[float, float]) -> tuple[InnerPause, ...]:
    spans = [Span(start=to_samples(a), end=to_samples(b)) for a, b in seconds]
    return tuple(InnerPause(planned=span, measured=span) for span in spans)


def overtaken(after_s: float) -> Timeline:
    """B cuts A off and sounds on for 0.1 s; C takes over `after_s` from B's end, when B has not had the floor."""
    floor = Floor(speakers(3))
    floor.turn("A", [to_samples(4)], [], 0, cut=1)
    floor.turn("B", [to_samples(1.1)], [], -to_samples(1), interrupts=True)
    floor.turn("C", [to_samples(3)], [], to_samples(after_s))
    return floor.timeline()


def repeated_turn() -> Timeline:
    turn = EXAMPLE.turn("C1").model_copy(
        update={"id": "C2", "segments": ("s8",), "entry": "handover", "interrupts": None}
    )
    again = Span(start=270_000, end=275_000)
    segment = EXAMPLE.segment("s6").model_copy(update={"id": "s8", "turn_id": "C2", "measured": again})
    return EXAMPLE.model_copy(update={"turns": (*EXAMPLE.turns, turn), "segments": (*EXAMPLE.segments, segment)})


def swapped_turns() -> Timeline:
    a, b, c = EXAMPLE.turns
    return EXAMPLE.model_copy(update={"turns": (b, a, c)})


CORRUPTED = {
    "ids-unique": [twice("events"), twice("turns", 2), twice("utterances", 1), twice("segments", 3)],
    "links-resolve": [
        changed_event(EXAMPLE, "e1", links=Links(responds_to="Z9")),
        changed_event(EXAMPLE, "e6", links=Links(interrupts="s5")),
        changed_event(EXAMPLE, "e4", segment_id="s99"),
        changed_segment(EXAMPLE, "s3", during="A9"),
        changed_segment(EXAMPLE, "s7", utterance_id="u99"),
        changed_turn(EXAMPLE, "B1", resumes="A1"),
        changed_turn(EXAMPLE, "C1", resumes="C1"),
    ],
    "known-speaker": [
        EXAMPLE.model_copy(update={"speakers": speakers(2)}),
        changed_segment(EXAMPLE, "s2", channel=2),
        changed_segment(EXAMPLE, "s2", speaker="C", channel=2),
        changed_event(EXAMPLE, "e8", speaker="Z"),
        owned((None, 0, 0.3), ("Z", 0.3, 14.5)),
    ],
    "word-in-utterance": [
        changed_utterance(EXAMPLE, "u2", words=(Word(text="Mm-hmm.", start=600, end=90_000),)),
        changed_utterance(EXAMPLE, "u2", words=(Word(text="Mm-hmm.", start=-5, end=900),)),
        changed_utterance(EXAMPLE, "u1", words=EXAMPLE.utterance("u1").words[::-1]),
        changed_utterance(EXAMPLE, "u1", pauses=(Pause(start=10, end=10_000_000, clause=True),)),
        changed_utterance(EXAMPLE, "u1", speech=Span(start=0, end=10_000_000)),
    ],
    "segment-in-utterance": [
        changed_segment(EXAMPLE, "s2", lay=Span(start=300, end=13_000)),
        changed_segment(EXAMPLE, "s2", lay=Span(start=-40, end=11_700)),
        changed_segment(EXAMPLE, "s2", measured=Span(start=45_600, end=45_600)),
    ],
    "inside-conversation": [
        moved(EXAMPLE, "s6", 8.40, 14.6),
        moved(EXAMPLE, "s1", -0.1, 2.80),
        changed_segment(EXAMPLE, "s6", planned=EXAMPLE.segment("s6").planned.shifted(to_samples(4))),
        EXAMPLE.model_copy(update={"n_samples": to_samples(11)}),
    ],
    "pause-in-segment": [
        changed_segment(EXAMPLE, "s5", pauses=pauses((9.0, 9.3))),
        changed_segment(EXAMPLE, "s5", pauses=pauses((7.5, 7.8), (7.7, 8.0))),
    ],
    "no-self-overlap": [
        moved(EXAMPLE, "s2", 5.80, 6.20),
        moved(EXAMPLE, "s3", 8.20, 8.50),
        moved(EXAMPLE, "s7", 2.00, 2.50),
    ],
    "turn-segments": [
        swapped_turns(),
        changed_turn(EXAMPLE, "A1", segments=("s1",)),
        changed_turn(EXAMPLE, "A1", segments=("s4", "s1")),
        changed_turn(EXAMPLE, "A1", speaker="B"),
        changed_segment(EXAMPLE, "s1", ending="yield"),
        changed_segment(EXAMPLE, "s6", ending="continues"),
        changed_segment(EXAMPLE, "s4", turn_id="B1"),
        EXAMPLE.model_copy(update={"turns": (), "segments": (), "events": ()}),
    ],
    "turn-entry": [
        changed_turn(EXAMPLE, "A1", entry="handover"),
        changed_turn(EXAMPLE, "B1", entry="opening"),
        changed_turn(EXAMPLE, "B1", entry="interruption", interrupts="A1"),
        changed_turn(EXAMPLE, "C1", entry="handover", interrupts=None),
        changed_turn(EXAMPLE, "C1", interrupts="A1"),
        changed_segment(EXAMPLE, "s5", ending="yield"),
    ],
    "hold-same-utterance": [
        changed_segment(changed_utterance(EXAMPLE, "u6", n_samples=10**6), "s4", utterance_id="u6"),
        changed_segment(
            EXAMPLE, "s4", source=EXAMPLE.segment("s4").source.shifted(-3000), lay=Span(start=0, end=118_800)
        ),
        moved(EXAMPLE, "s4", 2.80, 5.90),
        changed_segment(EXAMPLE, "s4", planned=EXAMPLE.segment("s4").planned.shifted(-to_samples(0.9))),
    ],
    "yield-goes-elsewhere": [
        changed_segment(EXAMPLE, "s6", ending="interrupted"),
        repeated_turn(),
    ],
    "handover-after-turn": [moved(EXAMPLE, "s5", 5.60, 9.14), moved(EXAMPLE, "s4", 3.60, 6.20)],
    "success-overlap": [
        moved(EXAMPLE, "s6", 9.14, 11.20),
        moved(EXAMPLE, "s6", 9.30, 11.20),
        moved(EXAMPLE, "s6", 8.40, 9.10),
    ],
    "turn-has-floor": [overtaken(-0.2), overtaken(-0.1)],
    "cut-off-inside-utterance": [
        changed_utterance(EXAMPLE, "u4", speech=Span(start=600, end=EXAMPLE.segment("s5").source.end)),
        changed_utterance(EXAMPLE, "u4", speech=Span(start=600, end=5000)),
    ],
    "failed-claim-ends-first": [
        moved(EXAMPLE, "s3", 5.00, 5.95),
        moved(EXAMPLE, "s3", 5.00, 5.86),
        moved(EXAMPLE, "s3", 0.10, 0.90),
        moved(EXAMPLE, "s3", 6.00, 6.90),
        changed_segment(EXAMPLE, "s3", during="C1"),
        changed_segment(EXAMPLE, "s3", during=None),
    ],
    "vocalisation-by-listener": [
        moved(EXAMPLE, "s7", 2.85, 3.50),
        changed_segment(EXAMPLE, "s7", during="A1"),
        changed_segment(EXAMPLE, "s2", during="B1"),
        changed_segment(EXAMPLE, "s2", during=None),
        moved(EXAMPLE, "s2", 0.0, 0.2),
    ],
    "backchannel-words": [said("Yes I see that"), said("")],
    "one-holder": [
        owned((None, 0, 0.3), ("A", 0.3, 5.9), ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)),
        owned((None, 0, 0.3), ("A", 0.3, 5.8), ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)),
        owned((None, 0, 0.3), ("A", 0.3, 5.84), ("B", 5.84, 9.14), ("C", 9.14, 11.2)),
        owned((None, 0, 0.3), ("A", 0.3, 3), ("A", 3, 5.84), ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)),
        owned((None, 0, 0.3), ("A", 0.3, 0.3), ("B", 0.3, 14.5)),
        owned(),
    ],
    "ownership-rule": [
        owned((None, 0, 0.3), ("A", 0.3, 5.9), ("B", 5.9, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)),
        owned((None, 0, 0.3), ("A", 0.3, 5.84), ("B", 5.84, 8.4), ("C", 8.4, 11.2), (None, 11.2, 14.5)),
        owned((None, 0, 0.3), ("A", 0.3, 5.84), ("B", 5.84, 9.14), ("C", 9.14, 14.5)),
        owned(("A", 0, 5.84), ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5)),
        owned(
            (None, 0, 0.3), ("A", 0.3, 2.8), (None, 2.8, 3.6), ("A", 3.6, 5.84),
            ("B", 5.84, 9.14), ("C", 9.14, 11.2), (None, 11.2, 14.5),
        ),
    ],
    "change-has-event": [without_event(EXAMPLE, e.id) for e in EXAMPLE.events],
    "event-has-effect": [
        plus(event("e9", "turn_hold", EXAMPLE.segment("s4"), "A1")),
        plus(event("e9", "interruption", EXAMPLE.segment("s5"), "B1", interrupts="A1")),
        plus(event("e9", "laughter", EXAMPLE.segment("s2"), responds_to="A1")),
        plus(EXAMPLE.events[0].model_copy(update={"id": "e9"})),
    ],
    "event-matches-segment": [
        changed_event(EXAMPLE, "e4", offset=to_samples(5.91)),
        changed_event(EXAMPLE, "e4", onset=to_samples(0.3)),
        changed_event(EXAMPLE, "e2", onset=to_samples(2.7)),
        changed_event(EXAMPLE, "e6", speaker="A"),
        changed_event(EXAMPLE, "e6", turn_id="B1"),
        changed_event(EXAMPLE, "e6", links=Links()),
        changed_event(EXAMPLE, "e3", links=Links(contests="B1")),
        changed_event(EXAMPLE, "e8", planned=Span(start=0, end=1)),
    ],
    "tail": [
        lasting(14.19),
        lasting(11.6),
    ],
}  # fmt: skip
CASES = [(name, number) for name, cases in CORRUPTED.items() for number in range(len(cases))]


def test_the_example_breaks_nothing():
    validate(EXAMPLE)


@given(timelines())
@settings(max_examples=60, deadline=None)
def test_neither_does_any_floor_that_is_laid_out_by_the_rules(timeline):
    assert faults(timeline) == []


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_corrupted_floor_is_refused_by_name(name, number):
    found = faults(CORRUPTED[name][number])
    assert {fault.invariant for fault in found} == {name}
    with pytest.raises(FloorError) as caught:
        validate(CORRUPTED[name][number])
    assert caught.value.invariant == name
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)


def test_every_invariant_of_the_docstring_has_two_cases_or_more():
    documented = set(re.findall(r"^([a-z-]+)  +\S", pipeline.validate.__doc__, re.M))
    assert documented == set(CORRUPTED)
    assert min(map(len, CORRUPTED.values())) >= 2


def test_what_rests_on_a_broken_invariant_is_not_asked():
    timeline = twice("segments").model_copy(update={"ownership": ()})
    assert {fault.invariant for fault in faults(timeline)} == {"ids-unique"}
    assert len({check for group in GROUPS for check in group}) == sum(map(len, GROUPS))


def test_a_message_names_ids_and_times():
    (fault,) = faults(moved(EXAMPLE, "s7", 2.00, 2.50))
    assert (
        str(fault) == "no-self-overlap: segment s7 of A (2.000 to 2.500 s) overlaps segment s1 of A (0.300 to 2.800 s)"
    )


def test_a_stress_corpus_may_allow_more():
    long_words = said("Yes I see that quite clearly")
    assert faults(long_words, Rules(max_words=6)) == []
    assert faults(lasting(11.6), Rules(tail_s=0.3)) == []
    early = moved(EXAMPLE, "s5", 5.50, 9.14).model_copy(update={"ownership": ()})
    assert "handover-after-turn" not in {f.invariant for f in faults(early, Rules(latch_s=0.5))}


def test_the_planned_floor_is_judged_where_nothing_was_measured():
    planned = EXAMPLE
    for segment in EXAMPLE.segments:
        planned = changed_segment(planned, segment.id, measured=None)
    assert {f.invariant for f in faults(planned)} == {"event-matches-segment"}


# Perturbations that change meaning -------------------------------------------------------------------------


def delete_event(timeline: Timeline, data: st.DataObject) -> Timeline:
    return without_event(timeline, data.draw(st.sampled_from(timeline.events)).id)


def shift_event(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from(timeline.events))
    side = data.draw(st.sampled_from(["onset", "offset"]))
    by = data.draw(st.integers(1, 500)) * data.draw(st.sampled_from([-1, 1]))
    return changed_event(timeline, chosen.id, **{side: getattr(chosen, side) + by})


def rename_kind(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from(timeline.events))
    kind = data.draw(st.sampled_from([k for k in EVENT_KINDS if k != chosen.kind]))
    return changed_event(timeline, chosen.id, kind=kind)


def change_speaker(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from(timeline.events))
    other = data.draw(st.sampled_from([s.id for s in timeline.speakers if s.id != chosen.speaker]))
    return changed_event(timeline, chosen.id, speaker=other)


def shift_edge(timeline: Timeline, data: st.DataObject) -> Timeline:
    """The floor passes a little earlier or later."""
    number = data.draw(st.integers(0, len(timeline.ownership) - 2))
    by = data.draw(st.integers(1, 500)) * data.draw(st.sampled_from([-1, 1]))
    track = list(timeline.ownership)
    edge = track[number].end + by
    track[number] = track[number].model_copy(update={"end": edge})
    track[number + 1] = track[number + 1].model_copy(update={"start": edge})
    return timeline.model_copy(update={"ownership": tuple(track)})


def change_holder(timeline: Timeline, data: st.DataObject) -> Timeline:
    number = data.draw(st.integers(0, len(timeline.ownership) - 1))
    track = list(timeline.ownership)
    others = [s.id for s in timeline.speakers] + [None]
    other = data.draw(st.sampled_from([i for i in others if i != track[number].holder]))
    track[number] = track[number].model_copy(update={"holder": other})
    return timeline.model_copy(update={"ownership": tuple(track)})


def move_sound(timeline: Timeline, data: st.DataObject) -> Timeline:
    """A segment sounds a little elsewhere than the log says."""
    chosen = data.draw(st.sampled_from(timeline.segments))
    by = data.draw(st.integers(1, 500)) * data.draw(st.sampled_from([-1, 1]))
    return changed_segment(timeline, chosen.id, measured=chosen.bounds.shifted(by))


def change_role(timeline: Timeline, data: st.DataObject) -> Timeline:
    asides = [s for s in timeline.segments if s.role != "floor"]
    chosen = data.draw(st.sampled_from(asides or list(timeline.segments)))
    if chosen.role == "floor":
        return delete_event(timeline, data)
    role = data.draw(st.sampled_from([r for r in ("claim", "backchannel", "laughter") if r != chosen.role]))
    return changed_segment(timeline, chosen.id, role=role)


def change_ending(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from([s for s in timeline.segments if s.role == "floor"]))
    ending = data.draw(
        st.sampled_from([e for e in ("yield", "hold", "interrupted", "continues") if e != chosen.ending])
    )
    return changed_segment(timeline, chosen.id, ending=ending)


def drop_segment(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from(timeline.segments))
    return timeline.model_copy(update={"segments": tuple(s for s in timeline.segments if s.id != chosen.id)})


def drop_turn(timeline: Timeline, data: st.DataObject) -> Timeline:
    chosen = data.draw(st.sampled_from(timeline.turns))
    return timeline.model_copy(update={"turns": tuple(t for t in timeline.turns if t.id != chosen.id)})


PERTURBATIONS = [
    delete_event, shift_event, rename_kind, change_speaker, shift_edge, change_holder,
    move_sound, change_role, change_ending, drop_segment, drop_turn,
]  # fmt: skip


@pytest.mark.parametrize("perturb", PERTURBATIONS)
@given(timeline=timelines(most_turns=4), data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_small_change_of_meaning_is_refused(perturb, timeline, data):
    assert faults(perturb(timeline, data)) != []


@given(timelines(most_turns=3), st.lists(st.sampled_from(PERTURBATIONS), min_size=2, max_size=4), st.data())
@settings(max_examples=80, deadline=None)
def test_a_floor_broken_in_several_ways_is_refused_and_never_breaks_the_validator(timeline, perturbations, data):
    for perturb in perturbations:
        if timeline.events and timeline.turns and any(s.role == "floor" for s in timeline.segments):
            timeline = perturb(timeline, data)
    for fault in faults(timeline):
        assert isinstance(fault, FloorError)
        assert fault.invariant in CORRUPTED
