"""Every record: frozen, typed, no unknown field, no NaN, JSON both ways, a published schema."""

import inspect
import json

import pytest
from floor_support import example, example_script, example_spec, timelines
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline import records
from pipeline.errors import InputError
from pipeline.gold import gold
from pipeline.records import ConversationSpec, Position, Record, Segment, Span, Timeline, Utterance

EXAMPLES = {
    "Timeline": example(),
    "Script": example_script(),
    "ConversationSpec": example_spec(),
    "Gold": gold(example(), "all"),
}
KINDS = [kind for _, kind in inspect.getmembers(records, inspect.isclass) if issubclass(kind, Record)]


@given(timelines())
@settings(max_examples=40, deadline=None)
def test_a_timeline_round_trips_to_the_same_bytes(timeline):
    again = Timeline.from_json(timeline.to_json())
    assert again == timeline
    assert again.to_json().encode() == timeline.to_json().encode()


@pytest.mark.parametrize("name", EXAMPLES)
def test_records_round_trip_compact_and_indented(name):
    record = EXAMPLES[name]
    assert type(record).from_json(record.to_json(indent=None)) == record == type(record).from_json(record.to_json())


@pytest.mark.parametrize("name", EXAMPLES)
def test_records_are_frozen(name):
    record = EXAMPLES[name]
    with pytest.raises(ValidationError, match="frozen"):
        record.schema_version = 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_unknown_field_is_refused_by_name(name):
    data = EXAMPLES[name].model_dump(mode="json") | {"mood": "sunny"}
    with pytest.raises(InputError, match=r"a\.json: not a valid .* mood"):
        type(EXAMPLES[name]).from_json(json.dumps(data), "a.json")


@pytest.mark.parametrize("name", EXAMPLES)
def test_another_schema_version_is_refused(name):
    data = EXAMPLES[name].model_dump(mode="json") | {"schema_version": 99}
    with pytest.raises(InputError, match="schema_version"):
        type(EXAMPLES[name]).from_json(json.dumps(data))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text_of_a_broken_file_gives_one_line(name, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{"conversation_id": \n')
    with pytest.raises(InputError) as caught:
        type(EXAMPLES[name]).read(path)
    assert "\n" not in str(caught.value)
    assert "broken.json" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.json: cannot be read"):
        Timeline.read(tmp_path / "nowhere.json")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValidationError):
        Position(x=value, y=0.0)
    with pytest.raises(InputError):
        Position.from_json('{"x": NaN, "y": 0.0}')


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_publishes_a_schema_without_room_for_other_fields(kind):
    schema = kind.json_schema()
    json.dumps(schema)
    assert schema["additionalProperties"] is False
    assert schema["title"] == kind.__name__


def test_a_published_schema_names_every_field_that_is_written():
    for record in EXAMPLES.values():
        assert set(json.loads(record.to_json())) <= set(record.json_schema()["properties"])


@given(st.integers(-1000, 1000), st.integers(0, 1000), st.integers(-1000, 1000), st.integers(0, 1000))
def test_spans_overlap_the_same_either_way_round_and_never_negatively(a, la, b, lb):
    one, other = Span(start=a, end=a + la), Span(start=b, end=b + lb)
    assert one.overlap(other) == other.overlap(one) >= 0
    assert one.overlap(one) == one.length
    assert one.overlap(other) == len(set(range(a, a + la)) & set(range(b, b + lb)))


@given(st.integers(-1000, 1000), st.integers(0, 1000), st.integers(-1000, 1000))
def test_a_shifted_span_keeps_its_length(start, length, by):
    span = Span(start=start, end=start + length)
    assert span.shifted(by).length == span.length
    assert span.holds(start) == (length > 0)
    assert not span.holds(span.end)


def test_a_span_that_ends_before_it_starts_is_refused():
    with pytest.raises(ValidationError, match="before it starts"):
        Span(start=2, end=1)


@pytest.mark.parametrize(
    ("update", "why"),
    [
        ({"ending": None}, "has an ending"),
        ({"turn_id": None}, "belongs to a turn"),
        ({"role": "claim"}, "has an ending"),
        ({"source": {"start": 600, "end": 700}}, "differ in length"),
        ({"lay": {"start": 700, "end": 90_000}}, "does not hold the speech"),
    ],
)
def test_a_segment_that_contradicts_itself_is_refused(update, why):
    good = example().segment("s1")
    with pytest.raises(ValidationError, match=why):
        Segment.model_validate(good.model_dump() | update)


def test_a_segment_states_its_measured_bounds_once_it_has_them():
    segment = example().segment("s1")
    assert segment.bounds == segment.measured != segment.planned
    assert segment.model_copy(update={"measured": None}).bounds == segment.planned
    assert segment.origin == segment.planned.start - segment.source.start


def test_two_speakers_never_share_a_voice_a_name_or_an_id():
    spec = example_spec()
    for what in ("voice", "name", "id"):
        twin = spec.speakers[1].model_copy(update={what: getattr(spec.speakers[0], what)})
        pair = [spec.speakers[0].model_dump(), twin.model_dump()]
        with pytest.raises(ValidationError, match=f"share a {what}"):
            ConversationSpec.model_validate(spec.model_dump() | {"speakers": pair})


def test_identifiers_are_safe_as_file_names():
    for bad in ("../up", "", "a b", ".hidden", "x" * 65, "a/b"):
        with pytest.raises(ValidationError):
            Utterance.model_validate(example().utterance("u1").model_dump() | {"id": bad})


def test_looking_up_what_is_not_there_is_a_key_error():
    timeline = example()
    for find in (timeline.segment, timeline.utterance, timeline.turn, example_spec().speaker):
        with pytest.raises(KeyError):
            find("nobody")


def test_the_acts_that_land_in_a_turn_are_found():
    script = example_script()
    assert [turn.id for turn in script.turns] == ["a1", "a4"]
    assert [act.id for act in script.landing_in("a1")] == ["a2", "a3"]
