"""The page for looking at a corpus in a real browser: played, filtered, steered. Needs playwright and a Chromium."""

import io
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from viewer_support import data_of, long_talk, pair_corpus, predictions, put_talk

from pipeline import load_corpus
from pipeline.view import main
from pipeline.viewer.files import put, script
from pipeline.viewer.records import Overview
from pipeline.viewer.serving import server

playwright = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

PAGE = "turnfloor.app.page"
SOUND = f"{PAGE}.stage.sound"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of five small conversations and of ten minutes of five speakers, with predictions laid over them."""
    corpus = pair_corpus(tmp_path_factory.mktemp("looked at") / "mine")
    put_talk(corpus, long_talk())
    every = {one.id: one.timeline for one in load_corpus(corpus) if one.id in ("duo", "example")}
    every["long"] = long_talk()
    (corpus / "late.json").write_text(json.dumps(predictions(every, stray_s=(3.2, 6.1, 9.9))))
    assert (
        main(
            [
                str(corpus),
                "--only",
                "c0001.a,c0001.b,duo,example,long,odd.a",
                "--predictions",
                str(corpus / "late.json"),
            ]
        )
        == 0
    )
    return corpus / "view"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=["--autoplay-policy=no-user-gesture-required"])
        yield found
        found.close()


class Opened:
    """A page that was opened, and all that went wrong on it."""

    def __init__(self, browser: Any, view: Path, **how: Any) -> None:
        self.view = view
        self.page = browser.new_page(viewport={"width": 1400, "height": 1000}, **how)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console", lambda said: self.faults.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "about:", "http://127.0.0.1:")):
            self.faults.append(request.url)

    def at(self, place: str = "") -> Any:
        """The page at this place of its address, when it is drawn."""
        self.page.goto((self.view / "index.html").as_uri() + place)
        self.page.wait_for_function("turnfloor.app && !document.querySelector('main:not([hidden])')?.inert")
        self.page.evaluate("turnfloor.app.ready")
        if place.startswith("#c="):
            self.page.wait_for_function(f"{PAGE}.stages.every((s) => s.lanes.every((l) => l.ready)) && !{PAGE}.stale")
        return self.page


@pytest.fixture
def opened(browser: Any, view: Path) -> Iterator[Opened]:
    found = Opened(browser, view)
    yield found
    found.page.close()
    assert found.faults == []


def wait(page: Any, condition: str) -> None:
    page.wait_for_function(condition, timeout=60_000)


def shown_rows(page: Any) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('#rows tbody tr:not([hidden])')].map((r) => r.dataset.id)"
    )
    return found


# The list ------------------------------------------------------------------------------------------------------


def test_the_list_is_filtered_and_the_address_keeps_the_filter(opened: Opened) -> None:
    page = opened.at()
    assert page.inner_text("#shown") == "6 of 6"
    page.select_option("select[name=speakers]", "3")
    assert shown_rows(page) == ["c0001.a", "c0001.b", "example", "odd.a"]
    page.check("input[name=pairs]")
    assert shown_rows(page) == ["c0001.a", "c0001.b"]
    page.uncheck("input[name=pairs]")
    page.fill("input[name=q]", "odd anna")
    assert shown_rows(page) == ["odd.a"]
    assert page.inner_text("#shown") == "1 of 6"
    page.reload()
    page.evaluate("turnfloor.app.ready")
    assert shown_rows(page) == ["odd.a"]
    page.fill("input[name=q]", "nobody like this")
    assert page.is_visible("#nothing")
    page.click("button[type=reset]")
    wait(page, "document.getElementById('shown').textContent === '6 of 6'")


def test_the_list_is_sorted_by_a_column_and_says_so(opened: Opened) -> None:
    page = opened.at()
    page.click("th button:has-text('Length')")
    lengths = page.evaluate("turnfloor.app.list.rows.map((r) => r.row.duration_s)")
    assert lengths == sorted(lengths, reverse=True)
    assert shown_rows(page)[0] == "long"
    assert page.get_attribute("th:has(button:has-text('Length'))", "aria-sort") == "descending"


def test_a_line_leads_to_its_conversation_and_back_to_the_same_list(opened: Opened) -> None:
    page = opened.at("#speakers=3")
    page.click("a:has-text('Train or car')")
    wait(page, f"{PAGE}.stages.length === 1")
    assert page.inner_text("#place").endswith("1 of 4 listed")
    page.click("#after")
    wait(page, f"{PAGE}.stages[0]?.talk.id === 'c0001.b'")
    page.keyboard.press("Escape")
    wait(page, "!document.getElementById('list').hidden")
    assert shown_rows(page) == ["c0001.a", "c0001.b", "example", "odd.a"]


def test_an_unknown_conversation_in_the_address_is_said(opened: Opened) -> None:
    page = opened.page
    page.goto((opened.view / "index.html").as_uri() + "#c=c9999")
    wait(page, "!document.getElementById('nothing').hidden")
    assert page.inner_text("#nothing") == "No conversation c9999 on this page."


# Sound ---------------------------------------------------------------------------------------------------------


def test_it_plays_and_the_cursor_moves_along_and_stops(opened: Opened) -> None:
    page = opened.at("#c=duo")
    before = page.evaluate(f"{PAGE}.stage.cursor.style.transform")
    page.click("#play")
    wait(page, f"{PAGE}.time > 0.5")
    assert page.evaluate(f"{PAGE}.stage.cursor.style.transform") != before
    page.keyboard.press("Space")
    assert not page.evaluate(f"{PAGE}.playing")
    assert "&t=" in page.url
    assert page.evaluate(f"[...{SOUND}.elements.values()].every((a) => a.paused)")


def test_playing_from_near_the_end_stops_there(opened: Opened) -> None:
    page = opened.at("#c=example&t=14.1")
    page.keyboard.press("Space")
    wait(page, f"!{PAGE}.playing")
    assert page.evaluate(f"{PAGE}.time") == 14.5


def test_clicks_seek_in_the_lanes_and_in_the_whole(opened: Opened) -> None:
    page = opened.at("#c=long")
    page.click("canvas.strip", position={"x": page.evaluate(f"{PAGE}.stage.strip.clientWidth") / 2, "y": 20})
    assert page.evaluate(f"{PAGE}.time") == pytest.approx(page.evaluate(f"{PAGE}.stage.duration") / 2, abs=1)
    page.click("canvas.floor", position={"x": 200, "y": 30})
    assert page.evaluate(f"{PAGE}.time") == pytest.approx(page.evaluate(f"{PAGE}.view.start") + 2.0, abs=0.02)


def test_solo_mute_clean_and_noisy_choose_the_files_that_are_heard(opened: Opened) -> None:
    page = opened.at("#c=example")
    heard = f"{SOUND}.files()"
    assert page.evaluate(heard) == ["mix.flac"]
    page.click("#clean")
    assert page.evaluate(heard) == ["clean/A.flac", "clean/B.flac", "clean/C.flac"]
    page.click("button[aria-label='Mute Ben']")
    assert page.evaluate(heard) == ["clean/A.flac", "clean/C.flac"]
    page.click("button[aria-label='Solo Ben']")
    assert page.evaluate(heard) == ["clean/B.flac"]
    page.keyboard.press("n")
    assert page.evaluate(heard) == ["noisy/B.flac"]
    assert page.get_attribute("#noisy", "aria-pressed") == "true"
    page.click("button[aria-label='Solo Ben']")
    page.keyboard.press("Shift+Digit2")
    assert page.evaluate(heard) == ["mix.flac"]
    page.keyboard.press("3")
    assert page.evaluate(heard) == ["noisy/C.flac"]


def test_channels_stay_together_and_one_that_joins_joins_where_the_others_are(opened: Opened) -> None:
    page = opened.at("#c=long&t=100")
    page.click("#clean")
    page.click("#play")
    wait(page, f"{SOUND}.active().length === 5 && {SOUND}.active().every((a) => a.currentTime > 101)")
    page.keyboard.press("Shift+Digit1")
    page.wait_for_timeout(300)
    page.keyboard.press("Shift+Digit1")
    wait(page, f"{PAGE}.time > 104 && {SOUND}.drift() < 0.02")
    assert page.evaluate(f"{SOUND}.active().every((a) => !a.paused && a.currentTime > 103)")


def test_served_to_this_machine_it_plays_from_anywhere_in_the_sound(opened: Opened) -> None:
    found, address = server(opened.view.parent, opened.view, 0)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    page = opened.page
    page.goto(address + "#c=long&t=300")
    wait(page, f"{PAGE}?.stages.length === 1")
    page.click("#clean")
    page.click("#play")
    wait(page, f"{SOUND}.active().every((a) => a.currentTime > 300.5)")
    page.evaluate(f"{PAGE}.seek(500)")
    wait(page, f"{SOUND}.active().every((a) => a.currentTime > 500.5)")
    page.goto("about:blank")
    found.shutdown()
    found.server_close()
    thread.join()


# Events --------------------------------------------------------------------------------------------------------


def test_every_event_is_listed_once_with_what_the_gold_and_the_detector_make_of_it(opened: Opened) -> None:
    page = opened.at("#c=example")
    log = data_of(opened.view / "data" / "example.log.js")
    rows = page.evaluate(
        "[...document.querySelectorAll('#events tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    )
    assert len(rows) == len(log["events"])
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    found = {row[2][2:]: row[4:] for row in rows}
    assert found["Interruption"] == ["INT positive", "✓ +300 ms"]
    assert found["Failed claim"] == ["excluded from INT", ""]
    assert found["Backchannel"] == ["INT hard negative", ""]
    assert found["Laughter"] == ["INT hard negative", "✕ fired"]
    assert found["Hold"] == ["EOT hard negative", "✕ fired"]
    page.click("#kinds button:has-text('Yield')")
    assert "Yield" not in page.inner_text("#events tbody")


def test_keys_go_from_event_to_event_and_each_has_a_link(opened: Opened) -> None:
    page = opened.at("#c=example")
    ids = []
    for _ in range(9):
        page.keyboard.press(".")
        ids.append(page.evaluate(f"{PAGE}.chosen.event.id"))
    assert ids == ["e1", "e2", "e3", "e4", "e6", "e5", "e8", "e7", "e7"]
    page.keyboard.press(",")
    assert page.evaluate(f"{PAGE}.chosen.event.id") == "e8"
    assert page.inner_text("#chosen").startswith("e8 · Anna · Laughter · 9.600 to 10.400 s · planned 9.605")
    link = page.get_attribute("#link", "href")
    assert link == "#c=example&t=9.60&e=e8"
    again = opened.at(link)
    assert again.evaluate(f"[{PAGE}.chosen.event.id, {PAGE}.time]") == ["e8", 9.6]


def test_a_sign_is_chosen_by_a_click(opened: Opened) -> None:
    page = opened.at("#c=example")
    lane = f"{PAGE}.stage.lanes[2].canvas"
    box = page.evaluate(f"{lane}.getBoundingClientRect().toJSON()")
    hit = page.evaluate(f"{PAGE}.stage.hits.get({lane}).find((h) => h.event.id === 'e6')")
    place = box["left"] + hit["left"] + 9, box["top"] + hit["top"] + 8
    page.mouse.move(*place)
    assert "Interruption" in page.evaluate(f"{PAGE}.stage.lanes[2].canvas.title")
    page.mouse.click(*place)
    assert page.evaluate(f"{PAGE}.chosen.event.id") == "e6"
    assert page.get_attribute("#events tr.now", "aria-current") == "true"


def test_a_loop_on_an_event_comes_back(opened: Opened) -> None:
    page = opened.at("#c=example&e=e1")
    page.keyboard.press("l")
    start, end = page.evaluate(f"[{PAGE}.loop.from, {PAGE}.loop.to]")
    assert start < 1.9 < 2.35 < end
    assert page.evaluate(f"{PAGE}.time") == start
    page.evaluate(f"{PAGE}.seek({end} - 0.4)")
    page.keyboard.press("Space")
    wait(page, f"{PAGE}.time < {start} + 0.5")
    assert page.evaluate(f"{PAGE}.playing")
    page.keyboard.press("l")
    wait(page, f"{PAGE}.time > {end}")


# Keys and views ------------------------------------------------------------------------------------------------


FOCUS = "[document.activeElement].map((e) => e.id || e.className || e.getAttribute('aria-label'))[0]"


def test_the_keyboard_is_enough(opened: Opened) -> None:
    page = opened.at()
    page.keyboard.press("/")
    wait(page, "document.activeElement.name === 'q'")
    page.keyboard.type("example")
    page.keyboard.press("Escape")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#rows tbody') !== null"):
            break
    page.keyboard.press("Enter")
    wait(page, f"{PAGE}.stages[0]?.talk.id === 'example' && {PAGE}.stages[0].lanes[0].ready")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{PAGE}.time") == 2
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(f"{PAGE}.time") == 11
    page.keyboard.press("Home")
    before = page.evaluate(f"{PAGE}.view.scale")
    page.keyboard.press("+")
    assert page.evaluate(f"{PAGE}.view.scale") == pytest.approx(1.5 * before)
    page.keyboard.press("0")
    assert page.evaluate(f"[{PAGE}.view.start, {PAGE}.view.span]") == pytest.approx([0, 14.5])
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")
    assert page.is_visible("#talk")
    focus = []
    for _ in range(30):
        page.keyboard.press("Tab")
        focus.append(page.evaluate(FOCUS))
    assert {"play", "noisy", "loop", "fit", "strip", "Solo Anna", "Mute Carla"} <= set(focus)


def test_the_wheel_zooms_about_the_pointer_and_a_drag_moves(opened: Opened) -> None:
    page = opened.at("#c=long&t=300")
    box = page.locator("canvas.floor").bounding_box()
    page.mouse.move(box["x"] + 500, box["y"] + 30)
    under = f"{PAGE}.view.start + 500 / {PAGE}.view.scale"
    before, scale = page.evaluate(under), page.evaluate(f"{PAGE}.view.scale")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -150)
    page.keyboard.up("Control")
    wait(page, f"{PAGE}.view.scale > {scale} * 1.2")
    assert page.evaluate(under) == pytest.approx(before, abs=0.05)
    start = page.evaluate(f"{PAGE}.view.start")
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 30, steps=4)
    page.mouse.up()
    assert page.evaluate(f"{PAGE}.view.start") == pytest.approx(
        start + 200 / page.evaluate(f"{PAGE}.view.scale"), abs=0.02
    )


@pytest.mark.parametrize(("scale", "start"), [(90, 1.0), (150, 2.5), (390, 7.77)])
def test_waveforms_stand_where_the_log_says_at_any_zoom(opened: Opened, scale: float, start: float) -> None:
    page = opened.at("#c=example&t=14")
    page.click("#clean")
    page.evaluate(f"Object.assign({PAGE}.view, {{ scale: {scale}, start: {start} }}), {PAGE}.pan({start})")
    page.wait_for_timeout(500)
    wait(page, f"!{PAGE}.stale")
    box = page.evaluate(f"{PAGE}.stage.lanes[2].canvas.getBoundingClientRect().toJSON()")
    clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": 44}
    seen = np.asarray(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")).astype(int)
    colour = np.array([0x15, 0x79, 0x5B])  # of the third speaker, in light
    loud = (np.abs(seen[[18, 26]] - colour).sum(axis=2) < 60).all(axis=0)  # off the middle
    onset, offset = ((s - start) * scale for s in (8.40, 11.20))  # of the turn of C that interrupts
    before = (2.95 - start) * scale, (3.90 - start) * scale  # of its failed claim
    columns = np.flatnonzero(loud)
    own = columns[columns > before[1] + 20]
    assert own[0] == pytest.approx(onset, abs=0.025 * scale + 2)
    assert own[-1] == pytest.approx(min(offset, box["width"] - 1), abs=0.06 * scale + 2)
    if before[0] > 0:
        assert columns[0] == pytest.approx(before[0], abs=0.025 * scale + 2)


def test_members_of_a_pair_stand_side_by_side_in_one_window(opened: Opened) -> None:
    page = opened.at("#c=c0001.a")
    page.click("#beside")
    wait(page, f"{PAGE}.stages.length === 2 && {PAGE}.stages.every((s) => s.lanes.every((l) => l.ready))")
    a, b = (data_of(opened.view / "data" / f"c0001.{member}.log.js") for member in "ab")
    assert page.evaluate(f"{PAGE}.stages.map((s) => s.talk.id)") == ["c0001.a", "c0001.b"]
    assert page.evaluate(f"{PAGE}.time") == pytest.approx(a["pair"]["fork"] / a["rate"] - 4, abs=0.01)
    assert page.inner_text(".stage.heard .stage-title").endswith("Member a · c0001.a · the floor stays")
    page.keyboard.press("Space")
    wait(page, f"{PAGE}.time > 1 && {PAGE}.stages[0].sound.playing")
    page.keyboard.press("o")
    assert page.evaluate(f"{PAGE}.stages.map((s) => s.sound.playing)") == [False, True]
    wait(page, f"{PAGE}.stages[1].sound.active()[0].currentTime > {a['pair']['fork'] / a['rate']} - 4")
    page.keyboard.press("Space")
    assert "#c=c0001.a&pair=1&m=c0001.b" in page.url
    assert page.evaluate("document.querySelectorAll('#events tbody tr').length") == len(b["events"])
    again = opened.at("#c=c0001.a&pair=1&m=c0001.b&e=" + b["pair"]["event_id"])
    assert again.evaluate(f"[{PAGE}.heard, {PAGE}.chosen.event.id]") == [1, b["pair"]["event_id"]]
    again.keyboard.press("b")
    wait(again, f"{PAGE}.stages.length === 1")


def test_light_and_dark_differ_and_what_is_drawn_does_with_them(opened: Opened) -> None:
    page = opened.at("#c=example")
    looks = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        wait(page, f"!{PAGE}.stale")
        page.wait_for_timeout(200)
        looks.append(
            page.evaluate(f"[getComputedStyle(document.body).backgroundColor, {PAGE}.stage.floor.toDataURL()]")
        )
    assert looks[0][0] != looks[1][0]
    assert looks[0][1] != looks[1][1]


def test_a_narrow_window_scrolls_in_no_direction_but_down(browser: Any, view: Path) -> None:
    opened = Opened(browser, view)
    opened.page.set_viewport_size({"width": 390, "height": 800})
    for place in ("", "#c=long&t=30"):
        page = opened.at(place)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    opened.page.close()
    assert opened.faults == []


# Smooth --------------------------------------------------------------------------------------------------------

REDRAWS = """(count) => { const page = turnfloor.app.page, begin = performance.now();
  for (let n = 0; n < count; n++) {
    page.view.start += 0.5;
    page.view.clamp();
    page.stages.forEach((stage) => stage.draw(page.colours));
  }
  return (performance.now() - begin) / count; }"""


def test_ten_minutes_of_five_are_drawn_as_fast_as_a_short_talk_with_as_much_in_the_window(opened: Opened) -> None:
    page = opened.at("#c=long&t=300")
    whole = sum(len(data_of(opened.view / "data" / "long.log.js")[part]) for part in ("events", "stretches"))
    assert whole > 400
    drawn = page.evaluate(f"{PAGE}.stage.drawn")
    assert 20 < drawn < 250, "what is outside the window is not drawn"
    long_ms = min(page.evaluate(REDRAWS, 20) for _ in range(3))
    lanes = 5
    page = opened.at("#c=example&t=2")
    short_ms = min(page.evaluate(REDRAWS, 20) for _ in range(3))
    assert long_ms / lanes < 4 * short_ms / 3, f"{long_ms:.2f} ms a redraw of five lanes, {short_ms:.2f} ms of three"


FRAMES = """(ms) => new Promise((done) => { let count = 0; const end = performance.now() + ms;
  const one = () => { count++; if (performance.now() < end) requestAnimationFrame(one); else done(count); };
  one(); })"""


def test_playing_ten_minutes_of_five_keeps_the_frames_of_an_idle_page(opened: Opened) -> None:
    page = opened.at("#c=long&t=300")
    idle = page.evaluate(FRAMES, 3000)
    page.click("#clean")
    page.keyboard.press("Space")
    wait(page, f"{PAGE}.time > 300.3")
    playing = page.evaluate(FRAMES, 3000)
    draws = page.evaluate(f"{PAGE}.draws")
    assert playing > idle / 3, f"{playing} frames while it plays, {idle} while it does not"
    wait(page, f"{PAGE}.time > 304")
    assert page.evaluate(f"{PAGE}.draws") - draws < 10, "the lanes are not drawn again for every frame"


FILTERS = """() => {
  const begin = performance.now(), form = document.getElementById("filter"), texts = ["t", "tr", "tra", "train 1", ""];
  for (const text of texts) {
    form.q.value = text;
    form.dispatchEvent(new Event("input"));
    document.body.offsetHeight;
  }
  return (performance.now() - begin) / texts.length; }"""


def test_240_lines_are_filtered_within_a_few_frames(opened: Opened, tmp_path: Path) -> None:
    shutil.copytree(opened.view, tmp_path / "view")
    overview = Overview.model_validate(data_of(opened.view / "data" / "corpus.js"))
    rows = [
        row.model_copy(update={"id": f"c{n:04d}", "title": f"{row.title} {n}"})
        for n, row in enumerate(overview.rows * 40)
    ]
    put(
        tmp_path / "view" / "data" / "corpus.js",
        script("turnfloor.corpus", overview.model_copy(update={"rows": tuple(rows)})),
    )
    opened.view = tmp_path / "view"
    page = opened.at()
    assert page.inner_text("#shown") == "240 of 240"
    taken = min(page.evaluate(FILTERS) for _ in range(3))
    frame = 3000 / page.evaluate(FRAMES, 3000)
    assert taken < 8 * frame, f"{taken:.1f} ms to filter, {frame:.1f} ms a frame"
