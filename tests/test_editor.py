"""Editors and readers are told of each setting what the records say."""

import json
import re

import pytest
import yaml
from command_support import ROOT

from pipeline.editor.comments import comments
from pipeline.editor.groups import GROUPS
from pipeline.editor.groups import ROOT as WHOLE
from pipeline.editor.reference import allowed, reference
from pipeline.editor.schemas import file_schema, write_schemas
from pipeline.schema import main
from pipeline.timing.measured import measure
from pipeline.timing.profile import profile
from pipeline.timing.rttm import read_rttm

jsonschema = pytest.importorskip("jsonschema")

CONF = ROOT / "conf"
FOLDERS = {WHOLE: [CONF / "config.yaml", *sorted((CONF / "experiment").rglob("*.yaml"))]} | {
    name: sorted((CONF / name).glob("*.yaml")) for name in GROUPS
}
UNSET = {"_measured.yaml"}
"""Takes values of the file beneath it away, which a finished configuration cannot lack."""


def as_json(data):
    """A YAML file as an editor sees it: all keys are text."""
    if isinstance(data, dict):
        return {str(key): as_json(value) for key, value in data.items()}
    return [as_json(one) for one in data] if isinstance(data, list) else data


def faults(name, text):
    validator = jsonschema.Draft202012Validator(file_schema(name))
    return [error.message for error in validator.iter_errors(as_json(yaml.safe_load(text)))]


def test_the_published_schemas_are_those_of_the_records(tmp_path):
    written = write_schemas(tmp_path)
    assert {path.name for path in written} == {path.name for path in (CONF / "schema").iterdir()}
    for path in written:
        known = CONF / "schema" / path.name
        assert path.read_text() == known.read_text(), "run python -m pipeline.schema --editor conf/schema"
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize("name", FOLDERS)
def test_every_shipped_file_names_its_schema_and_satisfies_it(name):
    for path in FOLDERS[name]:
        text = path.read_text(encoding="utf-8")
        (named,) = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", text, re.M)
        assert (path.parent / named).resolve() == CONF / "schema" / f"{name}.json", path
        if path.name not in UNSET:
            assert faults(name, text) == [], path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("timing", "hold_rates: 0.2"),
        ("timing", "contested_share: 1.5"),
        ("tts", "endings: {mode: shouted}"),
        ("noise", "effects: {slot: [1]}"),
        ("config", "n: 0"),
        ("config", "timing: {hold_rate: -1}"),
    ],
)
def test_what_a_run_would_refuse_an_editor_marks(name, text):
    assert faults(name, text)


def test_what_a_run_takes_an_editor_does_not_mark():
    for text in ("speakers: 3", "speakers: 2,3", "speakers: [2, 3]", "type: casual,narrative", "shard: 3/16"):
        assert faults("config", text) == []
    assert faults("timing", "defaults: [paper, _self_]\nhold_rate: {2: 0.1, 5: 0.2}") == []


def test_settings_are_explained_where_an_editor_shows_it():
    properties = file_schema("timing")["properties"]
    assert properties["laugh"]["description"] == "Length of a laugh."
    assert file_schema("output")["properties"]["bits"]["description"] == "of the FLAC files, 16 or 24"


def test_the_reference_names_every_setting_and_every_choice():
    page = reference()
    for name, kind in GROUPS.items():
        for field in kind.model_fields:
            assert re.search(rf"^\| `{name}\.{field}[`.\[]", page, re.M), f"{name}.{field}"
        for path in FOLDERS[name]:
            if not path.name.startswith("_"):
                assert f"`{name}={path.stem}`" in page
    assert "PydanticUndefined" not in page


def test_the_reference_states_defaults_that_a_run_has():
    assert '| `timing.hold_after` | `"clause"` | clause, question |' in reference()
    assert "| `noise.snr_db` | `[20, 38]` | [number, number] |" in reference()


def test_the_command_writes_and_prints_them(tmp_path, capsys):
    assert main(["--editor", str(tmp_path)]) == 0
    assert str(tmp_path / "timing.json") in capsys.readouterr().out
    assert main(["--reference"]) == 0
    assert capsys.readouterr().out == reference()


def test_comments_go_with_the_key_that_they_stand_behind():
    text = "# head\na: 1\nb:\n  c: [1, 2]   # of c\n  d: x        # of d\n              # and more\ne: 2  # of e\n"
    assert comments(text) == {"b.c": "of c", "b.d": "of d and more", "e": "of e"}


def test_what_a_schema_allows_is_said_in_words():
    assert allowed({"type": "array", "items": {"type": "integer"}}) == "list of whole number"
    assert allowed({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "text or null"
    assert allowed({"type": "number", "exclusiveMinimum": 0, "maximum": 1}) == "number, above 0, at most 1"


def test_a_measured_profile_is_checked_like_a_shipped_one(tmp_path):
    annotation = tmp_path / "talk.rttm"
    stretches = [("A", 0.3, 2.0), ("B", 2.5, 3.0), ("A", 6.0, 2.5)]
    annotation.write_text(
        "".join(f"SPEAKER talk 1 {start} {length} <NA> <NA> {who} <NA> <NA>\n" for who, start, length in stretches)
    )
    text = profile(measure(read_rttm([annotation])), "mine")
    assert "# yaml-language-server: $schema=../schema/timing.json\n" in text
    assert faults("timing", text) == []
