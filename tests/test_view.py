"""The page for looking at a corpus says what the records say, is the same twice, and takes nothing else's place."""

import base64
import doctest
import json
import re
import shutil
import threading
import urllib.error
import urllib.request
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from command_support import pipeline, sums
from corpus_support import duo
from floor_support import example, timelines
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from viewer_support import data_of, pair_corpus, predictions

from pipeline import load_corpus
from pipeline.evaluation.scorer import TASKS, score
from pipeline.gold import gold
from pipeline.label import words_said
from pipeline.records import Timeline
from pipeline.view import main
from pipeline.viewer.decisions import detectors_of, read_entries
from pipeline.viewer.files import ASSETS
from pipeline.viewer.peaks import hop_of, outline
from pipeline.viewer.serving import server
from pipeline.viewer.talk import talk
from pipeline.viewer.writing import write_view
from pipeline.workspace import write_text


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return pair_corpus(tmp_path_factory.mktemp("corpora") / "mine")


@pytest.fixture
def fresh(corpus, tmp_path) -> Path:
    return Path(shutil.copytree(corpus, tmp_path / "my corpus"))


def put_predictions(path: Path, corpus: Path, **how) -> Path:
    every = {one.id: one.timeline for one in load_corpus(corpus)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(predictions(every, **how)))
    return path


# What the page is given ----------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(timelines())
def test_the_page_has_every_event_and_every_word_once_and_all_of_the_gold(corpus, tmp_path, timeline):
    like = corpus / "conversations" / "example"
    folder = tmp_path / "conversations" / timeline.conversation_id
    write_text(folder / "meta.json", (like / "meta.json").read_text(encoding="utf-8"))
    write_text(folder / "timeline.json", timeline.to_json())
    write_text(folder / "gold.json", gold(timeline).to_json())
    found = talk(load_corpus(tmp_path)[timeline.conversation_id])
    assert found.events == timeline.events
    assert found.ownership == timeline.ownership
    said = Counter(
        (segment.speaker, word)
        for segment in timeline.segments
        for word in words_said(segment, timeline.utterance(segment.utterance_id))
    )
    assert Counter((speaker, word) for speaker, own in found.words.items() for word in own) == said
    assert (found.eot, found.interruption) == (gold(timeline).eot, gold(timeline).interruption)
    bounds = {(s.id, s.speaker, s.bounds.start, s.bounds.end, s.role, s.ending) for s in timeline.segments}
    assert {(s.id, s.speaker, s.start, s.end, s.role, s.ending) for s in found.stretches} == bounds
    assert len(found.stretches) == len(timeline.segments)


def test_what_is_written_is_what_the_log_says(fresh):
    write_view(load_corpus(fresh))
    for conversation in load_corpus(fresh):
        log = conversation.folder / "events.jsonl"
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        found = data_of(fresh / "view" / "data" / f"{conversation.id}.log.js")["events"]
        assert Counter(one["id"] for one in found) == Counter(str(line["id"]) for line in lines)
        assert {one["id"]: (one["onset"], one["offset"]) for one in found} == {
            line["id"]: (line["onset"], line["offset"]) for line in lines
        }


