"""The data card of a corpus: catalogues read it, it names every part's terms, and it has the same bytes each time."""

import json
import shutil

import pytest
import yaml
from corpus_support import duo, example_corpus
from floor_support import example

from pipeline.card.__main__ import main
from pipeline.card.croissant import EVENTS
from pipeline.card.facts import read_facts
from pipeline.card.features import EVENTS as COLUMNS
from pipeline.card.sources import notices_of
from pipeline.card.writing import write_again
from pipeline.compose import composed, settings_from
from pipeline.errors import InputError
from pipeline.output.corpus import About, finish_corpus
from pipeline.output.events import event_line
from pipeline.records.timeline import BoundaryTone, CutWord, Lift, Links
from pipeline.request import write_request
from pipeline.workspace import sha256_of

KEYBOARD = {
    "id": "keyboard-typing",
    "title": "keyboard typing",
    "licence": "CC BY 4.0",
    "attribution": "Anton (freesound.org)",
    "url": "https://freesound.org/s/137/",
}
OWN = {"id": "cafe", "licence": "Apache-2.0", "attribution": "turnfloor, synthesised"}
PUBLICATION = (
    *("--url", "https://example.org/mine", "--creator", "A. Maker", "--licence", "CC-BY-4.0"),
    *("--version", "1.0.0", "--published", "2026-11-30", "--citation", "A. Maker: mine, 2026."),
)
FORMATS = "300 MB with what it needs: pip install -e '.[formats]'"
ONNX = "kokoro-onnx/6e742170/onnxruntime-1.32.0"


def change_meta(corpus, ident, **more):
    path = corpus / "conversations" / ident / "meta.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | more))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished corpus of two conversations, one with a recorded noise clip, spoken by Kokoro by name."""
    corpus = example_corpus(tmp_path_factory.mktemp("corpora") / "mine", (example(), duo()))
    clips = {"nuisance": [{"kind": "effect", "clip": KEYBOARD}, {"kind": "bed", "clip": OWN}]}
    change_meta(corpus, "example", voice_model=ONNX, nuisance=clips, generator={"version": "0.1.0"})
    change_meta(corpus, "duo", voice_model=ONNX, generator={"version": "0.1.0"})
    write_request(corpus, settings_from(composed(["n=2", "script=file", "script.path=mine.json", "split=both"])))
    finish_corpus(corpus, About())
    write_again(corpus)
    return corpus


@pytest.fixture
def copy(made, tmp_path):
    return shutil.copytree(made, tmp_path / "mine")


