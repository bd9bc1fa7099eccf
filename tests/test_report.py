"""Realised against target: the published figures, the distances, the verdicts, and a report that people look at."""

import copy
import doctest
import json
import shutil
import struct
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from floor_support import example, example_script, example_spec
from scipy.stats import ks_2samp

from pipeline import report as command
from pipeline.compose import composed, settings_from
from pipeline.output.comparison import Comparison, compared, counted
from pipeline.output.distance import ks_critical, ks_statistic
from pipeline.output.figures import figures
from pipeline.output.statistics import statistics
from pipeline.output.targets import Targets, published
from pipeline.output.transitions import matrices, transitions
from pipeline.records import TYPES
from pipeline.report import main, report
from pipeline.run import run
from pipeline.workspace import write_text

PNG = b"\x89PNG\r\n\x1a\n"

# The published figures, as the paper's tables state them ------------------------------------------------------

TABLE_8 = {  # hours, turns/min, bc/min, int/min, overlap %, mean turn s
    "casual": (1.10, 12.7, 4.24, 0.92, 11.4, 4.81),
    "task_oriented": (1.03, 11.4, 3.80, 0.89, 9.9, 5.27),
    "instructional": (1.17, 7.9, 3.81, 0.70, 10.7, 7.79),
    "collaborative": (1.07, 11.4, 3.43, 1.33, 11.0, 5.32),
    "argumentative": (1.11, 9.6, 2.95, 1.08, 10.7, 6.29),
    "narrative": (1.41, 6.6, 3.34, 0.53, 9.1, 9.22),
}
POOLED = (6.89, 9.8, 3.58, 0.89, 10.4, 6.45)
TABLES_9_AND_20 = {  # hours, mean turn s, events/min, bc/min, int/min, overlap %; EOT +, EOT -, INT +, INT -
    2: (1.90, 7.07, 13.8, 3.12, 0.70, 8.9, 853, 74, 80, 356),
    3: (1.66, 6.38, 16.3, 3.61, 0.96, 10.9, 838, 64, 96, 359),
    4: (1.67, 6.10, 16.3, 3.60, 0.94, 10.9, 875, 55, 94, 361),
    5: (1.66, 6.26, 16.6, 4.06, 0.97, 11.1, 856, 48, 97, 405),
}
TABLE_7_EVENTS = {2: 1490, 3: 1527, 4: 1536, 5: 1563}
"""Of six kinds: all but the interrupted turns."""
TABLE_13 = {
    "turn_yield": 3422, "turn_hold": 241, "turn_interrupted": 367, "interruption": 367, "non_floor_taking": 605,
    "backchannel": 1176, "laughter": 305,
}  # fmt: skip
TABLE_21 = {
    "floor_segment": (4030, 2.19, 5.18, 10.65),
    "yield_gap": (3182, -0.09, 0.01, 0.48),
    "hold_pause": (241, 0.49, 0.83, 1.12),
    "interruption_overlap": (367, 0.43, 0.74, 1.09),
    "failed_claim": (605, 0.80, 1.63, 3.72),
    "backchannel": (1176, 0.44, 0.64, 1.04),
}
OF_TABLE_8 = ("turns", "backchannels_and_laughter", "interruptions", "overlap_share", "mean_turn_s")


def test_the_targets_are_those_of_tables_8_and_20():
    found = published().figures
    scale = {"overlap_share": 100}
    for n, name in enumerate(OF_TABLE_8, 1):
        target, times = found[name], scale.get(name, 1)
        assert target.all * times == pytest.approx(POOLED[n])
        assert {kind: target.by_type[kind] * times for kind in TYPES} == pytest.approx(
            {kind: row[n] for kind, row in TABLE_8.items()}
        )
    for place, name in ((1, "mean_turn_s"), (2, "events"), (3, "backchannels_and_laughter"), (4, "interruptions")):
        assert found[name].by_speakers == pytest.approx({n: row[place] for n, row in TABLES_9_AND_20.items()})
    assert {n: 100 * x for n, x in found["overlap_share"].by_speakers.items()} == pytest.approx(
        {n: row[5] for n, row in TABLES_9_AND_20.items()}
    )