@given(arrays(np.float32, st.integers(1, 700), elements=st.floats(-1, 1, width=32)), st.integers(1, 300))
def test_no_outline_is_below_the_sound_or_more_than_a_step_above_it(samples, hop):
    found = outline(samples, hop)
    assert len(found) == -(-len(samples) // hop)
    for n, value in enumerate(found):
        greatest = float(np.abs(samples[n * hop : (n + 1) * hop]).max())
        assert greatest * 255 <= value + 1e-3
        assert int(value) - 1 < greatest * 255


def test_the_outlines_are_those_of_the_channels(fresh):
    write_view(load_corpus(fresh))
    conversation = load_corpus(fresh)["duo"]
    found = data_of(fresh / "view" / "data" / "duo.peaks.js")
    assert found["hop"] == hop_of(conversation.rate) == 240
    for kind in ("clean", "noisy"):
        for speaker in conversation.speakers:
            heard = np.frombuffer(base64.b64decode(found[kind][speaker.id]), np.uint8)
            assert np.array_equal(heard, outline(conversation.channel(speaker.id, kind), 240))


def test_the_list_has_each_conversation_with_what_its_log_counts(fresh):
    write_view(load_corpus(fresh))
    overview = data_of(fresh / "view" / "data" / "corpus.js")
    assert [row["id"] for row in overview["rows"]] == list(load_corpus(fresh).ids)
    for row in overview["rows"]:
        timeline = Timeline.read(fresh / "conversations" / row["id"] / "timeline.json")
        kinds = Counter(event.kind for event in timeline.events)
        assert {kind: count for kind, count in row["events"].items() if count} == kinds
    assert {row["id"]: row["pair"]["sibling"] for row in overview["rows"] if "pair" in row} == {
        "c0001.a": "c0001.b",
        "c0001.b": "c0001.a",
    }
    assert overview["totals"]["conversations"] == "5"


def test_figures_are_drawn_beside_their_targets(fresh):
    write_view(load_corpus(fresh))
    overview = data_of(fresh / "view" / "data" / "corpus.js")
    assert f"{len(overview['figures'])} figures compared" in overview["headline"]
    for figure in overview["figures"]:
        assert figure["low"] <= figure["target"] <= figure["high"]
        assert figure["missed"] == (figure["verdict"] == "MISSED")
    assert not overview["plots"]
    write_text(fresh / "report" / "rates.png", "drawn by the report")
    write_text(fresh / "report" / "index.html", "the report")
    write_view(load_corpus(fresh))
    overview = data_of(fresh / "view" / "data" / "corpus.js")
    assert [plot["path"] for plot in overview["plots"]] == ["../report/rates.png"]
    assert overview["report"] == "../report/index.html"


def test_sound_is_referred_to_and_not_copied(fresh):
    out = fresh.parent / "elsewhere" / "page"
    write_view(load_corpus(fresh), out)
    way = data_of(out / "data" / "corpus.js")["sound"]
    assert way == "../../my%20corpus/conversations"
    assert (out / way.replace("%20", " ") / "duo" / "mix.flac").is_file()
    assert not list(out.rglob("*.flac"))
    assert not (fresh / "view").exists()


# Predictions ---------------------------------------------------------------------------------------------------


def test_what_became_of_decisions_is_what_the_scorer_counts(fresh, tmp_path):
    # Of speaker_1 of the example: in the hold (EOT) and in the laugh (INT), in nothing, and a yield that is found late.
    file = put_predictions(tmp_path / "mine.json", fresh, stray_s=(3.2, 6.1, 9.9, 14.0))
    entries = read_entries([("mine", file)], load_corpus(fresh).ids)
    outcomes = Counter()
    for conversation in load_corpus(fresh):
        (found,) = detectors_of(conversation, entries)
        given = {speaker.id: {task: [] for task in TASKS} for speaker in conversation.speakers}
        for decision in found.decisions:
            given[decision.speaker][decision.task].append(decision.time_s)
        scores = score(conversation.gold, given)
        total = scores["eot"] + scores["interruption"]
        counts = Counter(decision.outcome for decision in found.decisions)
        assert counts["hit"] == len(found.latency_ms) == total.true_positives
        assert len(found.missed) == total.misses
        assert len(found.fired) == total.false_positives
        assert sorted(found.latency_ms.values()) == sorted(total.latencies_ms)
        assert (counts["false_alarm"] > 0) == (total.false_positives > 0)
        outcomes += counts
    assert set(outcomes) == {"hit", "false_alarm", "other"}


def test_a_folder_of_predictions_is_all_its_files_and_a_detector_may_lack_conversations(fresh, tmp_path):
    put_predictions(tmp_path / "two" / "one.json", fresh)
    (tmp_path / "two" / "half.json").write_text(json.dumps(predictions({"duo": duo()})))
    assert main([str(fresh), "--predictions", str(tmp_path / "two")]) == 0
    data = fresh / "view" / "data"
    assert data_of(data / "corpus.js")["detectors"] == ["half", "one"]
    assert [one["name"] for one in data_of(data / "duo.log.js")["detectors"]] == ["half", "one"]
    assert [one["name"] for one in data_of(data / "example.log.js")["detectors"]] == ["one"]


# Again ---------------------------------------------------------------------------------------------------------


def test_a_second_page_has_the_same_bytes_and_leaves_the_corpus_alone(fresh):
    before = sums(fresh, ".")
    assert write_view(load_corpus(fresh)).outlines == 5
    first = sums(fresh, ".")
    assert {path for path in first if path not in before} == {path for path in first if path.startswith("view/")}
    assert {path: first[path] for path in before} == before
    assert write_view(load_corpus(fresh)).outlines == 0
    assert sums(fresh, ".") == first
    shutil.rmtree(fresh / "view")
    write_view(load_corpus(fresh))
    assert sums(fresh, ".") == first


def test_only_what_changed_is_drawn_again_and_what_is_gone_goes(fresh, tmp_path):
    write_view(load_corpus(fresh))
    channel = fresh / "conversations" / "duo" / "noisy" / "A.flac"
    shutil.copyfile(fresh / "conversations" / "duo" / "noisy" / "B.flac", channel)
    assert write_view(load_corpus(fresh)).outlines == 1
    file = put_predictions(tmp_path / "mine.json", fresh)
    entries = read_entries([("mine", file)], load_corpus(fresh).ids)
    assert write_view(load_corpus(fresh), entries=entries).outlines == 0
    write_text(fresh / "view" / "assets" / "of-an-older-page.js", "")
    assert main([str(fresh), "--only", "duo"]) == 0
    assert not (fresh / "view" / "assets" / "of-an-older-page.js").exists()
    assert {path.name for path in (fresh / "view" / "data").iterdir()} == {"corpus.js", "duo.log.js", "duo.peaks.js"}


def test_the_waveform_library_comes_with_its_licence(fresh):
    write_view(load_corpus(fresh))
    shipped = fresh / "view" / "assets"
    assert "BSD 3-Clause" in (shipped / "wavesurfer.LICENSE.txt").read_text(encoding="utf-8")
    assert (shipped / "wavesurfer.min.js").read_bytes() == (ASSETS / "wavesurfer.min.js").read_bytes()


# Bad input -----------------------------------------------------------------------------------------------------


def half_made(corpus: Path) -> list[str]:
    (corpus / "conversations" / "duo" / "noisy" / "B.flac").unlink()
    return [str(corpus)]


def without_meta(corpus: Path) -> list[str]:
    (corpus / "conversations" / "duo" / "meta.json").unlink()
    return [str(corpus)]


def of_another(corpus: Path) -> list[str]:
    (corpus / "conversations" / "duo" / "gold.json").write_text("{}")
    return [str(corpus)]


def taken(corpus: Path) -> list[str]:
    write_text(corpus / "view" / "index.html", "<p>mine</p>")
    return [str(corpus)]


def unknown_prediction(corpus: Path) -> list[str]:
    (corpus / "p.json").write_text(json.dumps(predictions({"c9999": example()})))
    return [str(corpus), "--predictions", str(corpus / "p.json")]


def twice(corpus: Path) -> list[str]:
    file = put_predictions(corpus / "p.json", corpus)
    return [str(corpus), "--predictions", f"a={file}", "--predictions", f"a={file}"]


def no_predictions(corpus: Path) -> list[str]:
    (corpus / "none").mkdir()
    return [str(corpus), "--predictions", str(corpus / "none")]


BAD = {
    half_made: r"duo: half made, without noisy/B\.flac; .*--only",
    without_meta: r"duo: half made, without meta\.json; .*--only",
    of_another: r"gold\.json: not a valid Gold",
    taken: r"view: holds something else .*another folder",
    unknown_prediction: r"p\.json: conversation 'c9999' is not in the corpus",
    twice: r"detector 'a' comes twice",
    no_predictions: r"none: no predictions there",
    (lambda corpus: [str(corpus), "--only", "duo,c77"]): r"--only c77: not in",
    (lambda corpus: [str(corpus / "conversations")]): r"not a corpus",
    (lambda corpus: [str(corpus / "nowhere")]): r"not a corpus",
    (lambda corpus: [str(corpus), "--serve", "--port", "99999999"]): r"--port 99999999: cannot be listened on",
}


@pytest.mark.parametrize(("bad", "says"), BAD.items(), ids=lambda one: getattr(one, "__name__", None))
def test_bad_input_is_one_line_that_names_it(fresh, capsys, bad, says):
    arguments = bad(fresh)
    capsys.readouterr()
    assert main(arguments) == 2
    *before, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ")
    assert re.search(says, last), last
    assert not any(line.startswith(("Traceback", "error")) for line in before)


def test_nothing_is_written_where_a_conversation_is_half_made_unless_it_is_left_out(fresh):
    arguments = half_made(fresh)
    assert main(arguments) == 2
    assert not (fresh / "view").exists()
    assert main([*arguments, "--only", "example"]) == 0


def test_the_command_says_where_the_page_is(corpus, tmp_path):
    done = pipeline(str(corpus), str(tmp_path / "page"), "--json", module="pipeline.view")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"page": str(tmp_path / "page" / "index.html"), "conversations": 5, "outlines": 5}
    assert "duo drawn [3/5]" in done.stderr


