"""Human validation: agreement by the published formulas, and a kit that tells annotators nothing."""

import doctest
import json
import math
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from annotation_support import BOUNDARY_S, CODE_OF, annotator, make_corpus, make_key

from pipeline.annotate import main
from pipeline.annotation.agreement import Agreement, agreement
from pipeline.annotation.answers import Answer, Answers
from pipeline.annotation.candidates import AFTER_S, BEFORE_S, JITTER_S, drawn
from pipeline.annotation.categories import ASKED, CATEGORIES, Category
from pipeline.annotation.kappa import category_kappa, counted, fleiss_kappa
from pipeline.annotation.kit import KEY, Key, Plan, order_for, write_kit
from pipeline.errors import ConfigError, InputError, OutputError
from pipeline.output.flac import read_flac
from pipeline.records import Span, Timeline
from pipeline.records.timeline import InnerPause
from pipeline.samples import RATE

# Agreement ---------------------------------------------------------------------------------------------------

PSYCHIATRISTS = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 "
    "333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)
"""Fleiss (1971), Table 1: diagnoses of 30 patients by six psychiatrists each."""


def test_kappa_is_that_of_the_worked_example() -> None:
    counts = counted(PSYCHIATRISTS.split(), "12345")
    assert fleiss_kappa(counts) == pytest.approx(0.430, abs=0.0005)
    found = [category_kappa(counts, n) for n in range(5)]
    assert found == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=0.001)


def test_kappa_is_one_without_disagreement_and_nothing_without_variety() -> None:
    assert fleiss_kappa(counted(["aaa", "bbb"], "ab")) == pytest.approx(1)
    assert fleiss_kappa(counted(["aaa", "aaa"], "ab")) is None
    assert category_kappa(counted(["aaa", "aaa"], "ab"), 0) is None
    assert fleiss_kappa(counted([], "ab")) is None


def test_kappa_needs_equally_many_raters() -> None:
    with pytest.raises(ValueError, match="same number of raters"):
        fleiss_kappa(counted(["aaa", "aa"], "ab"))


def expected_kappa(wrong: float, labels: int) -> float:
    """Of annotators who say another of the seven categories with probability `wrong`."""
    other = wrong / (len(CATEGORIES) - 1)
    agreeing = (1 - wrong) ** 2 + (len(CATEGORIES) - 1) * other**2
    shares = [((1 - wrong) + (labels - 1) * other) / labels if n < labels else other for n in range(len(CATEGORIES))]
    chance = sum(share**2 for share in shares)
    return (agreeing - chance) / (1 - chance)


def expected_consensus(wrong: float) -> tuple[float, float]:
    """Probability that two of three agree, and that they are right if they do."""
    others = len(CATEGORIES) - 1
    right = (1 - wrong) ** 3 + 3 * (1 - wrong) ** 2 * wrong
    alike = 1 / others
    wrong_all = wrong**3 * (1 - (1 - alike) * (1 - 2 * alike))
    wrong_two = 3 * (1 - wrong) * wrong**2 * alike
    agreed = right + wrong_all + wrong_two
    return agreed, right / agreed


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.25, 0.4])
def test_simulated_annotators_agree_as_theory_says(wrong: float) -> None:
    key = make_key(6000)
    found = agreement(key, [annotator(name, key, wrong, seed) for seed, name in enumerate("123")])
    agreed, right = expected_consensus(wrong)
    assert found.all.kappa == pytest.approx(expected_kappa(wrong, len(ASKED)), abs=0.015)
    assert found.all.consensus == pytest.approx(agreed, abs=0.015)
    assert found.all.match == pytest.approx(right, abs=0.015)
    for one in (*found.classes, *found.speakers):
        assert one.match == pytest.approx(right, abs=0.03)
    assert [one.n for one in found.classes] == [1000] * 6
    assert [one.group for one in found.speakers] == ["2 speakers", "3 speakers"]


@pytest.mark.parametrize("spread_s", [0.1, 0.4])
def test_boundaries_match_as_theory_says(spread_s: float) -> None:
    """Two normal marks differ by a normal one of sqrt(2) times their spread."""
    key = make_key(3000)
    found = agreement(key, [annotator(name, key, 0.0, seed, spread_s) for seed, name in enumerate("123")])
    assert found.all.boundary_f1 == pytest.approx(math.erf(0.5 / (2 * spread_s)), abs=0.015)
    assert found.all.to_log_f1 is not None
    assert found.all.boundary_f1 is not None
    assert found.all.to_log_f1 >= found.all.boundary_f1 - 0.01


def test_guessing_has_no_kappa() -> None:
    key = make_key(3000)
    wrong = 1 - 1 / len(CATEGORIES)
    found = agreement(key, [annotator(name, key, wrong, seed) for seed, name in enumerate("123")])
    assert found.all.kappa == pytest.approx(0, abs=0.02)