def test_the_derived_targets_follow_from_the_counts():
    found, minutes = published().figures, 60 * POOLED[0]
    assert published().minutes == pytest.approx(minutes)
    final = published().conversations
    kinds = TABLE_13
    for name, count in {
        "failed_claims": kinds["non_floor_taking"], "holds": kinds["turn_hold"], "yields": kinds["turn_yield"],
        "laughter": kinds["laughter"], "events": sum(kinds.values()),
        "switches": kinds["turn_yield"] - final + kinds["interruption"],
        "turns": kinds["turn_yield"] + kinds["turn_hold"] + kinds["turn_interrupted"],
        "backchannels_and_laughter": kinds["backchannel"] + kinds["laughter"], "interruptions": kinds["interruption"],
    }.items():  # fmt: skip
        assert found[name].all == pytest.approx(count / minutes, rel=0.01), name
    for n, (hours, _, _, _, _, _, yields, holds, taken, heard) in TABLES_9_AND_20.items():
        failed = TABLE_7_EVENTS[n] - yields - holds - taken - heard
        for name, count in {
            "turns": yields + holds + taken, "yields": yields, "holds": holds, "failed_claims": failed,
            "switches": yields - final / 4 + taken,
        }.items():  # fmt: skip
            assert found[name].by_speakers[n] == pytest.approx(count / hours / 60, rel=0.005), (name, n)


def test_the_quantiles_are_those_of_table_21_and_the_tolerances_those_that_are_stated():
    stated = {name: (t.n, t.p10, t.p50, t.p90) for name, t in published().timing_s.items()}
    assert stated == TABLE_21
    tolerance = published().tolerance
    assert (tolerance.pooled, tolerance.group, tolerance.quantile, tolerance.quantile_s) == (0.10, 0.15, 0.15, 0.1)
    assert published().figures["contested_holds"].within == (0.10, 0.20)
    assert published().figures["contested_holds"].all == pytest.approx(28 / 186, abs=5e-4)


# Figures of hand-made timelines -------------------------------------------------------------------------------