def front(corpus):
    _, block, rest = (corpus / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(block), rest


def metadata(corpus):
    return json.loads((corpus / "croissant.json").read_text(encoding="utf-8"))


def test_the_front_matter_is_the_hubs(made):
    found, _ = front(made)
    assert found["pretty_name"] == "mine"
    assert found["language"] == ["en"]
    assert found["size_categories"] == ["n<1K"]
    assert "synthetic" in found["tags"]
    # Terms of the user's words are the user's; the keyboard's are Creative Commons'.
    assert (found["license"], found["license_name"]) == ("other", "cc-by-4.0-and-other")


def test_the_hubs_own_reader_takes_the_card(made):
    hub = pytest.importorskip("huggingface_hub", reason=FORMATS)
    card = hub.DatasetCard.load(made / "README.md")
    assert card.data.license == "other"
    assert card.data.task_categories == front(made)[0]["task_categories"]
    assert "# mine" in card.text


@pytest.mark.parametrize(("config", "rows"), [("conversations", 2), ("events", None)])
def test_datasets_reads_what_the_front_matter_names(made, tmp_path, config, rows):
    datasets = pytest.importorskip("datasets", reason=FORMATS)
    datasets.disable_progress_bars()
    read = datasets.load_dataset(str(made), config, cache_dir=str(tmp_path / "cache"))["train"]
    logs = made.glob("conversations/*/events.jsonl")
    assert len(read) == (rows or sum(len(log.read_text().splitlines()) for log in logs))


def test_datasets_reads_events_whose_lines_have_different_keys(copy, tmp_path):
    """A cut-off, a shaped ending or a lift stands in some lines of some files; links differ from line to line."""
    datasets = pytest.importorskip("datasets", reason=FORMATS)
    datasets.disable_progress_bars()
    more = {
        "duo": {"tone": {"kind": "fall", "window": {"start": 1, "end": 2}, "own": 0.1, "semitones": -6.0}, "links": {}},
        "example": {
            "cut": {"word": "goose", "heard": 0.5},
            "links": {"resumes": "A1"},
            "lifts": [{"span": {"start": 1, "end": 2}, "level_db": 4.0, "tilt_db": 3.0, "pitch_st": 1.5}],
        },
    }
    for ident, keys in more.items():
        path = copy / "conversations" / ident / "events.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(line | keys) + "\n" for line in lines))
    rows = datasets.load_dataset(str(copy), "events", cache_dir=str(tmp_path / "cache"))["train"]
    assert set(rows.column_names) == set(COLUMNS)
    for row in rows:
        if row["conversation_id"] == "duo":
            assert (row["tone"]["window"], row["cut"]) == ({"start": 1, "end": 2}, None)
        else:
            assert (row["cut"], row["links"]["resumes"]) == ({"word": "goose", "heard": 0.5}, "A1")
            assert row["lifts"][0]["level_db"] == 4.0


def test_the_columns_of_events_are_those_of_the_log(made):
    records = {"links": Links, "cut": CutWord, "tone": BoundaryTone}
    for name, record in records.items():
        assert set(COLUMNS[name]) == set(record.model_fields)
    assert set(COLUMNS["lifts"][0]) == set(Lift.model_fields)
    timeline = example()
    assert set(event_line(timeline.events[0], timeline)) <= set(COLUMNS)


def test_it_says_that_all_is_synthetic_what_it_is_for_and_what_not(made):
    _, text = front(made)
    assert "**Everything you hear in this corpus is synthetic.**" in text
    for heading in ("## Intended use", "Not for:", "## Limits", "## Licences and attribution"):
        assert heading in text
    assert "Personal data: None." in text


def test_every_part_is_named_with_its_terms(made):
    told = [notice.text for notice in notices_of(made, ["example", "duo"])]
    assert (
        told[0] == "Voices and voice model: Kokoro-82M v1.0 by hexgrad (Apache-2.0); ONNX export by thewh1teagle (MIT)."
    )
    assert "phonemizer-fork and espeak-ng (GPL-3.0, run, not distributed)" in told[1]
    assert told[-1] == (
        "Noise clip keyboard-typing 'keyboard typing': CC BY 4.0, Anton (freesound.org), https://freesound.org/s/137/"
    )
    assert not any("turnfloor, synthesised" in line for line in told)
    assert all(f"- {line}" in front(made)[1] for line in told)


def test_words_of_a_model_are_named_by_the_recorded_exchange(copy):
    folder = copy / "conversations" / "duo"
    script = json.loads((folder / "script.json").read_text())
    for act in script["acts"]:
        act["author"] = "model"
    (folder / "script.json").write_text(json.dumps(script))
    for endpoint, model, told in (
        ("embedded", "writer-1.5b", "Qwen2.5-Coder-1.5B-Instruct (Apache-2.0)"),
        ("https://api.example.org/v1", "gpt-9", "gpt-9, under its provider's terms"),
    ):
        (folder / "exchange.jsonl").write_text(json.dumps({"endpoint": endpoint, "model": model}) + "\n")
        assert any(told in notice.text for notice in notices_of(copy, ["duo"]))
    (folder / "exchange.jsonl").write_text("no JSON")
    with pytest.raises(InputError, match="make this conversation again"):
        notices_of(copy, ["duo"])


def test_a_model_file_of_the_users_own_is_not_called_ours(copy):
    folder = copy / "conversations" / "duo"
    script = json.loads((folder / "script.json").read_text())
    script["acts"][0]["author"] = "model"
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "exchange.jsonl").write_text(json.dumps({"endpoint": "embedded", "model": "writer-1.5b"}) + "\n")
    write_request(copy, settings_from(composed(["n=2", "split=both", "llm.model_path=mine.gguf"])))
    assert any("of the maker's own" in notice.text for notice in notices_of(copy, ["duo"]))


def test_a_corpus_without_conversations_has_a_card(tmp_path):
    (tmp_path / "conversations").mkdir()
    finish_corpus(tmp_path, About(failed={"c0000": "refused"}))
    found, text = front(tmp_path)
    assert found["size_categories"] == ["n<1K"]
    assert "- It has no conversation yet." in text


def test_voices_of_an_endpoint_are_not_called_kokoro(copy):
    change_meta(copy, "duo", voice_model="speech-endpoint-1/tts-9/0011/text-2/g2p-2")
    (voices, *_) = notices_of(copy, ["duo"])
    assert (voices.text, voices.contained) == ("Voices: tts-9, under its provider's terms.", "other")


def test_the_same_records_give_the_same_bytes(made, copy):
    before = {name: (made / name).read_bytes() for name in ("README.md", "croissant.json")}
    write_again(copy)
    assert {name: (copy / name).read_bytes() for name in before} == before