def test_an_annotator_who_hears_nothing_where_there_is_nothing_agrees_with_the_log() -> None:
    key = make_key(60, ("backchannel", "none_of_these"))
    silent = [
        Answers(kit="kit", annotator=name, answers=tuple(_answered(one.id, one.label) for one in key.candidates))
        for name in "12"
    ]
    found = agreement(key, silent)
    assert (found.all.match, found.all.boundary_f1, found.all.to_log_f1) == (1, 1, 1)
    assert [(one.group, one.boundary_f1) for one in found.classes] == [("backchannel", 1), ("none_of_these", None)]


def _answered(ident: str, label: Category) -> Answer:
    return Answer(
        id=ident, category=CODE_OF[label], holder="A", boundary_s=None if label == "none_of_these" else 8.0
    )  # fmt: skip


def test_only_what_all_have_answered_counts() -> None:
    key = make_key(100)
    whole, part = annotator("1", key, 0.1, 1), annotator("2", key, 0.1, 2)
    found = agreement(key, [whole, part.model_copy(update={"answers": part.answers[:30]})])
    assert (found.candidates, found.answered) == (100, 30)


def test_one_annotator_agrees_with_nobody() -> None:
    key = make_key(10)
    with pytest.raises(InputError, match="two annotators at least"):
        agreement(key, [annotator("1", key, 0, 1)])
    with pytest.raises(InputError, match="no candidate was answered by all"):
        agreement(key, [annotator("1", key, 0, 1), Answers(kit="kit", annotator="2", answers=())])


# The kit -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_corpus(tmp_path_factory.mktemp("annotated") / "mine")


@pytest.fixture(scope="module")
def kit(corpus: Path) -> Path:
    out = corpus.parent / "kit"
    write_kit(corpus, out, Plan(per_kind=0, none_there=3))
    return out


@pytest.fixture(scope="module")
def timeline(corpus: Path) -> Timeline:
    return Timeline.read(corpus / "conversations" / "example" / "timeline.json")


def test_the_kit_asks_about_each_event_that_is_validated(kit: Path, timeline: Timeline) -> None:
    key = Key.read(kit / KEY)
    asked = [one.event for one in key.candidates if one.event]
    assert sorted(asked) == sorted(event.id for event in timeline.events if event.kind in ASKED)
    assert sorted(path.name for path in kit.iterdir()) == ["annotator-1", "annotator-2", "annotator-3", KEY]


def data_of(page: str) -> dict[str, Any]:
    """What the form knows."""
    found = re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def test_nothing_an_annotator_gets_names_a_label_or_an_event(kit: Path, timeline: Timeline) -> None:
    words = {event.kind for event in timeline.events} - {"laughter"} | set(CATEGORIES) - {"laughter"} | {"example"}
    words |= {f'"{event.id}"' for event in timeline.events} | {speaker.name for speaker in timeline.speakers}
    for folder in kit.glob("annotator-*"):
        page = (folder / "index.html").read_text(encoding="utf-8")
        assert not [word for word in words if word in page]
        assert page.lower().count("laughter") == 1  # what it is called, once, for all questions
        for question in data_of(page)["questions"]:
            assert question.keys() == {"id", "seconds", "moment", "speaker", "files", "outlines"}
        files = [path.relative_to(folder).as_posix() for path in folder.rglob("*.*")]
        assert all(re.fullmatch(r"index\.html|clips/q[0-9a-f]{12}-(mix|[a-c])\.flac", name) for name in files)
        assert not list(folder.rglob(KEY))


def test_clips_are_the_stretch_around_the_moment(kit: Path, corpus: Path, timeline: Timeline) -> None:
    for one in Key.read(kit / KEY).candidates:
        assert abs(one.shown - one.anchor) <= JITTER_S * RATE + 1
        assert one.clip.start == max(0, one.shown - BEFORE_S * RATE)
        assert one.clip.end == min(timeline.n_samples, one.shown + AFTER_S * RATE)
        assert sorted(one.letters.values()) == ["A", "B", "C"]
        for letter, speaker in one.letters.items():
            clip, rate = read_flac(kit / "annotator-2" / "clips" / f"{one.id}-{letter.lower()}.flac")
            whole, _ = read_flac(corpus / "conversations" / "example" / "noisy" / f"{speaker}.flac")
            assert rate == RATE
            assert np.array_equal(clip, whole[one.clip.start : one.clip.end])


def test_each_annotator_has_an_order_of_their_own(kit: Path) -> None:
    key = Key.read(kit / KEY)
    orders = [[one.id for one in order_for(key, number)] for number in (1, 2, 3)]
    assert all(sorted(one) == sorted(other) and one != other for one, other in pairwise(orders))
    page = (kit / "annotator-2" / "index.html").read_text(encoding="utf-8")
    assert [question["id"] for question in data_of(page)["questions"]] == orders[1]


def test_the_same_seed_gives_the_same_kit(kit: Path, corpus: Path, tmp_path: Path) -> None:
    again = write_kit(corpus, tmp_path / "again", Plan(per_kind=0, none_there=3))
    assert again == Key.read(kit / KEY)
    assert write_kit(corpus, tmp_path / "other", Plan(per_kind=0, none_there=3, seed=2)).kit != again.kit


