"""How the scripts of a corpus came about: shares that add up to one, and count what the writer did alone."""

from floor_support import example, example_script, example_spec, stems
from script_support import make_spec

from pipeline.assemble import AssembleSettings, Stems, assemble
from pipeline.compose import composed, settings_from
from pipeline.conversation import Job
from pipeline.errors import OutputError
from pipeline.output.corpus import About, finish_corpus
from pipeline.output.figures import figures, pooled
from pipeline.progress import Note
from pipeline.records.script import WritingReport
from pipeline.run import _guarded


def test_only_a_failure_to_write_counts_among_the_ways_of_scripts(tmp_path):
    """A budget that was spent, or a later stage that failed, says nothing about the writer."""
    folder = tmp_path / "conversations" / "example"
    sound = stems(example(), 0.2)
    assemble(
        folder,
        example_spec(),
        example_script(),
        example(),
        Stems(sound, sound),
        AssembleSettings(),
        nuisance={},
        meta={},
    )
    why = dict.fromkeys(("c0007", "c0008"), "failed")
    unwritten = make_spec("casual", 2, index=7)
    stats = finish_corpus(tmp_path, About(failed=why, unwritten=[unwritten]))
    rates = {"first_time_valid": 0.5, "repaired": 0.0, "begun_anew": 0.0, "failed": 0.5}
    assert stats["all"]["script"]["rates"] == rates
    assert stats["by_type"]["casual"]["script"] == {
        "failed": 1,
        "rates": {**dict.fromkeys(rates, 0.0), "failed": 1.0},
    }
    assert "1 (50 %) valid at the first reply, 0 (0 %) repaired" in (tmp_path / "README.md").read_text()


def test_a_script_begun_anew_counts_as_that_alone():
    report = WritingReport(
        first_time_valid=False, attempts=3, repairs=2, fresh_tries=1, requests=5, prompt_tokens=90, completion_tokens=9
    )
    one = figures(example(), example_script().model_copy(update={"report": report}))
    both = pooled([one, figures(example(), example_script())]).summary()["script"]
    assert (both["first_time_valid"], both["repaired"], both["begun_anew"], both["failed"]) == (1, 0, 1, 0)
    assert (both["requests"], both["prompt_tokens"], both["completion_tokens"]) == (5, 90, 9)
    assert both["rates"]["begun_anew"] == 0.5


def test_a_failure_names_the_stage_it_happened_in(tmp_path, monkeypatch):
    def fails(job, notify):
        notify(Note(job.spec.id, "orchestrate"))
        notify(Note(job.spec.id, "render"))
        raise OutputError("the disk is full")

    monkeypatch.setattr("pipeline.run.make_conversation", fails)
    job = Job(make_spec(), settings_from(composed(["script=template"])), tmp_path)
    (outcome,) = _guarded(job, lambda note: None)
    assert outcome.failed_in == "render"
