"""Bad input gets one line that names the value, the place and the remedy; exit code 2; nothing half-written."""

import re

import pytest
import yaml
from command_support import pipeline


def refused(*args, out, **env):
    done = pipeline("script=template", "n=1", "duration=12", f"out={out}", *args, **env)
    assert done.returncode == 2, done.stdout + done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    assert "Traceback" not in done.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["type=shouting"], r"type: 'shouting' is no type of interaction: choose .*argumentative, casual.*or all"),
        (["typ=casual"], r"typ"),
        (["noise=loud"], r"noise/loud.*embedded"),
        (["speakers=9"], r"speakers=9: split 'dev' has 8 voices.*ask for another number or another split"),
        (["speakers=two"], r"speakers.*two"),
        (["n=0"], r"setting n: .*greater than or equal to 1.*found 0"),
        (["duration=1"], r"setting duration: .*greater than or equal to 5"),
        (["split=train"], r"split.*'dev' or 'test'.*found 'train'"),
        (["noise.snr_db=[20,10]"], r"snr_db"),
        (["noise=musan"], r"noise\.musan"),
        (["noise=musan", "noise.musan=/nowhere/at/all"], r"/nowhere/at/all"),
        (["only=c0007"], r"only='c0007': the corpus has c0000 to c0000; name one of them"),
        (["only=c0000,c0008"], r"only='c0008': the corpus has c0000 to c0000; name one of them"),
        (["domain=knitting"], r"domain='knitting'"),
        (["nonsense"], r"argument 'nonsense': give key=value"),
        (["seed=-1"], r"seed.*found -1"),
        (["timing.hold_pause.low=9"], r"runs backwards"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_the_remedy(args, said, tmp_path):
    line = refused(*args, out=tmp_path / "corpus")
    assert re.search(said, line), line
    assert not (tmp_path / "corpus").exists(), "nothing half-written"


def test_a_folder_that_is_not_musan_is_refused(tmp_path):
    (tmp_path / "music").mkdir()
    line = refused("noise=musan", f"noise.musan={tmp_path}/music", out=tmp_path / "corpus")
    assert "music" in line


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    line = refused(out=tmp_path)
    assert "the folder holds something that is not a corpus; choose another with out=" in line
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_that_holds_a_corpus_of_another_request_is_left_alone(tiny):
    before = sorted((p.name, p.stat().st_mtime_ns) for p in tiny.iterdir())
    done = pipeline("script=template", "n=4", "type=casual", f"out={tiny}")
    assert done.returncode == 2
    assert "holds a corpus of another request (type=all, not casual)" in done.stderr
    assert sorted((p.name, p.stat().st_mtime_ns) for p in tiny.iterdir()) == before


def test_an_output_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    assert "choose" in refused(out=tmp_path / "file" / "corpus")


def test_a_model_file_with_the_wrong_sum_is_refused(tmp_path):
    """A folder of models for machines without a network, holding a file that is not the model."""
    line = refused(
        out=tmp_path / "corpus", TURNFLOOR_CACHE=str(tmp_path / "cache"), TURNFLOOR_MODELS=str(_broken(tmp_path))
    )
    assert re.search(r"kokoro-v1.0.int8.onnx.*SHA-256 d3d303ee.*expected 6e742170", line), line


def _broken(tmp_path):
    folder = tmp_path / "broken"
    folder.mkdir()
    with (folder / "kokoro-v1.0.int8.onnx").open("wb") as file:
        file.truncate(92_361_271)
    return folder


def test_an_endpoint_that_refuses_is_one_line(tmp_path):
    args = ("script=whole", "llm=openai", "llm.base_url=http://127.0.0.1:9/v1", "llm.model=m", "llm.retries=0")
    done = pipeline("n=1", "duration=12", f"out={tmp_path}/corpus", *args, OPENAI_API_KEY="sk-secret-value")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("error: ")
    assert "127.0.0.1:9" in done.stderr
    assert not (tmp_path / "corpus").exists()
    assert "sk-secret-value" not in done.stdout + done.stderr
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and b"sk-secret-value" in p.read_bytes()]


def test_a_request_that_the_disk_cannot_hold_is_refused(tmp_path):
    line = refused("n=1000", "duration=3600", "speakers=5", out=tmp_path / "corpus")
    assert re.search(r"the disk has .* GB free and 1000 conversations take about .* GB; free some space", line)


def test_an_output_path_may_hold_spaces_and_equals_signs(tiny, tmp_path):
    done = pipeline("--cfg", f"out={tmp_path}/my corpus=a, b's [1]")
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["out"] == f"{tmp_path}/my corpus=a, b's [1]"


def test_speakers_may_be_a_list_as_make_gives_it():
    assert "speakers:\n- 2\n- 3\n" in pipeline("--cfg", "speakers=2,3").stdout


def test_help_names_settings_and_groups():
    text = pipeline("--help").stdout
    for word in (
        "speakers: [2, 3, 4, 5]",
        "noise=embedded|musan|none",
        "script=file|lines|reference|replay|template|whole",
    ):
        assert word in text, text