# Served --------------------------------------------------------------------------------------------------------


@pytest.fixture
def served(fresh):
    """A page beside its corpus, so that the folder above both is above the server, too."""
    out = fresh.parent / "page"
    write_view(load_corpus(fresh), out)
    write_text(fresh.parent / "secret.txt", "not of the corpus")
    (fresh / "link.txt").symlink_to(fresh.parent / "secret.txt")
    found, address = server(fresh, out, 0)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield fresh, address
    found.shutdown()
    found.server_close()
    thread.join()


def asked(address: str, **headers: str):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:  # noqa: S310
        return answer.status, dict(answer.headers), answer.read()


def test_the_page_and_ranges_of_the_sound_are_served_to_this_machine(served):
    corpus, address = served
    assert address.startswith("http://127.0.0.1:")
    assert asked(address)[2] == (corpus.parent / "page" / "index.html").read_bytes()
    sound = (corpus / "conversations" / "duo" / "mix.flac").read_bytes()
    place = address + data_of(corpus.parent / "page" / "data" / "corpus.js")["sound"] + "/duo/mix.flac"
    status, headers, body = asked(place)
    assert (status, body, headers["Accept-Ranges"]) == (200, sound, "bytes")
    status, headers, body = asked(place, Range="bytes=100-199")
    assert (status, body, headers["Content-Range"]) == (206, sound[100:200], f"bytes 100-199/{len(sound)}")
    assert asked(place, Range="bytes=5000-")[2] == sound[5000:]


@pytest.mark.parametrize("place", ["../secret.txt", "../", "../my%20corpus/link.txt", "../page/%2e%2e/secret.txt"])
def test_nothing_else_is_served(served, place):
    _, address = served
    with pytest.raises(urllib.error.HTTPError, match="404"):
        asked(address + place)


@pytest.mark.parametrize("name", ["files", "places"])
def test_the_examples_in_the_documentation_are_true(name):
    assert doctest.testmod(import_module(f"pipeline.viewer.{name}")).failed == 0
