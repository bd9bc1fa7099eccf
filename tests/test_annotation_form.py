"""The form in a real browser: played, answered, saved, loaded again. Needs playwright and a Chromium."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from annotation_support import make_corpus

from pipeline.annotation.answers import read_answers
from pipeline.annotation.kit import KEY, Key, Plan, order_for, write_kit

playwright = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("form")
    write_kit(make_corpus(folder / "mine"), folder / "kit", Plan(per_kind=1, none_there=1))
    return folder / "kit"


@pytest.fixture
def page(kit: Path) -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--autoplay-policy=no-user-gesture-required"])
        page = browser.new_page(accept_downloads=True)
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("request", lambda request: page.faults.append(request.url) if "file:" not in request.url[:5] else None)
        page.goto((kit / "annotator-1" / "index.html").as_uri())
        yield page
        faults = [fault for fault in page.faults if not fault.startswith(("blob:", "data:"))]
        browser.close()
    assert faults == []


def save(page: Any, path: Path) -> dict[str, Any]:
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(path)
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_answers_are_given_saved_and_read_back(kit: Path, page: Any, tmp_path: Path) -> None:
    key = Key.read(kit / KEY)
    questions = order_for(key, 1)
    for n, one in enumerate(questions):
        letter = next(letter for letter, speaker in one.letters.items() if speaker == one.speaker)
        assert page.inner_text("#asks").startswith(f"What does speaker {letter} do")
        page.click(f"#what input[value='{n % 7 + 1}']")
        page.click(f"#who input[value='{letter if n % 2 else 'nobody'}']")
        page.evaluate("audio.currentTime = 1.25")
        page.click("#mark")
        if n < len(questions) - 1:
            page.click("#on")
    assert page.inner_text("#done") == f"{len(questions)} answered"
    save(page, tmp_path / "answers-1.json")
    (found,) = read_answers([tmp_path / "answers-1.json"], key)
    assert [one.id for one in found.answers] == [one.id for one in questions]
    assert [one.category for one in found.answers] == [str(n % 7 + 1) for n in range(len(questions))]
    assert {one.boundary_s for one in found.answers} == {1.25}


def test_what_is_heard_can_be_chosen_and_plays(page: Any) -> None:
    page.wait_for_function("audio.readyState > 0 && audio.duration > 5")
    page.click("#near")
    page.wait_for_function("!audio.paused && audio.currentTime > 0.2")
    page.click("#sources label:has-text('Speaker B')")
    page.wait_for_function("audio.src.endsWith('-b.flac') && audio.currentTime > 0.2")


def test_keys_choose_mark_and_go_on(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("3")
    page.click("#who input[value='nobody']")
    page.evaluate("audio.currentTime = 2")
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text("#place").startswith("2 of")
    (answer,) = save(page, tmp_path / "some.json")["answers"]
    assert (answer["category"], answer["holder"], answer["boundary_s"]) == ("3", "nobody", 2.05)


def test_saved_answers_are_loaded_elsewhere_and_strange_ones_are_refused(kit: Path, page: Any, tmp_path: Path) -> None:
    first = order_for(Key.read(kit / KEY), 1)[0]
    given = {"id": first.id, "category": "5", "holder": "A", "boundary_s": 3.5}
    kit_id = Key.read(kit / KEY).kit
    (tmp_path / "mine.json").write_text(json.dumps({"kit": kit_id, "annotator": "1", "answers": [given]}))
    (tmp_path / "theirs.json").write_text(json.dumps({"kit": kit_id, "annotator": "2", "answers": [given]}))
    (tmp_path / "strange.json").write_text(json.dumps({"kit": "other", "answers": []}))
    page.set_input_files("#load", tmp_path / "mine.json")
    page.wait_for_function("document.getElementById('says').textContent === '1 answers loaded.'")
    assert page.is_checked("#what input[value='5']")
    assert page.inner_text("#marked") == "marked at 3.50 s"
    page.reload()
    assert page.is_checked("#what input[value='5']")
    page.set_input_files("#load", tmp_path / "strange.json")
    page.wait_for_function("document.getElementById('says').textContent.includes('another kit')")
    page.set_input_files("#load", tmp_path / "theirs.json")
    page.wait_for_function("document.getElementById('says').textContent.includes('another annotator')")
