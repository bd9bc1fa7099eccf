"""The pages: whole, self-contained, escaped, and showing every event where it happened."""

import itertools
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from floor_support import example, example_script, example_spec, timelines
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.output.figures import figures
from pipeline.output.page import conversation_page, corpus_page
from pipeline.output.picture import KINDS, OVERVIEW_WIDTH, STRIP, overview, strip
from pipeline.output.wordflow import EDGE, GAP, drawn_width, placed
from pipeline.records import EVENT_KINDS
from pipeline.samples import to_seconds

VOID = {"meta", "br", "link", "img", "input"}
LEVELS = {"active_speech_db": -26.0}
NUISANCE = {"levels": {"snr_db": 25.0}}


def page(spec=None, timeline=None) -> str:
    timeline = timeline or example()
    meta = {"realised": figures(timeline, example_script(), NUISANCE).summary(), "levels": LEVELS, "nuisance": {}}
    return conversation_page(spec or example_spec(), timeline, meta)


class Reader(HTMLParser):
    """Checks that tags close in order, and collects attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def pictures(text: str) -> list[ET.Element]:
    return [ET.fromstring(svg) for svg in re.findall(r"<svg id=.*?</svg>", text, re.S)]  # noqa: S314 - our own page


def test_every_tag_closes():
    assert {"audio", "svg", "main", "ol"} <= set(read(page()).tags)


def test_it_needs_no_network():
    for tag, name, value in read(page()).attributes:
        if name in ("src", "href", "data-src"):
            assert not re.match(r"(https?:)?//", value), (tag, value)
    assert "url(" not in page()
    assert "@import" not in page()


def test_it_plays_the_mix_and_each_channel_noisy_and_clean():
    found = {value for _, name, value in read(page()).attributes if name == "data-src"}
    assert found == {"mix.flac"} | {f"{kind}/{speaker}.flac" for kind in ("noisy", "clean") for speaker in "ABC"}


def test_both_pictures_show_every_event_with_a_sign_and_a_title():
    for picture in pictures(page()):
        marks = [g for g in picture.iter("g") if g.get("class") == "mark"]
        assert sorted(g.get("data-kind") for g in marks) == sorted(e.kind for e in example().events)
        for mark in marks:
            assert mark.find("title").text
            assert [e for e in mark.iter() if "sign" in e.get("class", "")]


def test_kinds_differ_in_shape_and_not_in_colour_alone():
    legend = re.search(r'<ul class="legend">.*?</ul>', page(), re.S)[0]
    signs = re.findall(r"<(path|circle) class=\"sign[^\"]*\" ([^>]*)/>", legend)
    assert len(signs) == len(set(signs)) == len(EVENT_KINDS) == len(KINDS)
    for label in KINDS.values():
        assert label in legend


def test_bars_stand_where_the_segments_sound():
    found = strip(example())
    for bar, segment in zip(found.bars, example().segments, strict=True):
        assert bar.x == pytest.approx(to_seconds(segment.bounds.start) * STRIP.per_second, abs=0.01)
        assert bar.width == pytest.approx(to_seconds(segment.bounds.length) * STRIP.per_second, abs=0.02)
    assert [(b.label, b.start_s) for b in found.ribbon] == [("Anna", 0.3), ("Ben", 5.84), ("Carla", 9.14)]


def test_marks_stand_at_the_anchors():
    marks = {mark.kind: mark.start_s for mark in strip(example()).marks}
    assert marks["interruption"] == 8.4
    assert marks["turn_interrupted"] == 9.14
    assert marks["turn_hold"] == 2.8


def test_unspoken_words_are_not_shown():
    shown = [word.text for word in strip(example()).words]
    assert "getting" in shown
    assert "early." not in shown


@given(timelines())
@settings(max_examples=25, deadline=None)
def test_any_conversation_fits_its_picture(timeline):
    for picture in (strip(timeline), overview(timeline)):
        for bar in (*picture.bars, *picture.ribbon):
            assert bar.x >= 0
            assert bar.x + bar.width <= picture.width + 2
            assert bar.y + bar.height <= picture.height
        assert 2 <= len(picture.ticks) <= max(22, timeline.n_samples / timeline.rate + 1)
    assert overview(timeline).width == pytest.approx(OVERVIEW_WIDTH, abs=0.1)


@given(timelines())
@settings(max_examples=5, deadline=None)
def test_any_conversation_gives_a_whole_page(timeline):
    spec = example_spec().model_copy(update={"speakers": timeline.speakers})
    read(page(spec, timeline))


@given(
    st.lists(st.tuples(st.text("abimw", min_size=1, max_size=9), st.floats(0, 60)), min_size=1, max_size=12),
    st.floats(60, 900),
)
def test_words_never_overlap_and_stay_on_their_bar(words, width):
    texts = [text for text, _ in words]
    onsets = list(itertools.accumulate(gap for _, gap in words))
    found = placed(texts, onsets, 0.0, width)
    widths = [drawn_width(t) if pressed is None else pressed for t, (_, pressed) in zip(texts, found, strict=True)]
    assert found[0][0] >= min(EDGE, onsets[0]) - 0.2
    assert found[-1][0] + widths[-1] <= width - EDGE + 0.2
    for (x, _), w, (after, _) in zip(found, widths, found[1:], strict=False):
        assert x + w + GAP <= after + 0.2


def test_a_word_with_room_stands_at_its_onset():
    assert [x for x, _ in placed(["Then", "we", "drive"], [100, 200, 300], 100, 400)] == [104, 204, 304]


def test_text_of_a_user_cannot_break_out():
    evil = '</script><script>alert("x")</script><b>'
    spec = example_spec().model_copy(
        update={"title": evil, "setting": evil, "domain": evil, "tone": evil, "scene": evil}
    )
    timeline = example()
    words = tuple(w.model_copy(update={"text": evil}) for w in timeline.utterance("u2").words)
    utterances = tuple(
        u.model_copy(update={"words": words, "written": evil}) if u.id == "u2" else u for u in timeline.utterances
    )
    text = page(spec, timeline.model_copy(update={"utterances": utterances}))
    assert "<script>alert" not in text
    assert text.count("<script>") == 1
    read(text)
    assert len(pictures(text)) == 2


def test_it_can_be_used_from_the_keyboard():
    attributes = read(page()).attributes
    assert ("div", "role", "slider") in attributes
    assert ("div", "tabindex", "0") in attributes
    assert "ArrowRight" in page()
    rows = re.findall(r"<li data-start=[^>]*><button", page())
    assert len(rows) == len(example().segments)


def test_it_has_a_dark_side_and_says_that_the_voices_are_synthetic():
    assert "prefers-color-scheme: dark" in page()
    assert "All voices are synthetic" in page()


def test_the_page_of_a_corpus_lists_and_links_its_conversations():
    summary = figures(example(), example_script(), NUISANCE).summary()
    row = {
        "id": "c0000",
        "title": "Train <or> car",
        "split": "test",
        "type": "task_oriented",
        "scene": "cafe",
        "snr_db": None,
        "duration_s": 14.5,
        "speakers": [{"name": "Anna"}, {"name": "Ben"}],
        "events": summary["events"],
    }
    text = corpus_page("mine", [row], {"all": summary, "failed": {"c0001": "refused"}})
    assert ("a", "href", "conversations/c0000/index.html") in read(text).attributes
    assert "Train &lt;or&gt; car" in text
    assert "c0001" in text
