"""Several corpora beside their targets: one table, from folders or from what was printed earlier."""

import json

import pytest

from pipeline.beside import main, read_compared, table, verdicts
from pipeline.errors import InputError


def comparison(label, realised, distance, verdict="ok", by="all", group="all", unit="relative", target=10.0):
    return {
        "table": "8",
        "name": label,
        "label": label,
        "by": by,
        "group": group,
        "unit": unit,
        "realised": realised,
        "target": target,
        "distance": distance,
        "verdict": verdict,
        "why": "",
    }


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "splits-9"
    folder.mkdir()
    found = [
        comparison("turns/min", 9.5, -0.05),
        comparison("turns/min", 8.0, -0.2, "MISSED", "type", "task_oriented"),
        comparison("turns/min", 9.9, -0.01, "ok", "type", "casual"),
        comparison("overlap share", 0.104, 0.04, target=0.1),
        comparison("gap p50 [s]", 0.02, 0.01, unit="s", target=0.01),
        comparison("laughter/min", None, None, "no verdict"),
    ]
    stats = {"all": {"duration_s": 90.0}, "comparisons": found}
    (folder / "stats.json").write_text(json.dumps(stats))
    return folder


def test_a_figure_stands_with_its_distance_and_a_group_with_its_farthest_member(corpus):
    lines = list(table(read_compared(corpus)))
    assert lines[0] == "| figure | table | target | splits-9 |"
    assert lines[2:] == [
        "| minutes | | | 1.5 |",
        "| turns/min | 8 | 10 | 9.5 (-5.0 %) |",
        "| turns/min, by type | 8 |  | at most -20.0 % (task-oriented) **MISSED** |",
        "| overlap share | 8 | 10.0 % | 10.4 % (+4.0 %) |",
        "| gap p50 [s] | 8 | 0.01 | 0.02 (+0.01 s) |",
        "| laughter/min | 8 | 10 | - (-) |",
    ]
    assert list(verdicts(read_compared(corpus))) == [
        "splits-9: 4 of 5 figures within tolerance; MISSED: turns/min (task_oriented)"
    ]


def test_what_was_printed_as_json_gives_the_same_table(corpus, tmp_path, capsys):
    assert main([str(corpus), "--json"]) == 0
    kept = tmp_path / "kept.json"
    kept.write_text(capsys.readouterr().out)
    assert list(table(read_compared(kept))) == list(table(read_compared(corpus)))


def test_a_folder_without_figures_is_one_clear_line(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}/stats.json: cannot be read")
    (tmp_path / "stats.json").write_text("{}")
    with pytest.raises(InputError, match="no comparison with targets in it"):
        read_compared(tmp_path)