@pytest.mark.speech
def test_a_run_ends_with_a_card_that_can_be_written_again_from_its_records(tiny, tmp_path):
    corpus = shutil.copytree(tiny, tmp_path / tiny.name, ignore=shutil.ignore_patterns("work"))
    write_again(corpus)
    for name in ("README.md", "croissant.json"):
        assert (corpus / name).read_bytes() == (tiny / name).read_bytes()
    told = (tiny / "README.md").read_text()
    assert "Kokoro-82M v1.0 by hexgrad (Apache-2.0); ONNX export" in told
    assert "Topic bank, shipped scripts, lexicons and templates" in told


# Croissant -------------------------------------------------------------------------------------------------


def test_croissant_states_the_sum_of_each_file_and_the_manifest_those_of_the_rest(made):
    files = {one["contentUrl"]: one for one in metadata(made)["distribution"] if one["@type"] == "cr:FileObject"}
    assert set(files) == {"manifest.jsonl", "stats.json", "corpus.yaml"}
    for name, one in files.items():
        assert one["sha256"] == sha256_of(made / name)
    patterns = [one["includes"] for one in metadata(made)["distribution"] if one["@type"] == "cr:FileSet"]
    for pattern in patterns:
        found = list(made.glob(pattern))
        assert found, pattern


def test_mlcroissant_validates_it_and_reads_the_records(copy):
    mlcroissant = pytest.importorskip("mlcroissant", reason=FORMATS)
    assert main([str(copy), *PUBLICATION]) == 0
    dataset = mlcroissant.Dataset(jsonld=copy / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings
    assert [row["conversations/id"].decode() for row in dataset.records("conversations")] == ["duo", "example"]
    rows = list(dataset.records("events"))
    logged = [json.loads(line) for path in sorted(copy.glob("conversations/*/events.jsonl")) for line in path.open()]
    assert [row["events/onset"] for row in rows] == [event["onset"] for event in logged]
    assert [row["events/text"].decode() for row in rows] == [event["text"] for event in logged]
    assert set(rows[0]) == {f"events/{name}" for name in EVENTS}


def test_mlcroissant_refuses_a_file_that_is_not_the_one_summed(copy):
    mlcroissant = pytest.importorskip("mlcroissant", reason=FORMATS)
    with (copy / "manifest.jsonl").open("a") as manifest:
        manifest.write("{}\n")
    with pytest.raises(Exception, match=r"Download\(manifest.jsonl\)"):
        list(mlcroissant.Dataset(jsonld=copy / "croissant.json").records("conversations"))


# What the publisher says -----------------------------------------------------------------------------------


def test_what_the_publisher_says_stays_when_the_corpus_is_made_again(copy, capsys):
    assert main([str(copy), "--title", "Talk of the town", "--licence", "CC-BY-4.0", "--version", "1.10.0"]) == 0
    assert "--url --creator --published" in capsys.readouterr().out
    assert main([str(copy), "--creator", "A. Maker", "--creator", "B. Maker", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["creators"] == ["A. Maker", "B. Maker"]
    finish_corpus(copy, About())
    found, text = front(copy)
    assert (found["pretty_name"], found["license"]) == ("Talk of the town", "cc-by-4.0")
    assert "\n# Talk of the town\n" in text
    assert "By: A. Maker, B. Maker" in text
    assert metadata(copy)["license"] == ["https://spdx.org/licenses/CC-BY-4.0.html"]
    assert metadata(copy)["version"] == "1.10.0"
    assert [one["name"] for one in metadata(copy)["creator"]] == ["A. Maker", "B. Maker"]


@pytest.mark.parametrize("bad", [("--published", "yesterday"), ("--url", "mine"), ("--version", "new")])
def test_a_fact_that_cannot_be_used_is_one_line_and_changes_nothing(copy, capsys, bad):
    before = (copy / "README.md").read_bytes()
    assert main([str(copy), *bad]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert bad[1] in said
    assert (copy / "README.md").read_bytes() == before
    assert not (copy / "card.yaml").exists()


def test_a_card_yaml_that_cannot_be_read_names_the_file(copy):
    (copy / "card.yaml").write_text("titel: x\n")
    with pytest.raises(InputError, match=r"card\.yaml: titel"):
        read_facts(copy)
    (copy / "card.yaml").write_text("[")
    with pytest.raises(InputError, match="mend or remove it"):
        read_facts(copy)


def test_what_is_no_corpus_is_left_alone(tmp_path, capsys):
    assert main([str(tmp_path), "--title", "x"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert list(tmp_path.iterdir()) == []
