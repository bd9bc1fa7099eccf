"""A folder holds the corpus of one request, whoever began first."""

import pytest

from pipeline import run
from pipeline.compose import composed, settings_from
from pipeline.errors import OutputError
from pipeline.request import check_folder, corpus_yaml, write_request


@pytest.mark.parametrize(("step", "shard"), [("locked", ()), ("scripts", ("shard=0/2",))])
def test_a_corpus_that_another_run_began_meanwhile_is_not_written_over(step, shard, tmp_path, monkeypatch):
    mine, other = (
        settings_from(composed(["script=template", "n=2", "until=script", f"seed={seed}", f"out={tmp_path}/c", *shard]))
        for seed in (1, 2)
    )
    real = getattr(run, step)

    def late(*args):
        write_request(other.root, other)
        return real(*args)

    monkeypatch.setenv("TURNFLOOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(run, step, late)
    monkeypatch.setattr(run, "make_ready", lambda *_: None)
    with pytest.raises(OutputError, match=r"the folder holds a corpus of another request \(seed=2, not 1"):
        run.run(mine)
    assert (tmp_path / "c" / "corpus.yaml").read_text() == corpus_yaml(other)


def test_a_request_that_is_being_written_is_nothing_strange(tmp_path):
    (tmp_path / ".corpus.yaml.1.part.yaml").touch()
    settings = settings_from(composed(["script=template", "n=1", f"out={tmp_path}"]))
    check_folder(tmp_path, settings)
    (tmp_path / ".corpus.txt").touch()
    with pytest.raises(OutputError, match="holds something that is not a corpus"):
        check_folder(tmp_path, settings)
