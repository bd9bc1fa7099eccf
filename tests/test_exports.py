"""Exports: one command for all formats, which overwrites nothing and gives the same bytes again."""

import json
import re
import shutil
import tomllib
from collections import Counter

import pytest
from command_support import ROOT, pipeline, sums
from corpus_support import example_corpus
from praatio.textgrid import openTextgrid

from pipeline import load_corpus
from pipeline.errors import ConfigError, InputError, OutputError
from pipeline.export import export, main
from pipeline.exports.registry import FORMATS
from pipeline.records import EVENT_KINDS

EACH = [
    pytest.param(
        form.name,
        marks=pytest.mark.skipif(bool(form.missing), reason=f"{form.missing}: pip install -e '.[{form.extra}]'"),
    )
    for form in FORMATS
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return example_corpus(tmp_path_factory.mktemp("corpora") / "mine")


@pytest.mark.parametrize("name", EACH)
def test_a_second_export_has_the_same_bytes_and_leaves_the_corpus_alone(corpus, tmp_path, name):
    before = sums(corpus, ".")
    done = export(corpus, name, tmp_path / "out")
    assert set(done.conversations) | set(done.left_out) == {"duo", "example", "odd.a"}
    first = sums(tmp_path / "out", ".")
    assert len(first) > 1
    export(corpus, name, tmp_path / "out")
    assert sums(tmp_path / "out", ".") == first
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert sums(corpus, ".") == before


def test_the_command_says_what_it_wrote_and_where(corpus, tmp_path, capsys):
    copy = shutil.copytree(corpus, tmp_path / "mine")
    assert main([str(copy), "rttm"]) == 0
    said = capsys.readouterr()
    assert said.out == f"3 conversations as rttm in {tmp_path / 'mine-rttm'}\n"
    assert said.err.splitlines()[0] == "duo [0/3]"
    marker = json.loads((tmp_path / "mine-rttm/export.json").read_text())
    assert (marker["format"], marker["corpus"], len(marker["files"])) == ("rttm", "mine", 6)


def test_a_relative_place_is_named_as_it_was_given(corpus, tmp_path, monkeypatch):
    shutil.copytree(corpus, tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    assert str(export("mine", "stm").out) == "mine-stm"
    monkeypatch.chdir(tmp_path / "mine")
    assert export(".", "ctm").out == tmp_path / "mine-ctm"
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "mine-stm", "mine-ctm"}


def test_one_conversation_alone_and_json(corpus, tmp_path, capsys):
    assert main([str(corpus), "stm", str(tmp_path / "a"), "--only", "odd.a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["conversations"] == ["odd.a"]
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"odd.a.stm", "export.json"}


def test_a_slice_of_a_corpus_exports_too(corpus, tmp_path):
    assert export(load_corpus(corpus)[:1], "ctm", tmp_path / "a").conversations == ("duo",)


def test_the_list_has_every_format_with_what_it_needs(capsys):
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [form.name for form in FORMATS]
    assert main(["--list", "--json"]) == 0
    assert {one["format"]: one["extra"] for one in json.loads(capsys.readouterr().out)}["eaf"] == "export"


def test_the_readme_has_every_format_with_what_it_needs():
    rows = re.findall(r"^\| `([a-z]+)` \|.*\| ([^|]*)\|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    told = {name: re.findall(r"`\[([a-z]+)\]`", needs) for name, needs in rows}
    assert {form.name: [form.extra] * bool(form.extra) for form in FORMATS}.items() <= told.items()


def test_what_the_formats_need_is_what_the_extras_install():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {"pympi": "pympi-ling"}
    for form in FORMATS:
        for package in form.needs:
            assert any(line.startswith(names.get(package, package)) for line in extras[form.extra])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{corpus}", "docx", "{out}"], "no format 'docx'; there are rttm, ctm,"),
        (["{out}", "rttm"], "not a corpus"),
        (["{corpus}", "rttm", "{corpus}/conversations/x"], "lies in the corpus"),
        (["{corpus}", "rttm", "{out}", "--only", "c9"], "no conversation 'c9'"),
        (["{corpus}", "eaf", "{out}", "--rate", "5"], "4000 to 192000"),
        (["{corpus}"], "CORPUS and FORMAT are needed"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(corpus, tmp_path, arguments, said):
    filled = [one.format(corpus=corpus, out=tmp_path / "none") for one in arguments]
    done = pipeline(*filled, module="pipeline.export")
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_missing_package_is_named_with_its_extra(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.exports.registry.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"eaf needs pympi: pip install 'turnfloor\[export\]'"):
        export(corpus, "eaf", tmp_path / "out")


@pytest.mark.parametrize("name", ["webdataset", "kaldi"])
def test_a_channel_that_is_gone_is_named(corpus, tmp_path, name):
    copy = shutil.copytree(corpus, tmp_path / "mine")
    (copy / "conversations/odd.a/noisy/B.flac").unlink()
    with pytest.raises(InputError, match=r"odd\.a/noisy/B\.flac: cannot be read"):
        export(copy, name, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


# Somebody's folder -----------------------------------------------------------------------------------------


def test_a_folder_that_is_no_export_stays(corpus, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="exists and is no export"):
        export(corpus, "rttm", tmp_path)
    (tmp_path / "a").mkdir()
    export(corpus, "rttm", tmp_path / "a")  # an empty one is free
    with pytest.raises(OutputError, match="holds an export as rttm; name another folder for ctm"):
        export(corpus, "ctm", tmp_path / "a")
    with pytest.raises(OutputError, match="is a file"):
        export(corpus, "ctm", tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("name", ["mine.rttm", "odd.a.rttm"])
def test_an_export_in_which_something_was_added_or_changed_stays(corpus, tmp_path, name):
    export(corpus, "rttm", tmp_path / "a")
    (tmp_path / "a" / name).write_text("corrected by hand")
    with pytest.raises(OutputError, match=f"{name} there was added or changed"):
        export(corpus, "rttm", tmp_path / "a")
    assert (tmp_path / "a" / name).read_text() == "corrected by hand"


def test_what_fails_half_way_leaves_the_earlier_export(corpus, tmp_path, monkeypatch):
    export(corpus, "rttm", tmp_path / "a")
    before = sums(tmp_path / "a", ".")
    monkeypatch.setattr("pipeline.exports.lines.uem_text", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export(corpus, "rttm", tmp_path / "a")
    assert sums(tmp_path / "a", ".") == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_full_disk_leaves_nothing_behind(corpus, tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OutputError, match="No space left on device"):
        export(corpus, "rttm", tmp_path / "a")
    assert not list(tmp_path.iterdir())


# A corpus that was spoken ----------------------------------------------------------------------------------


@pytest.mark.speech
@pytest.mark.parametrize("name", EACH)
def test_a_spoken_corpus_goes_into_every_format(tiny, tmp_path, name):
    """With laughs, hums, cut-offs and inner pauses as the real voices make them."""
    done = export(tiny, name, tmp_path / "out")
    assert len(done.conversations) + len(done.left_out) == 4
    assert len(done.conversations) >= 1


@pytest.mark.speech
def test_spoken_tiers_pass_praatio_and_hold_every_event(tiny, tmp_path):
    out = export(tiny, "textgrid", tmp_path / "out").out
    for one in load_corpus(tiny):
        grid = openTextgrid(str(out / f"{one.id}.TextGrid"), includeEmptyIntervals=False, reportingMode="error")
        found = Counter(
            name.split()[1] for name in grid.tierNames if name != "floor" for _ in grid.getTier(name).entries
        )
        assert {kind: found[kind] for kind in EVENT_KINDS} == {
            kind: sum(event.kind == kind for event in one.events) for kind in EVENT_KINDS
        }
