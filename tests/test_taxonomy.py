"""Each kind of event is drawn where it is, with what detectors are scored against."""

import xml.etree.ElementTree as ET

import pytest
from command_support import ROOT
from floor_support import example

from pipeline.errors import InputError
from pipeline.output.picture import KINDS, STRIP
from pipeline.records import Timeline
from pipeline.taxonomy.__main__ import main, pictures
from pipeline.taxonomy.drawing import drawn, first_of_each

SHOWN = ROOT / "docs" / "events"
SVG = "{http://www.w3.org/2000/svg}"
GOLD = {
    "turn_yield": ["positive"],
    "turn_hold": ["negative"],
    "turn_interrupted": ["excluded"],
    "interruption": ["positive"],
    "non_floor_taking": ["excluded"],
    "backchannel": ["negative"],
    "laughter": ["negative"],
}


def parsed(picture):
    return ET.fromstring(picture)  # noqa: S314, drawn a line above


def test_the_committed_pictures_are_those_that_the_command_draws(tmp_path):
    paths = pictures(Timeline.read(SHOWN / "timeline.json"), tmp_path)
    assert [path.stem for path in paths] == list(KINDS)
    for path in paths:
        assert path.read_text() == (SHOWN / path.name).read_text(), "run python -m pipeline.taxonomy"


def test_they_are_drawn_from_the_worked_example():
    assert (SHOWN / "timeline.json").read_text() == example().to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_shows_the_event_and_its_gold(kind):
    event = first_of_each(example())[kind]
    root = parsed(drawn(event, example()))
    left, _, width, _ = map(float, root.get("viewBox").split())
    shown = root.find(f"{SVG}rect[@class='shown']")
    assert float(shown.get("x")) == pytest.approx(event.onset / 24_000 * STRIP.per_second, abs=0.01)
    assert left < float(shown.get("x")) < left + width
    drawn_gold = [part.get("class") for part in root if part.get("class") in ("positive", "negative", "excluded")]
    assert drawn_gold == GOLD[kind]


def test_a_long_event_is_shown_at_its_anchor():
    timeline = example()
    event = next(event for event in timeline.events if event.kind == "turn_yield")
    long = event.model_copy(update={"onset": 0, "offset": timeline.n_samples - 24_000})
    changed = timeline.model_copy(update={"events": (long,)})
    left, _, width, _ = map(float, parsed(drawn(long, changed)).get("viewBox").split())
    assert left < (long.offset / 24_000) * STRIP.per_second < left + width


def test_a_timeline_without_events_is_one_line(tmp_path, capsys):
    with pytest.raises(InputError, match="has no event to draw"):
        pictures(example().model_copy(update={"events": ()}), tmp_path)
    assert main([str(tmp_path / "none.json"), str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