def test_a_hold_is_contested_when_another_speakers_failed_claim_overlaps_its_pause():
    timeline = example()
    assert figures(timeline).contested_holds == 1
    assert figures(timeline).summary()["contested_holds_share"] == 1.0
    early = [
        s.model_copy(update={"measured": s.measured.shifted(-timeline.rate)}) if s.role == "claim" else s
        for s in timeline.segments
    ]
    # The claim then sounds from 1.95 to 2.90 s, the pause from 2.80 to 3.60 s; half a second earlier it is over.
    assert figures(timeline.model_copy(update={"segments": tuple(early)})).contested_holds == 1
    before = [
        s.model_copy(update={"measured": s.measured.shifted(-timeline.rate // 2)}) if s.role == "claim" else s
        for s in early
    ]
    assert figures(timeline.model_copy(update={"segments": tuple(before)})).contested_holds == 0
    own = [s.model_copy(update={"speaker": "A"}) if s.role == "claim" else s for s in timeline.segments]
    assert figures(timeline.model_copy(update={"segments": tuple(own)})).contested_holds == 0


def test_rates_of_the_kinds_of_event():
    rates = figures(example()).summary()["rates_per_min"]
    minutes = 14.5 / 60
    assert rates["holds"] == pytest.approx(1 / minutes, abs=1e-3)
    assert rates["yields"] == pytest.approx(2 / minutes, abs=1e-3)
    assert rates["laughter"] == pytest.approx(1 / minutes, abs=1e-3)
    assert rates["switches"] == pytest.approx(2 / minutes, abs=1e-3)


def test_transitions_go_by_order_of_entry_and_by_part():
    parts = ("pro", "con", "pro")
    speakers = tuple(s.model_copy(update={"stance": p}) for s, p in zip(example().speakers, parts, strict=True))
    found = transitions(example().model_copy(update={"speakers": speakers}), "argumentative")
    (entry,) = matrices(found.by_entry)
    assert (entry.group, entry.names) == ("3", ("1", "2", "3"))
    assert entry.counts == ((0, 1, 0), (0, 0, 1), (0, 0, 0))
    (part,) = matrices(found.by_part)
    assert (part.group, part.names, part.counts) == ("argumentative", ("con", "pro"), ((0, 1), (1, 0)))
    assert part.shares == ((0.0, 1.0), (1.0, 0.0))
    assert transitions(example(), "argumentative").by_part == {}


# Distances ----------------------------------------------------------------------------------------------------


def test_the_two_sample_statistic_is_that_of_scipy():
    rng = np.random.default_rng(3)
    for one, other in ((rng.normal(size=80), rng.normal(0.4, 1, 130)), ([1, 1, 2], [1, 2, 2, 3]), ([0.0], [1.0])):
        assert ks_statistic(one, other) == pytest.approx(ks_2samp(one, other).statistic)


def test_the_critical_value_is_exceeded_by_chance_as_often_as_it_says():
    rng = np.random.default_rng(5)
    above = [ks_statistic(rng.normal(size=120), rng.normal(size=150)) > ks_critical(120, 150, 0.05) for _ in range(400)]
    assert 0.01 < np.mean(above) < 0.09


# Verdicts -----------------------------------------------------------------------------------------------------


def group(targets: Targets, by: str, name: str, minutes: float) -> dict:
    """The figures of a group that meets all its targets."""
    found: dict = {"duration_s": 60 * minutes, "conversations": 1, "rates_per_min": {}}
    for target in targets.figures.values():
        due = {"type": target.by_type.get(name), "all": target.all}.get(by)
        due = target.by_speakers.get(int(name)) if by == "speakers" else due
        part, _, key = target.realised.rpartition(".")
        (found[part] if part else found)[key] = due
    found["timing_s"] = {name: t.model_dump(exclude={"label"}) for name, t in targets.timing_s.items()}
    return found


def met(minutes: float = 413.4, kinds=TYPES, numbers=(2, 3, 4, 5)) -> tuple[dict, frozenset]:
    """Statistics of a corpus that meets every target, and its cells."""
    targets, hours = published(), sum(TABLE_8[kind][0] for kind in kinds)
    stats = {
        "all": group(targets, "all", "all", minutes),
        "by_type": {kind: group(targets, "type", kind, minutes * TABLE_8[kind][0] / hours) for kind in kinds},
        "by_speakers": {str(n): group(targets, "speakers", str(n), minutes / len(numbers)) for n in numbers},
    }
    return stats, frozenset((kind, n) for kind in kinds for n in numbers)


def verdict(stats, cells, name: str, group: str = "all") -> Comparison:
    (found,) = [c for c in compared(stats, cells, published()) if (c.name, c.group) == (name, group)]
    return found


def test_a_corpus_that_meets_its_targets_is_all_within_tolerance():
    stats, cells = met()
    found = compared(stats, cells, published())
    assert counted(found) == {"ok": len(found), "MISSED": 0, "no verdict": 0}
    assert {c.distance for c in found} == {0.0}
    assert {c.by for c in found} == {"all", "type", "speakers"}
    assert {c.table for c in found} == {"7", "8", "9", "13", "20", "21", "31"}


@pytest.mark.parametrize(
    ("where", "times", "said"),
    [("all", 1.09, "ok"), ("all", 0.89, "MISSED"), ("casual", 1.14, "ok"), ("casual", 1.16, "MISSED"),
     ("2", 0.86, "ok"), ("2", 0.84, "MISSED")],
)  # fmt: skip
def test_rates_have_a_tenth_pooled_and_fifteen_hundredths_by_group(where, times, said):
    stats, cells = met()
    part = stats["all"] if where == "all" else stats["by_type" if where == "casual" else "by_speakers"][where]
    part["rates_per_min"]["turns"] *= times
    found = verdict(stats, cells, "turns", where)
    assert found.verdict == said
    assert found.distance == pytest.approx(times - 1, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "by", "said"),
    [("yield_gap.p50", 0.09, "ok"), ("yield_gap.p50", -0.11, "MISSED"), ("hold_pause.p90", 0.16, "ok"),
     ("failed_claim.p90", 0.55, "ok"), ("failed_claim.p90", 0.57, "MISSED"), ("failed_claim.p10", None, "MISSED")],
)  # fmt: skip
def test_quantiles_have_a_tenth_of_a_second_or_fifteen_hundredths(name, by, said):
    stats, cells = met()
    which, _, quantile = name.partition(".")
    timing = stats["all"]["timing_s"][which]
    timing[quantile] = None if by is None else timing[quantile] + by
    found = verdict(stats, cells, name)
    assert (found.verdict, found.unit) == (said, "s")
    assert found.distance == (None if by is None else pytest.approx(by))


@pytest.mark.parametrize(("share", "said"), [(0.1, "ok"), (0.2, "ok"), (0.09, "MISSED"), (0.21, "MISSED")])
def test_contested_holds_have_bounds(share, said):
    stats, cells = met()
    stats["all"]["contested_holds_share"] = share
    assert verdict(stats, cells, "contested_holds").verdict == said
    assert verdict(stats, cells, "contested_holds").tolerance is None


def test_a_small_corpus_gives_no_verdict_where_few_events_are_expected():
    stats, cells = met(minutes=40.0)
    stats["all"]["rates_per_min"]["interruptions"] = 3.0
    found = verdict(stats, cells, "interruptions")
    assert (found.verdict, found.why) == ("no verdict", "36 of 40 events")
    assert verdict(stats, cells, "turns").verdict == "ok"
    # The overlap share and the mean turn go by the events that they are made of.
    assert verdict(stats, cells, "overlap_share", "argumentative").expected == pytest.approx(
        (2.95 + 1.08) * 40 * 1.11 / 6.89
    )
    assert verdict(stats, cells, "hold_pause.p50").why == "23 of 40 events"
    tiny, cells = met(minutes=2.0)
    tiny["all"]["rates_per_min"] = dict.fromkeys(tiny["all"]["rates_per_min"], 99.0)
    assert counted(compared(tiny, cells, published()))["MISSED"] == 0


def test_a_part_of_the_design_is_compared_in_its_own_groups_only():
    found = compared(*met(60.0, kinds=("casual",)), published())
    assert {c.group for c in found if c.name == "turns"} == {"casual"}
    assert verdict(*met(60.0, kinds=("casual",)), "turns", "casual").verdict == "ok"
    found = compared(*met(60.0, numbers=(3,)), published())
    assert {c.group for c in found if c.name == "turns"} == {"3"}
    assert {c.why for c in found if c.name.startswith("yield_gap")} == {"part of the design"}
    # Two types of six: nothing that is pooled over types gets a verdict.
    found = compared(*met(120.0, kinds=("casual", "narrative")), published())
    assert {c.why for c in found if c.by != "type"} == {"part of the design"}
    assert {c.verdict for c in found if c.by == "type" and c.name == "turns"} == {"ok"}
    more = met()[1] | {("casual", 6)}
    assert verdict(met()[0], more, "turns").why == "another design"


def test_nothing_made_is_compared_with_nothing():
    assert compared(statistics([]), frozenset(), published()) == []


# The report ---------------------------------------------------------------------------------------------------


def publish(root: Path, ident: str, kind: str = "argumentative") -> None:
    """A finished conversation, as far as its floor goes."""
    folder = root / "conversations" / ident
    spec = example_spec().model_copy(update={"id": ident, "type": kind})
    write_text(folder / "timeline.json", example().model_copy(update={"conversation_id": ident}).to_json())
    write_text(folder / "script.json", example_script().to_json())
    write_text(folder / "meta.json", json.dumps({"spec": spec.model_dump(mode="json"), "nuisance": {}}))


@pytest.fixture(scope="module")
def some(tmp_path_factory) -> Path:
    """Two conversations with the floor of the worked example."""
    root = tmp_path_factory.mktemp("report") / "some"
    publish(root, "one")
    publish(root, "two", "casual")
    return root


@pytest.fixture
def mine(some, tmp_path) -> Path:
    shutil.copytree(some, tmp_path / "mine")
    return tmp_path / "mine"


def size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    data = path.read_bytes()
    assert data.startswith(PNG)
    return struct.unpack(">II", data[16:24])


def test_the_command_prints_tables_and_draws_plots(mine, capsys):
    assert main([str(mine)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 conversations, 0.5 min. ")
    assert "Table 21: timing" in out
    assert "no verdict: part of the design" in out
    assert "\x1b" not in out
    shown = {path.name for path in (mine / "report").iterdir()}
    assert shown == {
        "index.html", "rates.png", "timing.png", "transitions-entry.png", "strip-one.png", "strip-two.png"
    }  # fmt: skip
    page = (mine / "report" / "index.html").read_text()
    for name in shown - {"index.html"}:
        assert f'<img src="{name}" alt="' in page
        assert min(size(mine / "report" / name)) > 200
    assert "://" not in page


def test_the_report_comes_out_the_same_and_leaves_no_old_plot(mine):
    assert main([str(mine)]) == 0
    before = {path.name: path.read_bytes() for path in (mine / "report").iterdir()}
    (mine / "report" / "strip-gone.png").write_bytes(PNG)
    assert main([str(mine)]) == 0
    assert {path.name: path.read_bytes() for path in (mine / "report").iterdir()} == before


def test_json_is_what_is_printed_and_writes_no_plots_when_told(mine, capsys):
    assert main([str(mine), "--json", "--no-plots"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps(report(mine).stats))
    assert not (mine / "report").exists()
    one = found["comparisons"][0]
    assert one.keys() >= {"name", "group", "realised", "target", "distance", "tolerance", "verdict", "table"}
    assert found["targets"]["source"] == "MultiPartyTurnBench"


def missed(mine):
    """The report of a corpus that is as long as the published one, with a figure that missed."""
    stats, cells = met()
    stats["all"]["rates_per_min"]["turns"] = 12.0
    base = report(mine)
    stats = {**copy.deepcopy(dict(base.stats)), **stats, "failed": {}}
    comparisons = tuple(compared(stats, cells, published()))
    return command.Report(mine, base.found, stats, comparisons, published())


def test_a_figure_that_misses_its_tolerance_is_marked_in_words(mine):
    found = missed(mine)
    lines = [line for line in found.lines() if line.startswith("turns/min") and " all " in line]
    assert [line.split()[-7:] for line in lines] == [["12.0", "9.80", "+22.4", "%", "10", "%", "MISSED"]]
    assert not any("\x1b" in line for line in found.lines())
    assert [line for line in found.lines(colour=True) if "\x1b[" in line] == [f"\x1b[1;31m{lines[0]}\x1b[0m"]
    page = command.write_report(mine, found.found, found.stats, found.comparisons, found.targets)
    text = page.read_text()
    assert "<h2>Missed</h2>" in text
    assert text.count('<tr class="missed">') == 2
    assert "1 MISSED" in text


@pytest.mark.parametrize(
    ("terminal", "env", "colour"),
    [(True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False), (True, {"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(monkeypatch, terminal, env, colour):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert command.in_colour() is colour


def test_a_corpus_is_no_distance_from_itself(mine, some, capsys):
    assert main([str(mine), "--against", str(some)]) == 0
    out = capsys.readouterr().out
    assert "Targets: some (2 conversations" in out
    found = report(mine, some).comparisons
    assert {c.distance for c in found} <= {0.0, None}
    assert {c.name for c in found if c.unit == "D"} == {f"{name}.D" for name in (*TABLE_21, "laughter")}
    assert not any(c.why == "part of the design" for c in found)


def test_settings_other_than_those_of_the_targets_are_named(mine):
    settings = composed(["timing.hold_rate=0.3", "design.claims=2.5"])
    data = json.loads(settings_from(settings).model_dump_json())
    write_text(mine / "corpus.yaml", json.dumps(data))
    assert report(mine).stats["targets"]["other_settings"] == ["design.claims=2.5", "timing.hold_rate=0.3"]
    assert any("timing.hold_rate=0.3" in line for line in report(mine).lines())
    del data["timing"]["hold_rate"]  # as an older version would have written it
    data["timing"]["hold_pause"] = {"at": [0.1, 0.9], "s": [0.2, 2.0]}
    write_text(mine / "corpus.yaml", json.dumps(data))
    assert report(mine).stats["targets"]["other_settings"] == ["design.claims=2.5", "timing.hold_pause"]
    write_text(mine / "corpus.yaml", json.dumps(json.loads(settings_from(composed([])).model_dump_json())))
    assert report(mine).stats["targets"]["other_settings"] == []


def nothing(root):
    shutil.rmtree(root / "conversations")


def no_timeline(root):
    (root / "conversations" / "two" / "timeline.json").unlink()


def no_spec(root):
    (root / "conversations" / "two" / "meta.json").write_text("{}")


def unplanned(root):
    nothing(root)
    write_text(root / "work" / "one" / "timeline.json", example().to_json())


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (shutil.rmtree, "no timelines there; give the folder that OUT named"),
        (nothing, "no timelines there"),
        (no_timeline, "two/timeline.json: cannot be read"),
        (no_spec, "two/meta.json: states no spec"),
        (unplanned, "no corpus.yaml there"),
    ],
)
def test_bad_input_is_one_line(mine, capsys, harm, said):
    harm(mine)
    assert main([str(mine)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


def test_the_other_corpus_must_be_one(mine, tmp_path, capsys):
    assert main([str(mine), "--against", str(tmp_path / "nowhere")]) == 2
    assert "nowhere: no timelines there" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["distance", "comparison", "targets"])
def test_the_documentation_says_what_is_so(name):
    assert doctest.testmod(import_module(f"pipeline.output.{name}")).failed == 0


# Through the command ------------------------------------------------------------------------------------------


@pytest.mark.speech
def test_timelines_alone_get_the_same_statistics_and_report(tmp_path, capsys):
    root = tmp_path / "planned"
    asked = ["script=template", "n=2", "duration=12", "speakers=2", "until=orchestrate", f"out={root}"]
    lines = list(run(settings_from(composed(asked))).lines())
    assert "2 planned conversations" in lines[0]
    assert "figures compared: " in lines[-1]
    assert not (root / "conversations").exists()
    stats = json.loads((root / "stats.json").read_text())
    assert stats["all"]["conversations"] == 2
    assert stats["all"]["planned_to_measured"]["bounds"] == 0
    assert (root / "report" / "index.html").is_file()
    before = (root / "report" / "rates.png").read_bytes()
    assert main([str(root), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == stats
    assert (root / "report" / "rates.png").read_bytes() == before


@pytest.mark.speech
def test_every_corpus_has_its_report(tiny, capsys):
    plots = {path.name for path in (tiny / "report").glob("*.png")}
    assert plots >= {"rates.png", "timing.png", "transitions-entry.png", "transitions-part.png", "strip-c0000.png"}
    stats = json.loads((tiny / "stats.json").read_text())
    assert "timing.hold_rate=0.3" in stats["targets"]["other_settings"]
    assert stats["comparisons"]
    assert main([str(tiny), "--json", "--no-plots"]) == 0
    assert json.loads(capsys.readouterr().out) == stats
    assert "report/index.html" in (tiny / "README.md").read_text()
    assert main([str(tiny), "--planned", "--no-plots"]) == 0
    assert 'href="report/index.html"' in (tiny / "index.html").read_text()