def test_the_holder_afterwards_is_that_of_the_log(kit: Path, timeline: Timeline) -> None:
    key = Key.read(kit / KEY)
    kinds = {event.id: event for event in timeline.events}
    for one in key.candidates:
        if one.label in ("turn_hold", "interruption"):
            assert one.holder == one.speaker
        elif one.label == "turn_yield":
            assert one.event
            later = [turn for turn in timeline.turns if turn.id == kinds[one.event].turn_id]
            position = timeline.turns.index(later[0]) + 1
            assert one.holder == (timeline.turns[position].speaker if position < len(timeline.turns) else None)
        else:
            assert one.holder != one.speaker or one.label == "none_of_these"


def test_a_kit_is_not_written_over_anything(kit: Path, corpus: Path) -> None:
    for there in (kit, corpus / "stats.json"):
        with pytest.raises(OutputError, match="is no empty folder"):
            write_kit(corpus, there, Plan())


def foils(timeline: Timeline) -> list[int]:
    """The moment without an event that each of 40 seeds draws in the first segment, where it draws one."""
    found = [one for seed in range(40) for one in drawn([timeline], 1, 9, seed) if one.event is None]
    return [one.anchor for one in found if one.speaker == timeline.segments[0].speaker]


def test_a_moment_without_an_event_is_far_from_any_pause(timeline: Timeline) -> None:
    first, rate = timeline.segments[0], timeline.rate
    bounds = Span(start=timeline.n_samples, end=timeline.n_samples + 9 * rate)
    middle = bounds.start + 4 * rate

    def spoken(*pauses: InnerPause) -> Timeline:
        segment = first.model_copy(update={"planned": bounds, "measured": bounds, "pauses": pauses})
        return timeline.model_copy(update={"segments": (segment,), "n_samples": bounds.end})

    def paused(seconds: float) -> Timeline:
        return spoken(InnerPause(planned=Span(start=middle, end=middle + round(seconds * rate))))

    def near(moments: list[int]) -> bool:
        return any(abs(at - middle) < 1.5 * rate for at in moments)

    assert near(foils(spoken()))
    assert near(foils(paused(0.1))), "nobody takes that for a hold"
    assert foils(paused(0.4))
    assert not near(foils(paused(0.4)))


def test_nothing_of_the_files_times_is_left(kit: Path) -> None:
    assert {path.stat().st_mtime for path in kit.rglob("*.flac")} == {0.0}


def test_a_corpus_without_events_has_no_kit(tmp_path: Path) -> None:
    (tmp_path / "conversations").mkdir()
    with pytest.raises(ConfigError, match="no event to ask about"):
        write_kit(tmp_path, tmp_path / "kit", Plan())


# The command -------------------------------------------------------------------------------------------------


def save(folder: Path, key: Key, count: int = 3, wrong: float = 0.2) -> list[str]:
    paths = [folder / f"answers-{n + 1}.json" for n in range(count)]
    for n, path in enumerate(paths):
        path.write_text(annotator(str(n + 1), key, wrong, n).to_json(), encoding="utf-8")
    return [str(path) for path in paths]


def test_the_command_writes_a_kit_and_reads_answers_back(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "kit"
    assert main([str(corpus), "--out", str(out), "--per-kind", "2"]) == 0
    assert "for 3 annotators" in capsys.readouterr().out
    paths = save(out / "annotator-1", Key.read(out / KEY))
    assert main(["agreement", *paths]) == 0
    printed = capsys.readouterr().out
    assert "kappa" in printed
    assert "turn yield" in printed
    assert main(["agreement", *paths, "--json"]) == 0
    found = Agreement.from_json(capsys.readouterr().out)
    assert found.annotators == ("1", "2", "3")
    assert found.answered == found.candidates


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "not a corpus"),
        (["nowhere", "--annotators", "0"], "--annotators 0"),
        (["agreement", "nowhere/answers.json"], "no key.json there"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kit": "another"}, "answers of kit another"),
        ({"annotator": "1"}, "annotator 1 is there already"),
        ({"answers": "twice"}, "comes twice"),
        ({"answers": "unknown"}, "is to nothing in the kit"),
        ({"answers": "letter"}, "there is no speaker 'H'"),
    ],
)
def test_answers_that_do_not_fit_are_refused(
    change: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = make_key(4)
    (tmp_path / KEY).write_text(key.to_json(), encoding="utf-8")
    paths = save(tmp_path, key, 2)
    data = json.loads(Path(paths[1]).read_text())
    first = data["answers"][0]
    odd = {"twice": [first, first], "unknown": [first | {"id": "q999"}], "letter": [first | {"holder": "H"}]}
    data |= {"answers": odd[change["answers"]]} if "answers" in change else change
    Path(paths[1]).write_text(json.dumps(data))
    assert main(["agreement", *paths]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


def test_the_spread_of_simulated_marks_is_within_the_window() -> None:
    """What the other tests rest on: marks of the default spread nearly always match."""
    assert math.erf(0.5 / (2 * BOUNDARY_S)) > 0.9


@pytest.mark.parametrize("name", ["kappa", "agreement"])
def test_examples_in_docstrings_hold(name: str) -> None:
    tested = doctest.testmod(import_module(f"pipeline.annotation.{name}"))
    assert tested.attempted
    assert not tested.failed
